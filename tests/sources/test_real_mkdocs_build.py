"""What we say of a MkDocs site, against the pages and ids that MkDocs itself makes."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pit_memory.core.documents.sections import split
from pit_memory.core.web.site_anchors import site_anchors
from pit_memory.core.web.sites import page_address
from pit_memory.sources.sites import find_site
from tests.builders import write_files

pytest.importorskip("mkdocs", reason="MkDocs builds the site that ours is compared with")
pytestmark = pytest.mark.timeout(120)  # it starts a process of its own

CONFIGURATION = """\
site_name: X
site_url: https://x.example/d/
theme:
  name: mkdocs
markdown_extensions:
  - admonition
  - attr_list
  - md_in_html
  - toc:
      permalink: true
"""
PAGE = """\
# Größe & Maß: "x_y" (2.0)

## Set `max_size` first

## Twice

Setext one
----------

## Twice

!!! note "Inside"

    ## Inside a note

## Inside a note

### **Bold** and [link](a.md#twice)

## Own name { #own }

<div>

## In HTML

</div>

## In  HTML

- item

    ## In a list

## In a list

```sh
# Twice
```

## 你好

## Ends in code `<b>`

## Emoji :smile: here

## A_1

## A

## A

## [a]: reference
"""
"""Headings that renderers read differently, most of them sharing a name with another."""


@pytest.mark.parametrize(
    "slugify", ["", "      slugify: !!python/name:markdown.extensions.toc.slugify_unicode\n"]
)
def test_every_anchor_we_give_is_an_id_of_the_very_heading(tmp_path: Path, slugify: str):
    configuration = CONFIGURATION + slugify
    root = write_files(tmp_path, {"mkdocs.yml": configuration, "docs/a.md": PAGE})
    command = [sys.executable, "-m", "mkdocs", "--quiet", "build"]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    site = find_site(root)
    assert site is not None
    address = page_address(site, "docs/a.md", {}, lambda inside: (root / "docs" / inside).exists())
    assert address == "https://x.example/d/a/"
    html = (root / "site/a/index.html").read_text()
    made = re.findall(r'<h[1-6] id="([^"]*)">(.*?)<a class="headerlink"', html, re.DOTALL)
    parsed = split(PAGE)
    anchors = site_anchors(site, parsed)
    assert len(anchors) >= 8
    for section in parsed.sections:
        if section.ordinal in anchors:
            assert _words(dict(made)[anchors[section.ordinal]]) == _letters(section.heading)
    order = [anchors[section.ordinal] for section in parsed.sections if section.ordinal in anchors]
    assert [anchor for anchor, _ in made if anchor in order] == order


def _words(text: str) -> str:
    return _letters(re.sub(r"<[^>]*>|&\w+;", "", text))


def _letters(text: str) -> str:
    return "".join(re.findall(r"[^\W_]", text))
