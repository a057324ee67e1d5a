"""Documents, and parts of them, that were elsewhere before: what `moved_from` of them says."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from pit_memory.core.documents.citations import Ref
from pit_memory.core.front_matter.block import locate_front_matter
from pit_memory.core.source import MARKDOWN_ENDINGS, Source
from pit_memory.core.writing.homes import DRAFTS_HOME
from pit_memory.sources.sieve import rules_of
from pit_memory.sources.walker import list_source

_HEAD_BYTES = 65_536
"""Of a document, in which its front matter says where it came from: a page may hold many drafts."""


def origins_of(source: Source) -> Mapping[str, Ref]:
    """Published documents by the draft that they were: what `moved_from` of each says.

    A ref with an anchor names the section that took the draft in.
    """
    root = Path(source.root)
    found: dict[str, Ref] = {}
    for seen in list_source(root, rules_of(source)).files:
        if seen.path.startswith(f"{DRAFTS_HOME}/"):
            continue
        try:
            with (root / seen.path).open("rb") as opened:
                head = opened.read(_HEAD_BYTES)
        except OSError:
            continue  # it says nothing to anybody
        if b"moved_from" in head:
            for moved_from in _moved_from(head):
                old, sign, anchor = moved_from.rpartition("#")
                if sign and old.endswith(MARKDOWN_ENDINGS):
                    found[old] = Ref(seen.path, anchor=anchor)
                else:
                    found[moved_from] = Ref(seen.path)
    return found


def _moved_from(head: bytes) -> Iterator[str]:
    block = locate_front_matter(head.decode(errors="replace").split("\n"))
    for line in block.text.split("\n") if block else ():
        if line.startswith("moved_from"):
            value = line[len("moved_from") :].strip(" :=[]")
            yield from (each.strip(" \"'") for each in value.split(","))
