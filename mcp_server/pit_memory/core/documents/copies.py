"""Copies of a page: its other versions and translations, told by their paths."""

import re
from functools import lru_cache
from pathlib import PurePosixPath

from pit_memory.core.source import stands_for_folder
from pit_memory.core.text.languages import LANGUAGES

_REMEMBERED_PATHS = 20_000
"""Of pages that searches have found; taking a path apart costs ten times as much."""
_NEWEST = ("latest", "stable", "current", "main", "master", "head")
_COMING = ("next", "dev", "unreleased", "nightly", "canary")
_VERSION = re.compile(r"(?:version|release|ver|v)?[-_]?(\d+(?:\.(?:\d+|x))*)", re.IGNORECASE)
_LANGUAGE = re.compile(
    rf"(?:{'|'.join(LANGUAGES)})(?:[-_](?:[a-z]{{2}}|hans|hant|\d{{3}}))?", re.IGNORECASE
)


def copy_name(path: str) -> str:
    """What the copies of a page have in common: the name of its file, without ending and language.

    A page that stands for its folder takes the folder's name along.
    """
    at = PurePosixPath(path.lower())
    name = _without_language(at.name.split(".", 1)[0], at.suffixes[:-1])
    if not stands_for_folder(name):
        return name
    folders = _telling_folders(at)
    return f"{folders[-1]}/{name}" if folders else name


@lru_cache(_REMEMBERED_PATHS)
def path_without_variant(path: str) -> str:
    """A path without the parts that name a version or a language: equal for translations."""
    at = PurePosixPath(path.lower())
    name = _without_language(at.name.split(".", 1)[0], at.suffixes[:-1])
    return "/".join([*_telling_folders(at), name])


@lru_cache(_REMEMBERED_PATHS)
def recency(path: str) -> tuple[int, ...]:
    """Greater for the version that a reader most likely wants: no number, then the highest one."""
    for part in PurePosixPath(path.lower()).parts[:-1]:
        if part in _COMING:
            return (0,)
        if part in _NEWEST:
            return (2,)
        if found := _VERSION.fullmatch(part):
            return (1, *(int(it) for it in found[1].split(".") if it != "x"))
    return (2,)


def _telling_folders(at: PurePosixPath) -> list[str]:
    return [part for part in at.parts[:-1] if not _is_variant(part)]


def _is_variant(part: str) -> bool:
    return (
        part in _NEWEST
        or part in _COMING
        or _VERSION.fullmatch(part) is not None
        or _LANGUAGE.fullmatch(part) is not None
    )


def _without_language(name: str, suffixes: list[str]) -> str:
    """`page.de.md` is a translation of `page.md`; other suffixes are part of the name."""
    kept = [it for it in suffixes if not _LANGUAGE.fullmatch(it.lstrip("."))]
    return name + "".join(kept)
