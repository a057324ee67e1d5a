"""Compare our site links with the pages and ids of real MkDocs builds: none may be wrong.

    python benchmarks/site_anchors.py (--sets SETS_DIR | --project FOLDER)

Two of the sets of `benchmarks/retrieval.py` are built, with the extensions their projects use; or a
project that has its own configuration. Needs mkdocs-material and markdown-include beside the test
environment.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

from labelled_sets import unpack_corpus

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "mcp_server"))

from pit_memory.core.documents.sections import split  # noqa: E402
from pit_memory.core.text.decoding import decode  # noqa: E402 - after the import root is known
from pit_memory.core.web.site_anchors import site_anchors  # noqa: E402
from pit_memory.core.web.sites import page_address  # noqa: E402
from pit_memory.sources.front_matter import read_front_matter  # noqa: E402
from pit_memory.sources.sites import find_site  # noqa: E402

HEAD = "site_name: Measured\nsite_url: https://docs.example.org/m/\ndocs_dir: corpus\n"
CONFIGURATIONS = {
    "argocd-docs": """\
markdown_extensions:
  - markdown_include.include
  - codehilite
  - admonition
  - toc:
      permalink: true
  - pymdownx.superfences
""",
    "mkdocs-material-docs": """\
theme:
  name: material
  custom_dir: overrides
plugins:
  - blog:
      authors: false
markdown_extensions:
  - abbr
  - admonition
  - attr_list
  - def_list
  - footnotes
  - md_in_html
  - toc:
      permalink: true
  - pymdownx.arithmatex:
      generic: true
  - pymdownx.betterem:
      smart_enable: all
  - pymdownx.caret
  - pymdownx.details
  - pymdownx.emoji:
      emoji_generator: !!python/name:material.extensions.emoji.to_svg
      emoji_index: !!python/name:material.extensions.emoji.twemoji
  - pymdownx.highlight
  - pymdownx.inlinehilite
  - pymdownx.keys
  - pymdownx.magiclink
  - pymdownx.mark
  - pymdownx.smartsymbols
  - pymdownx.superfences
  - pymdownx.tabbed:
      alternate_style: true
      combine_header_slug: true
      slugify: !!python/object/apply:pymdownx.slugs.slugify
        kwds:
          case: lower
  - pymdownx.tasklist
  - pymdownx.tilde
""",
}
OWN_TEMPLATES = ("custom.html", "home.html", "redirect.html")
"""Named by pages of the second set, and not part of it."""
SLUGIFIERS = {
    "": "",
    "unicode": "slugify: !!python/name:markdown.extensions.toc.slugify_unicode",
    "pymdownx": "slugify: !!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}",
}
"""Ways to make anchors that projects choose; the first is the default."""


def measure(root: Path) -> Counter[str]:
    """Build the site of a project and look up every link we would give."""
    built = root / "site"
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "--quiet", "build", "--site-dir", str(built)],
        cwd=root,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    site = find_site(root)
    assert site is not None
    counts: Counter[str] = Counter()
    for file in sorted((root / site.docs_folder).rglob("*.md")):
        path = file.relative_to(root).as_posix()
        parsed = split(decode(file.read_bytes()).text)
        front = read_front_matter(parsed.front_matter_text, parsed.front_matter_format).values
        docs = root / site.docs_folder
        address = page_address(
            site, path, front, lambda inside, docs=docs: (docs / inside).exists()
        )
        headings = [section for section in parsed.sections if section.level]
        if address is None:
            counts["pages without a link"] += 1
            counts["sections of these"] += len(headings)
            continue
        page = built / unquote(address.removeprefix(site.url)) / "index.html"
        if not page.is_file():
            counts["wrong pages"] += 1
            print(f"wrong page: {path}: {address}")
            continue
        counts["pages"] += 1
        html = page.read_text(encoding="utf-8")
        # A heading's text stands behind its id: it must be the section's, not just any with the id.
        found = re.findall(r"<h[1-6][^>]*\sid=\"([^\"]*)\"[^>]*>(.*?)</h[1-6]>", html, re.DOTALL)
        ids = {anchor: _words(text) for anchor, text in found}
        occurring = re.findall(r'<h[1-6][^>]*\sid="([^"]*)"', html)
        anchors = site_anchors(site, parsed)
        order = [anchors[section.ordinal] for section in headings if section.ordinal in anchors]
        in_order = [each for each in occurring if each in set(order)]
        if order != in_order:
            counts["pages with another order"] += 1
            print(f"order: {path}")
        for section in headings:
            counts["sections"] += 1
            anchor = anchors.get(section.ordinal)
            if anchor is None:
                counts["sections linked to their page only"] += 1
            elif ids.get(anchor) != _words(section.heading):
                counts["wrong anchors"] += 1
                print(f"wrong anchor: {path}:{section.line_start}: #{anchor} {ids.get(anchor)!r}")
            else:
                counts["right anchors"] += 1
    return counts


def _words(text: str) -> str:
    text = re.sub(r"<a class=\"headerlink\".*?</a>", "", text)
    text = re.sub(r"<[^>]*>|&\w+;|&#\d+;", "", text)
    return "".join(re.findall(r"[^\W_]", re.sub(r"[<>]", "", text).casefold()))


def main() -> None:
    """Measure the sets, or the project whose folder is given."""
    parser = argparse.ArgumentParser(description="Compare site links with built pages.")
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument("--sets", type=Path)
    given.add_argument("--project", type=Path)
    options = parser.parse_args()
    if options.project:
        print(dict(measure(options.project.resolve())))
        return
    for name, configuration in CONFIGURATIONS.items():
        for kind, slugify in SLUGIFIERS.items():
            with tempfile.TemporaryDirectory() as folder:
                root = Path(folder)
                unpack_corpus(options.sets / name, root)
                text = HEAD + configuration
                if slugify:
                    text = text.replace("permalink: true", f"permalink: true\n      {slugify}")
                (root / "overrides").mkdir()
                for template in OWN_TEMPLATES:
                    page = root / "overrides" / template
                    page.write_text('{% extends "main.html" %}', encoding="utf-8")
                (root / "mkdocs.yml").write_text(text, encoding="utf-8")
                print(name, kind or "default", dict(measure(root)))


if __name__ == "__main__":
    main()
