"""Addresses for people: where a section is read, as its generator or forge shows it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pit_memory.core.answers.answers import SearchAnswer
from pit_memory.core.documents.sections import ParsedMarkdown, find_section, split
from pit_memory.core.documents.vault_links import obsidian_address
from pit_memory.core.text.decoding import decode
from pit_memory.core.web.forges import ForgeSetting, Remote, permalink, remote_of
from pit_memory.core.web.site_anchors import site_anchors
from pit_memory.core.web.sites import Site, page_address
from pit_memory.sources.front_matter import read_front_matter
from pit_memory.sources.sites import find_site
from pit_memory.sources.vault import vault_of
from pit_memory.workspace.files import read_bytes
from pit_memory.workspace.git_published import (
    Published,
    blob_id,
    find_published,
    published_blobs,
)
from pit_memory.workspace.work_trees import toplevel

_MAX_BYTES = 10_000_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """A place that somebody may want to open."""

    source: str
    path: str
    anchor: str
    """Empty for the whole file, or where only lines are known."""
    lines: tuple[int, int] | None
    """1-based, inclusive; None for the whole file."""


def with_addresses(
    answer: SearchAnswer, roots: Mapping[str, Path], forge: ForgeSetting = "auto"
) -> SearchAnswer:
    """An answer whose hits have the address a person opens; None where the file is gone.

    Args:
        answer: of a search.
        roots: root folder of each source by its name.
        forge: what kind the remote is, where its host's name doesn't tell.
    """
    wanted = [Wanted(hit.source, hit.path, hit.anchor, hit.lines) for hit in answer.hits]
    found = addresses(wanted, roots, forge)
    hits = (replace(hit, url=found[place]) for hit, place in zip(answer.hits, wanted, strict=True))
    return replace(answer, hits=tuple(hits))


def addresses(
    wanted: Iterable[Wanted], roots: Mapping[str, Path], forge: ForgeSetting = "auto"
) -> dict[Wanted, str | None]:
    """The address of each place.

    `source_url` of the front matter wins; then the page on the site, which drafts have none of;
    then the permalink of the commit that is on the remote, if the file is the same there; else the
    file itself. Nothing is asked of the network.
    """
    wanted = tuple(wanted)
    found: dict[Wanted, str | None] = {}
    for source in dict.fromkeys(place.source for place in wanted):
        root = roots.get(source)
        places = [place for place in wanted if place.source == source]
        if root is None:
            found |= dict.fromkeys(places)
            continue
        library = _Root(root, forge)
        found |= library.addresses(places)
    return found


@dataclass(frozen=True, slots=True)
class _Page:
    """A file with what its address depends on."""

    data: bytes
    parsed: ParsedMarkdown
    front_matter: Mapping[str, object]


class _Root:
    """One source's folder."""

    def __init__(self, root: Path, forge: ForgeSetting) -> None:
        self._root = root
        self._forge = forge
        self._site: Site | None = find_site(root)
        self._vault = vault_of(root)
        self._pages: dict[str, _Page | None] = {}

    def addresses(self, places: Iterable[Wanted]) -> dict[Wanted, str | None]:
        found: dict[Wanted, str | None] = {}
        for place in places:
            page = self._page(place.path)
            found[place] = None if page is None else self._own_or_site(place, page)
        rest = [place for place, address in found.items() if address == ""]
        return found | self._permalinks(rest)

    def _page(self, path: str) -> _Page | None:
        if path not in self._pages:
            self._pages[path] = self._read(path)
        return self._pages[path]

    def _read(self, path: str) -> _Page | None:
        try:
            data = read_bytes(self._root / path, _MAX_BYTES)
        except OSError:
            return None
        parsed = split(decode(data).text)
        front = read_front_matter(parsed.front_matter_text, parsed.front_matter_format)
        return _Page(data, parsed, front.values if parsed.front_matter_lines else {})

    def _own_or_site(self, place: Wanted, page: _Page) -> str:
        """The address its author gave, else that on the site; empty where there is neither."""
        given = page.front_matter.get("source_url")
        if isinstance(given, str) and given.startswith(("https://", "http://")):
            return given
        if self._site is None:
            return self._in_obsidian(place, page)
        docs = self._root / self._site.docs_folder
        address = page_address(
            self._site, place.path, page.front_matter, lambda inside: (docs / inside).exists()
        )
        if address is None:
            return ""
        section = find_section(page.parsed.sections, place.anchor) if place.anchor else None
        anchor = site_anchors(self._site, page.parsed).get(section.ordinal) if section else None
        return f"{address}#{anchor}" if anchor else address

    def _in_obsidian(self, place: Wanted, page: _Page) -> str:
        """The address that opens a note in Obsidian; empty outside of a vault."""
        if self._vault is None:
            return ""
        section = find_section(page.parsed.sections, place.anchor) if place.anchor else None
        inside = (self._root / place.path).relative_to(self._vault).as_posix()
        block = place.anchor if place.anchor.startswith("^") else ""
        return obsidian_address(
            self._vault.name, inside, block or (section.heading if section else "")
        )

    def _permalinks(self, places: list[Wanted]) -> dict[Wanted, str | None]:
        files = {place: self._root.joinpath(place.path).as_uri() for place in places}
        top = toplevel(self._root) if places else None
        published = find_published(top) if top else None
        remote = remote_of(published.url, self._forge) if published else None
        if top is None or published is None or remote is None:
            return dict(files)
        paths = {place: (self._root / place.path).relative_to(top).as_posix() for place in places}
        return {**files, **self._same_there(remote, published, top, paths)}

    def _same_there(
        self, remote: Remote, published: Published, top: Path, paths: Mapping[Wanted, str]
    ) -> dict[Wanted, str]:
        """Permalinks of the files that are the same in the published commit."""
        blobs = published_blobs(top, published.commit, tuple(dict.fromkeys(paths.values())))
        found: dict[Wanted, str] = {}
        for place, path in paths.items():
            page, blob = self._page(place.path), blobs.get(path)
            if page and blob and blob_id(page.data, blob) == blob:
                found[place] = permalink(remote, published.commit, path, place.lines)
        return found
