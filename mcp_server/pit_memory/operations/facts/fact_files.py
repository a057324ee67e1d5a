"""The files of an assignment's facts: read, found by an id, written."""

from collections.abc import Iterator
from pathlib import Path

from pit_memory.core.facts.facts import (
    Fact,
    FactFile,
    FactFileError,
    parse_fact,
    parse_fact_id,
    render_fact,
)
from pit_memory.core.source import Source
from pit_memory.errors import NotFoundError
from pit_memory.workspace.fact_history import MAX_FILE_BYTES
from pit_memory.workspace.fact_home import FactHome
from pit_memory.workspace.files import read_bytes, write_atomic, write_new


def current_fact(source: Source, fact_id: str) -> FactFile | None:
    """A fact as its file has it now, if it is one of this assignment; else None."""
    try:
        read = _parsed(Path(source.root), f"{fact_id}.md")
    except (FactFileError, OSError):
        return None
    return read if read.fact.assignment == source.assignment else None


def fact_there(source: Source, fact_id: str) -> Fact | None:
    """The fact of an id, told or not; None where there is no such file.

    Raises:
        NotFoundError: there is one, and it is no fact of this folder.
    """
    try:
        return _parsed(Path(source.root), f"{fact_id}.md").fact
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (FactFileError, OSError) as error:
        path = Path(source.root, f"{fact_id}.md")
        message = f"{path} is not taken for a fact: {error}; mend the file or move it away"
        raise NotFoundError(message) from error


def find_fact(source: Source, given_id: str, argument: str) -> Fact:
    """A fact of an assignment by its id.

    Raises:
        UsageError: it is no id.
        NotFoundError: there is no such fact of this assignment; another's is as good as not there.
    """
    wanted = parse_fact_id(given_id, argument)
    found = fact_there(source, wanted)
    if found is None or found.assignment != source.assignment:
        message = f"{argument}: there is no fact {wanted} of {source.assignment}"
        raise NotFoundError(message)
    return found


def read_facts(home: FactHome, assignment: str, refused: list[str] | None = None) -> Iterator[Fact]:
    """All facts of an assignment as their files have them, in no order.

    Args:
        home: of the facts.
        assignment: whose.
        refused: gets one line for each file that is no fact of its folder.

    Raises:
        PathError: the home doesn't take this assignment.
    """
    folder = home.folder(assignment)
    if not folder.is_dir():
        return
    for path in sorted(folder.rglob("*.md")):
        name = path.relative_to(folder).as_posix()
        try:
            yield _parsed(folder, name).fact
        except (FactFileError, OSError) as error:
            if refused is not None:
                refused.append(f"{folder.name}/{name}: {error}")


def write_new_fact(source: Source, fact: Fact) -> bool:
    """Write the file of a fact; False where it is there already, be it since this very moment."""
    try:
        write_new(Path(source.root, f"{fact.id}.md"), render_fact(fact).encode())
    except FileExistsError:
        return False
    return True


def rewrite_fact(source: Source, fact: Fact) -> str:
    """Write the file of a fact that is there anew; returns its name."""
    name = f"{fact.id}.md"
    write_atomic(Path(source.root, name), render_fact(fact).encode())
    return name


def _parsed(folder: Path, name: str) -> FactFile:
    return parse_fact(name, read_bytes(folder / name, MAX_FILE_BYTES), folder.name)
