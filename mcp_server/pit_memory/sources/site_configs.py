"""What the configuration of a site generator says of the pages it makes."""

import posixpath
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pit_memory.sources.sites import load_tagged_yaml
from pit_memory.workspace.files import read_bytes, reason

_MAX_BYTES = 1_000_000
_MOST_PARENTS = 5
"""Configurations that inherit from each other."""
_GENERATORS = {
    "mkdocs.yml": "MkDocs",
    "mkdocs.yaml": "MkDocs",
    "zensical.toml": "Zensical",
    "hugo.toml": "Hugo",
    "hugo.yaml": "Hugo",
    "hugo.yml": "Hugo",
}
"""Files that make a folder a site. Docusaurus, Hugo and Jekyll publish no `draft: true` or no
folder that begins with `_` by themselves; of these, Hugo has a setting to do so all the same."""


@dataclass(frozen=True, slots=True)
class SiteConfig:
    """One site of a project."""

    file: str
    """POSIX path relative to the project."""
    generator: str
    docs_folder: str
    """Of its documents, relative to the project."""
    left_out: tuple[str, ...]
    """Patterns, relative to that folder, of what it does not publish."""
    publishes_drafts: bool
    """Whether `draft: true` keeps no page from being published."""
    problem: str = ""
    """Why it can't be read; empty where it was."""


def site_configs(root: Path) -> Iterator[SiteConfig]:
    """Find the sites of a project, at its root and one folder below."""
    for folder in ("", *_folders(root)):
        for name, generator in _GENERATORS.items():
            path = root / folder / name
            if path.is_file():
                yield _config(root, posixpath.join(folder, name), generator)


def _folders(root: Path) -> list[str]:
    try:
        children = sorted(root.iterdir())
    except OSError:
        return []
    return [child.name for child in children if child.name[0] not in "._" and child.is_dir()]


def _config(root: Path, file: str, generator: str) -> SiteConfig:
    try:
        values = _values(root / file)
    except _UnreadableError as error:
        folder = posixpath.join(posixpath.dirname(file), "docs")
        return SiteConfig(file, generator, folder, (), publishes_drafts=True, problem=str(error))
    if generator == "Hugo":
        folder = _text(values.get("contentDir"), "content")
        drafts = values.get("buildDrafts") is True
        return SiteConfig(file, generator, _below(file, folder), (), publishes_drafts=drafts)
    if generator == "Zensical":
        project = values.get("project")
        values = project if isinstance(project, dict) else {}
    return SiteConfig(
        file,
        generator,
        _below(file, _text(values.get("docs_dir"), "docs")),
        tuple(_patterns(values)),
        publishes_drafts=True,
    )


def _below(file: str, folder: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(file), folder))


def _patterns(values: Mapping[str, object]) -> Iterator[str]:
    """What is not built: excluded, drafts by name, or left out by the `exclude` plugin."""
    for key in ("exclude_docs", "draft_docs"):
        value = values.get(key)
        if isinstance(value, str):
            yield from value.split("\n")
    plugins = values.get("plugins")
    for plugin in plugins if isinstance(plugins, list) else []:
        exclude = plugin.get("exclude") if isinstance(plugin, dict) else None
        globs = exclude.get("glob") if isinstance(exclude, dict) else None
        for glob in [globs] if isinstance(globs, str) else globs or []:
            yield "/" + str(glob).replace("*", "**")  # its star crosses folders


class _UnreadableError(Exception):
    """A configuration can't be read; says why."""


def _values(path: Path, depth: int = 0) -> dict[str, object]:
    try:
        text = read_bytes(path, _MAX_BYTES).decode("utf-8-sig")
        loaded = tomllib.loads(text) if path.suffix == ".toml" else load_tagged_yaml(text)
    except OSError as error:
        raise _UnreadableError(reason(error)) from error
    except ValueError as error:
        raise _UnreadableError(" ".join(str(error).split())) from error
    values = cast("dict[str, object]", loaded) if isinstance(loaded, dict) else {}
    parent = values.get("INHERIT")
    if isinstance(parent, str) and depth < _MOST_PARENTS:
        values = _values(path.parent / parent, depth + 1) | values
    return values


def _text(value: object, default: str) -> str:
    return value if isinstance(value, str) and value else default
