"""A documentation site: where its generator publishes a page, as far as that is certain.

A wrong address is worse than none: whatever moves a page in a way that is not known here (a blog,
translations, a slug made by code) makes its address unknown.
"""

import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from pit_memory.core.source import FOLDER_PAGES, MARKDOWN_ENDINGS
from pit_memory.core.text.percent import address_part
from pit_memory.core.web.site_exclusions import is_left_out

Generator = Literal["mkdocs", "zensical", "docusaurus", "hugo"]
SlugStyle = Literal["ascii", "unicode", "github", "unknown"] | tuple[str, str]
"""How anchors are made. `ascii` and `unicode` are Python-Markdown's own; a pair is pymdownx's: how
it lowers letters (`none`, `lower`, `lower-ascii`, `fold`) and the Unicode form it composes to."""

Exists = Callable[[str], bool]

_NUMBER_PREFIX = re.compile(r"(\d+)\s*[-_.]+\s*([^-_.\s].*)")
_DATE_OR_VERSION = re.compile(r"\d{1,4}[-_.]\d{1,4}|\d{1,4}[-_.]\d{1,4}[-_.]\d{1,4}.*")


@dataclass(frozen=True, slots=True)
class Site:
    """What a generator's configuration says."""

    generator: Generator
    config: str
    """Path of its configuration, relative to the project."""
    docs_folder: str
    """Folder of its documents, relative to the project; empty for the project itself."""
    url: str = ""
    """Address of the site, ending in a slash; empty where it is not known."""
    directory_urls: bool = True
    """`a.md` becomes `a/`; else `a.html` (Docusaurus: without a slash at the end)."""
    slugs: SlugStyle = "ascii"
    separator: str = "-"
    """Between the words of an anchor."""
    attribute_lists: bool = False
    """`{#id}` behind a heading is its anchor."""
    excluded: tuple[str, ...] = ()
    """Globs of what is not published, as .gitignore writes them, below the documents' folder."""
    unclear: tuple[str, ...] = ()
    """Folders below the documents' folder whose pages have addresses that are not known here."""

    def below(self, path: str) -> str | None:
        """A document's path below the documents' folder; None where it lies elsewhere."""
        if not self.docs_folder:
            return path
        prefix = f"{self.docs_folder}/"
        return path.removeprefix(prefix) if path.startswith(prefix) else None


def page_address(
    site: Site, path: str, front_matter: Mapping[str, object], exists: Exists
) -> str | None:
    """The address of a published page; None where it isn't published or that is not certain.

    Args:
        site: the site.
        path: of the document, relative to the project.
        front_matter: of the document.
        exists: tells whether a path below the documents' folder is there.
    """
    inside = site.below(path)
    if inside is None or not site.url or not inside.lower().endswith(MARKDOWN_ENDINGS):
        return None
    if front_matter.get("draft") or is_excluded(site, inside):
        return None
    if any(inside.startswith(folder) for folder in site.unclear):
        return None
    page = _PAGES[site.generator](site, inside, front_matter, exists)
    return None if page is None else site.url + _quoted(page)


def is_excluded(site: Site, inside: str) -> bool:
    """Tell whether the site leaves a document out.

    Args:
        site: the site.
        inside: path below the documents' folder.
    """
    names = inside.split("/")
    if site.generator in {"mkdocs", "zensical"} and any(name.startswith(".") for name in names):
        return True
    if site.generator == "docusaurus" and any(name.startswith("_") for name in names):
        return True
    # Whatever a pattern means that can't be read: the page's address is not certain.
    return is_left_out(inside, site.excluded, unclear_is_out=True)


def _mkdocs_page(
    site: Site, inside: str, _front_matter: Mapping[str, object], exists: Exists
) -> str | None:
    if not inside.endswith((".md", ".markdown")):
        return None
    folder, name = posixpath.split(posixpath.splitext(inside)[0])
    if _has_twin(inside, exists):
        return None
    if name in {"index", "README"}:
        page = f"{folder}/" if folder else ""
        return page if site.directory_urls else f"{page}index.html"
    stem = posixpath.join(folder, name)
    return f"{stem}/" if site.directory_urls else f"{stem}.html"


def _has_twin(inside: str, exists: Exists) -> bool:
    """Tell whether another file may be published at the same address, in place of this one."""
    stem, ending = posixpath.splitext(inside)
    folder, name = posixpath.split(stem)
    others = [f"{stem}/{page}{ending}" for page in FOLDER_PAGES]
    if name in FOLDER_PAGES:
        others = [
            f"{posixpath.join(folder, page)}{ending}" for page in FOLDER_PAGES if page != name
        ]
        others.append(f"{folder}{ending}")
    return any(map(exists, others))


def _docusaurus_page(
    site: Site, inside: str, front_matter: Mapping[str, object], exists: Exists
) -> str | None:
    if _has_twin(inside, exists):
        return None
    *folders, name = posixpath.splitext(inside)[0].split("/")
    folders = [_without_number(folder) for folder in folders]
    plain = _without_number(name)
    slug, given = front_matter.get("slug"), front_matter.get("id")
    if isinstance(slug, str) and slug:
        if slug.startswith("/"):
            page = slug.strip("/")
        else:
            page = posixpath.normpath("/".join([*folders, slug])).strip("/")
    elif isinstance(given, str) and given:
        page = "/".join([*folders, given])
    elif plain.lower() in {"index", "readme"} or (folders and plain == folders[-1]):
        page = "/".join(folders)
    else:
        page = "/".join([*folders, plain])
    return f"{page}/" if page and site.directory_urls else page


def _without_number(name: str) -> str:
    if _DATE_OR_VERSION.fullmatch(name):
        return name
    found = _NUMBER_PREFIX.fullmatch(name)
    return found[2] if found else name


def _hugo_page(
    site: Site, inside: str, front_matter: Mapping[str, object], exists: Exists
) -> str | None:
    if any(key in front_matter for key in ("url", "permalink", "build", "_build", "expiryDate")):
        return None
    if _has_twin(inside, exists):
        return None
    folder, name = posixpath.split(posixpath.splitext(inside)[0])
    if "." in name:  # a language, or a dot that Hugo treats in its own way
        return None
    slug = front_matter.get("slug")
    last = slug if isinstance(slug, str) and slug and name != "_index" else name
    if name in {"index", "_index"}:
        if last not in {"index", "_index"}:
            folder = posixpath.join(posixpath.dirname(folder), last)
        page = folder
    else:
        page = posixpath.join(folder, last)
    page = re.sub(r"\s+", "-", page.strip()).lower()
    if not re.fullmatch(r"[\w/.-]*", page):
        return None
    if not site.directory_urls:
        return f"{page}.html" if name not in {"index", "_index"} else None
    return f"{page}/" if page else ""


_PAGES = {
    "mkdocs": _mkdocs_page,
    "zensical": _mkdocs_page,
    "docusaurus": _docusaurus_page,
    "hugo": _hugo_page,
}


def _quoted(page: str) -> str:
    return address_part(page, "-._~/!$&'()*+,;=:@")
