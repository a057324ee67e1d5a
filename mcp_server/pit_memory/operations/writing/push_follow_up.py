"""What push memory needs when an entry is written: names that are free, hooks that know it."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from pit_memory.core.push.memory_entries import kind_and_slug
from pit_memory.core.settings.settings import Settings
from pit_memory.core.writing.receipts import NearDuplicate
from pit_memory.workspace.memory_files import memory_folders, read_memory
from pit_memory.workspace.places import Places
from pit_memory.workspace.push_memory import compile_push_memory, gather_push_memory


def same_slug(
    root: Path, where: Places, settings: Settings, slug: str, name: str
) -> Iterator[NearDuplicate]:
    """Yield the entry of another folder or kind that has a slug: of two, sessions get one.

    Args:
        root: the project, symlinks resolved.
        where: the folders of this person.
        settings: of the project.
        slug: of the new entry.
        name: of its file; an entry in a file of that name is told of otherwise.
    """
    folders = memory_folders(root, where, settings.memory.home, None)
    for entry in read_memory(folders).entries:
        if entry.slug == slug and Path(entry.place).name != name:
            yield NearDuplicate(entry.place, entry.description or entry.slug, "has this slug")


def compile_entry(
    root: Path, where: Places, environ: Mapping[str, str], plugin: Path | None, stem: str
) -> Iterator[str]:
    """Let the hooks know a new entry; yields one line where sessions won't get it.

    Args:
        root: the project, symlinks resolved.
        where: the folders of this person.
        environ: settings come from it.
        plugin: the plugin's own folder.
        stem: name of its file without `.md`.
    """
    compile_push_memory(root, where, environ, plugin)
    named = kind_and_slug(f"{stem}.md")
    push = gather_push_memory(root, where, environ, plugin)
    for part in push.session().parts:
        if (part.entry.kind, part.entry.slug) == named and not part.is_shown:
            told = "at its calls alone" if part.entry.has_trigger else "by search alone"
            yield (
                f"push.budget ({push.budget:,} tokens) is used up: it is told {told}; "
                "`pit-memory memory show --cost` lists what each entry costs"
            )
