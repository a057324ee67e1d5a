"""Capture is not publishing: no draft is written where a site would publish it."""

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pit_memory.core.text.decoding import line_end_of, with_lf
from pit_memory.core.web.site_exclusions import is_left_out
from pit_memory.errors import PathError, WriteRefusedError
from pit_memory.sources.site_configs import SiteConfig, site_configs
from pit_memory.workspace.files import resolve_inside, write_atomic

_ANY_DRAFT = "draft.md"
_BLOCK = re.compile(r"^exclude_docs:[ \t]*[|>][-+]?[ \t]*(?:#.*)?$\n?(?P<indent> +)?", re.MULTILINE)
_INLINE = re.compile(r"^exclude_docs:[ \t]+(?P<value>[^\s|>'\"#][^\n#]*?)[ \t]*$", re.MULTILINE)
_KEY = re.compile(r"^[\"']?exclude_docs[\"']?[ \t]*:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Exclusion:
    """What a site lacks to leave drafts out."""

    file: str
    """Its configuration, relative to the project."""
    generator: str
    line: str
    """What to write there, on one line."""
    pattern: str
    """What `exclude_docs` must hold; empty where the remedy is another."""
    problem: str
    """Why its configuration can't be read; empty where it was."""


def missing_exclusions(root: Path, folder: str) -> tuple[Exclusion, ...]:
    """Return what the sites of a project lack to leave a folder of drafts out.

    Args:
        root: the project.
        folder: of the drafts, relative to the root.
    """
    return tuple(_missing(site, folder) for site in site_configs(root) if _publishes(site, folder))


def refuse_published(root: Path, folder: str) -> None:
    """Refuse to write a draft that a site of the project would publish.

    Args:
        root: the project.
        folder: of the drafts, relative to the root.

    Raises:
        WriteRefusedError: names the line to add.
    """
    for lacking in missing_exclusions(root, folder):
        if lacking.problem:
            why = f"{lacking.file} can't be read ({lacking.problem}): correct it"
        else:
            why = f"add to {lacking.file}: `{lacking.line}`, as `pit-memory init` offers"
        message = (
            f"nothing was written: {lacking.generator} would publish drafts in {folder}, "
            f"whatever their front matter says; {why}"
        )
        raise WriteRefusedError(message)


def add_exclusion(root: Path, exclusion: Exclusion) -> bool:
    """Let a site leave drafts out; False where a person must do it, and nothing was changed.

    That is so, too, where its configuration is a symlink out of the project.

    Raises:
        StorageFullError: its configuration can't be written.
    """
    try:
        path = resolve_inside(root, exclusion.file)
    except PathError:
        return False
    if exclusion.problem or not exclusion.pattern:
        return False
    text = path.read_bytes().decode("utf-8-sig")
    changed = (_toml if path.suffix == ".toml" else _yaml)(with_lf(text), exclusion.pattern)
    if changed is None:
        return False
    write_atomic(path, changed.replace("\n", line_end_of(text)).encode())
    return True


def _publishes(site: SiteConfig, folder: str) -> bool:
    inside = _inside(site, folder)
    if inside is None or not site.publishes_drafts:
        return False
    draft = str(inside / _ANY_DRAFT)
    return not is_left_out(draft, site.left_out, unclear_is_out=False)


def _missing(site: SiteConfig, folder: str) -> Exclusion:
    pattern = f"{_inside(site, folder)}/"
    if site.generator == "Hugo":
        return Exclusion(site.file, site.generator, "buildDrafts = false", "", site.problem)
    line = f"exclude_docs: {pattern}"
    if site.file.endswith(".toml"):
        line = f'exclude_docs = "{pattern}"'
    return Exclusion(site.file, site.generator, line, pattern, site.problem)


def _inside(site: SiteConfig, folder: str) -> PurePosixPath | None:
    """A folder relative to that of a site's documents; None where it lies elsewhere."""
    path, docs = PurePosixPath(folder), PurePosixPath(site.docs_folder)
    return path.relative_to(docs) if path.is_relative_to(docs) else None


def _yaml(text: str, pattern: str) -> str | None:
    if found := _BLOCK.search(text):
        indent = found["indent"] or "  "
        start = found.start("indent") if found["indent"] else found.end()
        before = text[:start] if text[:start].endswith("\n") else text[:start] + "\n"
        return f"{before}{indent}{pattern}\n{text[start:]}"
    if found := _INLINE.search(text):
        block = f"exclude_docs: |\n  {found['value']}\n  {pattern}"
        return text[: found.start()] + block + text[found.end() :]
    if _KEY.search(text) or re.search(r"^INHERIT:", text, re.MULTILINE):
        return None  # in a form of its own, or in the file it inherits from
    return f"{text.rstrip(chr(10))}\nexclude_docs: |\n  {pattern}\n"


def _toml(text: str, pattern: str) -> str | None:
    import tomlkit  # 40 ms, and only who adds the line needs it

    document = tomlkit.parse(text)
    project = document.get("project")
    if not isinstance(project, dict):
        return None
    there = str(project.get("exclude_docs", "")).strip("\n")
    lines = [*there.split("\n"), pattern] if there else [pattern]
    value = "\n".join(["", *lines, ""]) if there else pattern
    project["exclude_docs"] = tomlkit.string(value, multiline=bool(there))
    return tomlkit.dumps(document)
