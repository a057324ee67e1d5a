"""Facts of an assignment: store, retract, review, list. Recall is `operations.recall`.

Files are the truth. What changes a file that is there happens under one lock of the home; a store
of a new fact needs none, as its name is its content.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pit_memory.core.access import Access
from pit_memory.core.assignments import assignment_name
from pit_memory.core.fact_answers import ChangeReceipt, StoreReceipt
from pit_memory.core.fact_warnings import FactWarning, warnings_for
from pit_memory.core.facts import (
    MAX_REASON_CHARACTERS,
    MAX_TOPIC_CHARACTERS,
    Fact,
    FactFileError,
    day,
    fact_text,
    one_line,
    parse_fact,
    parse_fact_id,
    render_fact,
)
from pit_memory.core.kinds import CommitPolicy
from pit_memory.core.legs import SearchFilters
from pit_memory.core.queries import analyse
from pit_memory.core.receipts import CommitOutcome
from pit_memory.core.secrets import refuse_secrets
from pit_memory.core.source import Source
from pit_memory.errors import (
    NotFoundError,
    PitMemoryError,
    StorageFullError,
    StoreError,
    UsageError,
)
from pit_memory.operations.hits import read_chunks
from pit_memory.operations.look import LookedStore, Looker, look
from pit_memory.operations.search import SearchedStore, SearchRequest, ranked_sections
from pit_memory.operations.sync import index_paths
from pit_memory.stores.store import Store
from pit_memory.workspace.fact_history import MAX_FILE_BYTES
from pit_memory.workspace.fact_home import ATTRIBUTES, FactHome, ensure_home
from pit_memory.workspace.files import make_folder, read_bytes, write_atomic, write_new
from pit_memory.workspace.git import git_dir, toplevel
from pit_memory.workspace.locks import FileLock
from pit_memory.workspace.proposed_count import leave_proposed_count
from pit_memory.workspace.shared_commits import SharedCommits

if TYPE_CHECKING:
    from pit_memory.operations.services import Meaning

_COMPARED = 12
"""Facts that a new one is compared with, word by word."""
_QUERY_CHARACTERS = 1_000
_MAX_SOURCE_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of this person, opened; safe to use from several threads."""

    home: FactHome
    store: Store
    searched: SearchedStore
    meaning: "Meaning | None"
    review: str
    """`off`, or `required`: a new fact waits for a person before it is told."""
    commit: CommitPolicy
    protected: Sequence[str]
    """Globs of branches on which nothing is committed."""
    changing: FileLock
    """Held while a file that is there is rewritten."""
    counts: Path
    """Folder of the numbers that the start of a session reads."""
    committing: Callable[[Path], FileLock]
    """The lock of commits, by git's folder."""
    find_author: Callable[[], str]
    """Asks git for the name of the person; empty where it knows none."""
    notes: tuple[str, ...] = ()
    """What of the configuration was ignored, one line each."""
    looker: Looker = field(default_factory=Looker)

    def source(self, assignment: str) -> Source:
        """The folder of an assignment as a source; it need not exist.

        Raises:
            PathError: the home doesn't take this assignment.
        """
        folder = self.home.folder(assignment)
        return Source(
            folder.name,
            str(folder),
            collection="facts",
            kind="fact",
            max_file_bytes=MAX_FILE_BYTES,
            assignment=assignment,
        )

    @property
    def tells_proposed(self) -> bool:
        """Whether a fact is told that nobody has approved."""
        return self.review == "off"


@dataclass(frozen=True, slots=True)
class NewFact:
    """A fact that somebody wants to store."""

    text: str
    topic: str = ""
    supersedes: str = ""
    """Id or ref of a fact that it replaces."""
    source: str = ""
    expires: str = ""
    review_after: str = ""


def assignment_of(access: Access) -> str:
    """The scope of who asks.

    Raises:
        UsageError: none is resolved; says how to start.
    """
    if access.assignment is None:
        message = (
            "no assignment is resolved here, so there are no facts: set PIT_MEMORY_ASSIGNMENT="
            'NAME, or `assignment = "auto"` in .pit-memory.toml for facts of this repository'
        )
        raise UsageError(message)
    return assignment_name(access.assignment)


def today() -> str:
    """The day, UTC, as facts are dated."""
    return now()[:10]


def now() -> str:
    """The time, UTC, to the second."""
    return datetime.now(tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def store_fact(facts: Facts, access: Access, new: NewFact) -> StoreReceipt:
    """Store one fact; the same one again is nothing to do.

    Args:
        facts: the person's.
        access: who stores it, and for which assignment.
        new: the fact.

    Raises:
        UsageError: an argument is wrong, or no assignment is resolved.
        WriteRefusedError: it holds a secret.
        NotFoundError: what it supersedes is no fact of this assignment.
        PathError, StorageFullError, GitError: its home can't be written to. Nothing was.
    """
    assignment = assignment_of(access)
    fact = checked_fact(facts, access, new)
    source = facts.source(assignment)
    old = find_fact(facts, assignment, fact.supersedes, "supersedes") if fact.supersedes else None
    if old is not None and old.id == fact.id:
        message = f"supersedes: {fact.supersedes} is this very fact"
        raise UsageError(message)
    warnings = _warnings(facts, source, fact)
    ensure_facts_home(facts)
    make_folder(Path(source.root))
    with facts.changing if old else nullcontext():
        there = _there(source, fact.id)
        if there is not None and not _revives(there, fact):
            return _kept(facts, there, warnings)
        written = [_write(source, fact, is_new=there is None)]
        if old is not None and fact.status == "approved":
            written.append(_write(source, replace(old, superseded_by=fact.id), is_new=False))
    found, why = _index_and_find(facts, source, written, fact)
    if old is not None or fact.status == "proposed":
        leave_count(facts, source)
    message = f"facts: {fact.id} of {assignment}"
    return StoreReceipt(
        assignment=assignment,
        id=fact.id,
        is_stored=True,
        is_there=True,
        status=fact.status,
        superseded=fact.supersedes if len(written) > 1 else "",
        warnings=warnings,
        commit=commit_facts(facts, source, written, message),
        is_retrievable=found,
        why_not=why,
    )


def checked_fact(facts: Facts, access: Access, new: NewFact) -> Fact:
    """A new fact, checked.

    Raises:
        UsageError: an argument is wrong.
        WriteRefusedError: it holds a secret.
    """
    fact = Fact(
        assignment=assignment_of(access),
        text=fact_text(new.text),
        topic=one_line(new.topic, "topic", MAX_TOPIC_CHARACTERS),
        status="approved" if facts.review == "off" else "proposed",
        created=now(),
        author=facts.find_author() if access.is_local else access.name,
        source=one_line(new.source, "source", _MAX_SOURCE_CHARACTERS),
        supersedes=parse_fact_id(new.supersedes, "supersedes") if new.supersedes else "",
        review_after=day(new.review_after, "review_after"),
        expires=day(new.expires, "expires"),
    )
    refuse_secrets({"fact": fact.text, "topic": fact.topic, "source": fact.source})
    return fact


def retract_fact(facts: Facts, access: Access, given_id: str, reason: str) -> ChangeReceipt:
    """Take a fact back: it is told no more before this returns; its file says when and why.

    Raises:
        UsageError: an argument is wrong, or no assignment is resolved.
        NotFoundError: it is no fact of this assignment.
        StoreError, StorageFullError: it could not be carried out.
    """
    why = one_line(reason, "reason", MAX_REASON_CHARACTERS)
    if not why:
        message = f"reason: it is empty; say why, in 1 to {MAX_REASON_CHARACTERS} characters"
        raise UsageError(message)
    refuse_secrets({"reason": why})

    def retracted(fact: Fact) -> Fact | str:
        if fact.status == "retracted":
            return f"was retracted on {fact.retracted[:10]} already: {fact.reason}"
        return replace(fact, status="retracted", retracted=now(), reason=why)

    return _change(facts, access, given_id, "retracted", retracted)


def approve_fact(facts: Facts, access: Access, given_id: str) -> ChangeReceipt:
    """Let a proposed or retracted fact be told from now on; what it supersedes is retired.

    Raises:
        UsageError, NotFoundError, StoreError, StorageFullError: as `retract_fact`.
    """

    def approved(fact: Fact) -> Fact | str:
        if fact.status == "approved":
            return "is approved already"
        return replace(fact, status="approved", retracted="", reason="")

    return _change(facts, access, given_id, "approved", approved)


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
    for path in sorted(folder.glob("*.md")):
        try:
            yield parse_fact(path.name, read_bytes(path, MAX_FILE_BYTES), folder.name).fact
        except (FactFileError, OSError) as error:
            if refused is not None:
                refused.append(f"{folder.name}/{path.name}: {error}")


def list_facts(facts: Facts, access: Access, refused: list[str]) -> list[Fact]:
    """All facts of who asks, newest first, those that are told no more among them."""
    assignment = assignment_of(access)
    read = read_facts(facts.home, assignment, refused)
    mine = [fact for fact in read if fact.assignment == assignment]
    return sorted(mine, key=lambda fact: (fact.created, fact.id), reverse=True)


def facts_to_review(facts: Facts, access: Access) -> list[Fact]:
    """Facts that hold and are proposed, or due for review, newest first."""
    day_now = today()
    assignment, mine = assignment_of(access), list_facts(facts, access, [])
    proposed = sum(fact.status == "proposed" and fact.holds(day_now) for fact in mine)
    with suppress(StoreError, StorageFullError), facts.changing:  # a hint for the next session
        leave_proposed_count(facts.counts, assignment, proposed)
    return [
        fact
        for fact in mine
        if fact.holds(day_now)
        and (fact.status == "proposed" or (fact.review_after and fact.review_after <= day_now))
    ]


def find_fact(facts: Facts, assignment: str, given_id: str, argument: str) -> Fact:
    """A fact of an assignment by its id.

    Raises:
        UsageError: it is no id.
        NotFoundError: there is no such fact of this assignment; another's is as good as not there.
    """
    wanted = parse_fact_id(given_id, argument)
    found = _there(facts.source(assignment), wanted)
    if found is None or found.assignment != assignment:
        message = f"{argument}: there is no fact {wanted} of {assignment}"
        raise NotFoundError(message)
    return found


def commit_facts(facts: Facts, source: Source, names: Sequence[str], message: str) -> CommitOutcome:
    """Commit files of an assignment's folder, with what other processes wait for."""
    folder = Path(source.root).relative_to(facts.home.root).as_posix()
    return commit_in_home(facts, [f"{folder}/{name}" for name in names], message)


def commit_in_home(facts: Facts, paths: Sequence[str], message: str) -> CommitOutcome:
    """Commit files of the home, with what other processes wait for.

    Args:
        facts: the person's.
        paths: POSIX paths below the home.
        message: of the commit.
    """
    if facts.commit != "each":
        return CommitOutcome("waiting", reason=f"commit.fact is {facts.commit}: commit it yourself")
    top = toplevel(facts.home.root)
    own = git_dir(top) if top else None
    if top is None or own is None:
        return CommitOutcome("no repository", reason=f"{facts.home.root} is no git repository")
    top, own = top.resolve(), own.resolve()
    below = facts.home.root.relative_to(top)
    commits = SharedCommits(top, own, facts.committing(own), facts.protected)
    return commits.commit([(below / path).as_posix() for path in paths], message)


def ensure_facts_home(facts: Facts) -> None:
    """Make the home and its repository where they are missing.

    Raises:
        StorageFullError, GitError: they can't be made.
    """
    if facts.home.only is not None or git_dir(facts.home.root) is not None:
        return
    with facts.changing:
        ensure_home(facts.home)
    commit_in_home(facts, [ATTRIBUTES], "facts: begin")


def index_facts(facts: Facts, source: Source, names: Sequence[str]) -> None:
    """Index files of an assignment's folder now, words complete.

    Raises:
        StoreError, StorageFullError: they can't be indexed now; the next recall tries again.
    """
    facts.store.reopen_if_replaced()
    index_paths(facts.store, source, names)


def leave_count(facts: Facts, source: Source) -> None:
    """Leave for the start of a session how many facts of an assignment wait for review.

    Counted while the lock is held: whoever comes last has seen what all before have indexed.
    """
    day_now, assignment = today(), source.assignment or ""
    proposed = SearchFilters(statuses=("proposed",), assignment=assignment, sources=(source.name,))
    with suppress(StoreError, StorageFullError), facts.changing:  # a hint: what it's about is done
        rows = facts.store.catalogue.documents_passing(proposed)
        expiries = [row.fields.get("expires", "") for row in rows]
        count = sum(not expires or expires > day_now for expires in expiries)
        leave_proposed_count(facts.counts, assignment, count)


def _change(
    facts: Facts,
    access: Access,
    given_id: str,
    what: str,
    changed: Callable[[Fact], Fact | str],
) -> ChangeReceipt:
    """Rewrite a fact's file and what follows from it; a text tells why there is nothing to do."""
    assignment = assignment_of(access)
    source = facts.source(assignment)
    with facts.changing:
        fact = find_fact(facts, assignment, given_id, "document_id")
        after = changed(fact)
        if isinstance(after, str):
            return ChangeReceipt(fact.id, after, None)
        written = [_write(source, after, is_new=False)]
        if after.status == "approved" and after.supersedes:
            old = _there(source, after.supersedes)
            if old is not None and not old.superseded_by:
                written.append(_write(source, replace(old, superseded_by=after.id), is_new=False))
    index_facts(facts, source, written)
    leave_count(facts, source)
    commit = commit_facts(facts, source, written, f"facts: {what} {fact.id} of {assignment}")
    return ChangeReceipt(fact.id, what, commit)


def _write(source: Source, fact: Fact, *, is_new: bool) -> str:
    """Write a fact's file; returns its name."""
    name = f"{fact.id}.md"
    path = Path(source.root, name)
    data = render_fact(fact).encode()
    if not is_new:
        write_atomic(path, data)
        return name
    with suppress(FileExistsError):  # another process has just stored the very same
        write_new(path, data)
    return name


def _there(source: Source, fact_id: str) -> Fact | None:
    folder = Path(source.root)
    path = folder / f"{fact_id}.md"
    try:
        return parse_fact(path.name, read_bytes(path, MAX_FILE_BYTES), folder.name).fact
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (FactFileError, OSError) as error:
        message = f"{path} is not taken for a fact: {error}; mend the file or move it away"
        raise NotFoundError(message) from error


def _revives(there: Fact, new: Fact) -> bool:
    """Whether a fact that is told no more is stored in place of the one that replaced it."""
    return bool(new.supersedes) and bool(there.superseded_by or there.status == "retracted")


def _kept(facts: Facts, there: Fact, warnings: tuple[FactWarning, ...]) -> StoreReceipt:
    """The receipt of a fact that is there already, told or not."""
    why = ""
    if there.status == "retracted":
        why = (
            f"the same fact was retracted on {there.retracted[:10]} ({there.reason}); "
            f"`pit-memory facts review --approve {there.id}` brings it back"
        )
    elif there.superseded_by:
        why = (
            f"the same fact was superseded by {there.superseded_by}; "
            f"store it with supersedes={there.superseded_by} if it holds again"
        )
    elif there.expires and there.expires <= today():
        why = f"the same fact expired on {there.expires}; say it with its new date"
    return StoreReceipt(
        assignment=there.assignment,
        id=there.id,
        is_stored=False,
        is_there=not why,
        status=there.status,
        superseded="",
        warnings=() if not why else warnings,
        commit=None,
        is_retrievable=not why and (there.status == "approved" or facts.tells_proposed),
        why_not=why,
    )


def _warnings(facts: Facts, source: Source, fact: Fact) -> tuple[FactWarning, ...]:
    """Ids of facts that hold and may say the same, or the opposite."""
    if not Path(source.root).is_dir():
        return ()
    try:
        look([LookedStore(facts.store, (source,))])
        request = SearchRequest(
            query=f"{fact.topic} {fact.text}"[:_QUERY_CHARACTERS],
            collection="facts",
            assignment=fact.assignment,
            source=source.name,
            mode="keyword",
        )
        findings, ranked = ranked_sections([facts.searched], analyse(request.query), request)
        names = [chunk.document.path for _, chunk in read_chunks(findings, ranked[:_COMPARED])]
    except (StoreError, StorageFullError):
        return ()  # the write is what counts; the next one compares again
    others = []
    for name in names:
        try:
            other = _there(source, name.removesuffix(".md"))
        except NotFoundError:
            continue
        if other and other.holds(today()) and other.id != fact.supersedes:
            others.append(other)
    return tuple(warnings_for(fact, others))


def _index_and_find(
    facts: Facts, source: Source, names: Sequence[str], fact: Fact
) -> tuple[bool, str]:
    """Index what was written, and search for the fact by its own words."""
    if fact.status == "proposed" and not facts.tells_proposed:
        try:
            index_facts(facts, source, names)
        except (StoreError, StorageFullError) as error:
            return False, f"{error}; the next recall tries again"
        return False, "it waits for `pit-memory facts review`"
    try:
        index_facts(facts, source, names)
        query = analyse(f"{fact.topic} {fact.text}"[:_QUERY_CHARACTERS])
        request = SearchRequest(
            query=query.text,
            collection="facts",
            assignment=fact.assignment,
            source=source.name,
            path=f"{fact.id}.md",
            mode="keyword",
        )
        _, ranked = ranked_sections([facts.searched], query, request)
    except PitMemoryError as error:
        return False, f"{error}; the next recall tries again"
    if ranked or not query.terms.stems:
        return True, ""
    return False, "the index doesn't have it yet; the next recall tries again"
