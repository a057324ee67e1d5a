"""Many facts at once: import from lines of JSON, export, and erasing an assignment for good."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pit_memory.core.facts.assignments import assignment_name
from pit_memory.core.facts.fact_lines import RefusedLine, fact_line_json, parse_fact_lines
from pit_memory.core.facts.facts import (
    Fact,
    Status,
    assignment_named,
    names_assignment,
    render_fact,
)
from pit_memory.core.progress import Progress
from pit_memory.core.serving.access import Access
from pit_memory.core.text.nearest import nearest
from pit_memory.core.text.plurals import counted
from pit_memory.core.text.secrets import find_secrets
from pit_memory.core.writing.commit_messages import fact_message
from pit_memory.core.writing.receipts import CommitOutcome
from pit_memory.errors import NotFoundError, PathError
from pit_memory.operations.facts.fact_files import read_facts
from pit_memory.operations.facts.facts import (
    Facts,
    assignment_of,
    commit_facts,
    ensure_facts_home,
    leave_count,
    now,
    refuse_absent_home,
)
from pit_memory.operations.indexing.forget_source import forget_source
from pit_memory.operations.indexing.sync import sync
from pit_memory.workspace.fact_history import (
    MAX_FILE_BYTES,
    Erased,
    erase_from_history,
    holds_any,
)
from pit_memory.workspace.files import make_folder, read_bytes, write_atomic, write_many
from pit_memory.workspace.proposed_count import leave_proposed_count


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did."""

    stored: int
    there: int
    """Facts that were there already."""
    assignments: int
    refused: tuple[RefusedLine, ...]
    commit: CommitOutcome | None
    unread: Mapping[str, int]
    """Keys that no fact has, to the lines that have them; those of most lines first."""


@dataclass(frozen=True, slots=True)
class EraseReport:
    """What was erased of an assignment."""

    assignment: str
    facts: int
    vectors: int
    history: Erased
    home: Path


def import_facts(
    facts: Facts, access: Access, lines: Iterable[str], progress: Progress | None = None
) -> ImportReport:
    """Store the facts of a file, each in the assignment that its line names.

    Args:
        facts: the person's.
        access: whose assignment lines without a scope belong to.
        lines: of the file.
        progress: told how far the index is.

    Raises:
        SourceError: the home of facts isn't there; nothing was written.
        StorageFullError, GitError, StoreError: what was written so far stays and is right.
    """
    status: Status = "approved" if facts.review == "off" else "proposed"
    ensure_facts_home(facts)
    by_assignment: dict[str, dict[str, Fact]] = defaultdict(dict)
    refused: list[RefusedLine] = []
    unread: Counter[str] = Counter()
    parsed = parse_fact_lines(
        lines, assignment=access.assignment, now=now(), status=status, unread=unread
    )
    for number, fact in enumerate(parsed, start=1):
        if isinstance(fact, RefusedLine):
            refused.append(fact)
        elif why := _why_refused(facts, fact):
            refused.append(RefusedLine(number, why))
        else:
            by_assignment[fact.assignment].setdefault(fact.id, fact)
    stored = there = 0
    files: list[Path] = []
    for assignment, found in by_assignment.items():
        source = facts.source(assignment)
        folder = Path(source.root)
        make_folder(folder)
        new = {
            f"{fact.id}.md": render_fact(fact).encode()
            for fact in found.values()
            if not (folder / f"{fact.id}.md").exists()
        }
        write_many(folder, new)
        stored += len(new)
        there += len(found) - len(new)
        # Also those that are there: an import before this one may have been killed.
        files += [folder / f"{fact_id}.md" for fact_id in found]
    message = _import_message(stored, [*by_assignment])
    commit = commit_facts(facts, files, message) if files else None
    if by_assignment:
        sync(facts.store, [facts.source(name) for name in by_assignment], progress=progress)
    if status == "proposed":
        for name in by_assignment:
            leave_count(facts, facts.source(name))
    counts = dict(unread.most_common())
    return ImportReport(stored, there, len(by_assignment), tuple(refused), commit, counts)


def export_facts(facts: Facts, access: Access, refused: list[str]) -> Iterator[str]:
    """Lines of all facts of who asks, oldest first, without line ends.

    Raises:
        UsageError: no assignment is resolved.
        SourceError: the home of facts isn't there.
    """
    refuse_absent_home(facts)
    mine = read_facts(facts.home, assignment_of(access), refused)
    for fact in sorted(mine, key=lambda fact: (fact.created, fact.id)):
        yield fact_line_json(fact)


def erase_facts(facts: Facts, named: str, all_stores: Path) -> EraseReport:
    """Erase an assignment: files, their history in the home's own repository, index, vectors.

    Args:
        facts: the person's.
        named: the assignment, as a person wrote it.
        all_stores: folder of all stores: their texts keep their vectors.

    Raises:
        PathError: the home lies in a project's tree, whose history is not ours to rewrite.
        SourceError: the home isn't there, so nothing of it could be erased.
        NotFoundError: nothing has facts of it, neither files nor history nor index.
        StoreError, StorageFullError, GitError: what is left undone is said; do it again.
    """
    assignment = assignment_name(named)
    source = facts.source(assignment)
    if facts.home.only is not None:
        message = (
            f"{facts.home.root} lies in a project's tree: its history belongs to the project, and "
            "everybody who cloned it has it; remove the folder by a commit, and ask the project"
        )
        raise PathError(message)
    refuse_absent_home(facts)
    # What a first try left undone may be nothing but deleted text in the index's files.
    begun = facts.store.folder / f"erasing-{source.name}"

    def is_erased(data: bytes) -> bool:
        return names_assignment(data, assignment)

    with facts.changing:
        if not (
            begun.exists()
            or facts.store.catalogue.paths(source.name)
            or holds_any(facts.home.root, source.name, is_erased=is_erased)
        ):
            raise NotFoundError(_no_assignment(facts, assignment))
        write_atomic(begun, b"")
        history = erase_from_history(
            facts.home.root, source.name, assignment, facts.committing, is_erased=is_erased
        )
        cache = facts.meaning.cache if facts.meaning else None
        forgotten = forget_source(facts.store, source.name, cache, all_stores)
        facts.store.scrub()
        leave_proposed_count(facts.counts, assignment, 0)
        begun.unlink(missing_ok=True)
    vectors = forgotten.vectors if forgotten else 0
    return EraseReport(assignment, history.files, vectors, history, facts.home.root)


def _assignments_there(home: Path) -> set[str]:
    found = set()
    for path in home.glob("*/*.md"):
        with suppress(OSError):
            found.add(assignment_named(read_bytes(path, MAX_FILE_BYTES)))
    return found - {""}


def _no_assignment(facts: Facts, assignment: str) -> str:
    near = nearest(assignment, sorted(_assignments_there(facts.home.root)))
    hint = f"; did you mean {near}?" if near else ""
    return (
        f"there is no assignment {assignment}: neither files nor history nor index of "
        f"{facts.home.root} have facts of it, and nothing was erased{hint}"
    )


def _import_message(stored: int, assignments: Sequence[str]) -> str:
    several = counted(len(assignments), "assignment")
    whose = assignments[0] if len(assignments) == 1 else several
    return fact_message(f"import {stored:,}", whose)


def _why_refused(facts: Facts, fact: Fact) -> str:
    for name, text in (("fact", fact.text), ("topic", fact.topic), ("source", fact.source)):
        if secret := next(find_secrets(text), None):
            return f"{name}: it holds a secret ({secret.rule})"
    try:
        facts.home.folder(fact.assignment)
    except PathError as error:
        return str(error)
    return ""
