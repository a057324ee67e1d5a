"""A fact: its file, its identity, its limits. Values and texts only.

A fact's bytes are the marker line and its text; the id is their hash. So the same text is another
fact in another assignment, and what the front matter says may change while the fact stays the same.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from pit_memory.core.facts.assignments import assignment_folder
from pit_memory.core.front_matter.scalars import quote_scalar, read_scalars
from pit_memory.core.text.decoding import decode, with_lf
from pit_memory.core.writing.writings import Writing
from pit_memory.errors import UsageError

FACT_BOUNDS = (1, 2_000)
"""Characters, line ends counted as one, without blank space around."""
MAX_TOPIC_CHARACTERS = 120
MAX_REASON_CHARACTERS = 500
QUERY_BOUNDS = (1, 1_000)
"""Characters of a question to facts."""
RECALL_BOUNDS = (1, 20)
"""Facts that a recall shows."""
DEFAULT_RECALL = 8
ID_DIGITS = 16
FACTS = "facts"
"""The source that stands before `::` in a fact's ref."""

Status = Literal["approved", "proposed", "retracted"]
STATUSES: tuple[Status, ...] = ("approved", "proposed", "retracted")

_MARKER = "<!-- pit-memory:assignment "
_MARKER_END = " -->"
_MARKER_WORD = b"pit-memory:assignment"
_MARKER_ANYWHERE = re.compile(r"<!--\s*pit-memory:assignment\b", re.IGNORECASE)
_NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\ud800-\udfff\ufffe\uffff]")
"""Controls but for tab and line ends, halves of characters: what no fact holds."""
_ID = re.compile(rf"(?:{FACTS}::)?(?P<id>[0-9a-f]{{{ID_DIGITS}}})(?:\.md)?(?:@[0-9a-f]+)?")
_ID_NAME = re.compile(rf"[0-9a-f]{{{ID_DIGITS}}}\.md")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?Z?)?")


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact of one assignment."""

    assignment: str
    text: str
    """NFC, LF, without blank space around; 1 to 2,000 characters."""
    topic: str = ""
    status: Status = "approved"
    created: str = ""
    """ISO 8601 in UTC."""
    author: str = ""
    """Who stored it; empty where nobody knows."""
    source: str = ""
    """Where it comes from, as whoever stored it says."""
    source_id: str = ""
    """Its id where it was imported from."""
    supersedes: str = ""
    """Id of the fact that it replaces."""
    superseded_by: str = ""
    """Id of the fact that replaces it."""
    review_after: str = ""
    """ISO 8601 date from which somebody should look whether it still holds."""
    expires: str = ""
    """ISO 8601 date from which it holds no longer."""
    retracted: str = ""
    """When it was retracted."""
    reason: str = ""
    """Why."""
    file_id: str = ""
    """The id that its file is called by where somebody changed the text there by hand: it keeps
    it, as do those who cite it."""

    @property
    def data(self) -> bytes:
        """The bytes that identify it."""
        return fact_bytes(self.assignment, self.text)

    @property
    def id(self) -> str:
        """Its id, 16 hex digits."""
        return self.file_id or fact_id(self.assignment, self.text)

    @property
    def ref(self) -> str:
        """How it is cited."""
        return f"{FACTS}::{self.id}"

    @property
    def date(self) -> str:
        """The day it was stored."""
        return self.created[:10]

    def holds(self, today: str) -> bool:
        """Whether it may be told at all: neither retracted nor superseded nor expired.

        Args:
            today: ISO 8601 date.
        """
        return (
            self.status != "retracted"
            and not self.superseded_by
            and not (self.expires and self.expires <= today)
        )


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


class FactFileError(ValueError):
    """A file that is no fact of its folder; the message says why, one line."""


@dataclass(frozen=True, slots=True)
class FactFile:
    """A fact as its file has it."""

    fact: Fact
    text_line: int
    """1-based line of the file where the text begins."""
    line_count: int
    notes: tuple[tuple[int, str], ...] = field(default=())
    """Line and what a person should mend there, though the fact is taken."""


def fact_bytes(assignment: str, text: str) -> bytes:
    """The bytes that identify a fact: the marker line, then the text, each ended by LF."""
    return f"{_MARKER}{assignment}{_MARKER_END}\n{text}\n".encode()


def fact_id(assignment: str, text: str) -> str:
    """The id of a fact, 16 hex digits."""
    from hashlib import sha256  # 4 ms that hooks, which read settings, need not pay

    return sha256(fact_bytes(assignment, text)).hexdigest()[:ID_DIGITS]


def is_fact_ref(ref: str) -> bool:
    """Whether a ref names a fact, be there one or not."""
    return ref.strip().startswith(f"{FACTS}::")


def parse_fact_id(given: str, argument: str) -> str:
    """The id that a ref, a file's name or an id names.

    Raises:
        UsageError: it is none.
    """
    if found := _ID.fullmatch(given.strip().lower()):
        return found["id"]
    message = f"{argument}: {given[:60]!r} is no id of a fact; give its {ID_DIGITS} hex digits"
    raise UsageError(message)


def fact_text(text: str, argument: str = "fact") -> str:
    """A fact's text as it is kept: NFC, LF, without blank space around.

    Raises:
        UsageError: it is empty, too long, no text, or poses as a fact of some assignment.
    """
    kept = unicodedata.normalize("NFC", with_lf(text.removeprefix("\ufeff"))).strip()
    least, most = FACT_BOUNDS
    if not least <= len(kept) <= most:
        message = f"{argument}: {len(kept):,} characters; it must have {least} to {most:,}"
        raise UsageError(message)
    _refuse_what_is_no_text(argument, kept)
    if found := _MARKER_ANYWHERE.search(kept):
        line = kept.count("\n", 0, found.start()) + 1
        message = (
            f"{argument}: line {line} holds the mark of an assignment ({found[0]!r}), "
            "which only pit-memory writes; say it in other words"
        )
        raise UsageError(message)
    return kept


def one_line(text: str, argument: str, most: int) -> str:
    """A short text of one line, NFC, without blank space around.

    Raises:
        UsageError: it is too long, has several lines or is no text.
    """
    kept = unicodedata.normalize("NFC", text).strip()
    if len(kept) > most:
        message = f"{argument}: {len(kept):,} characters; it may have {most:,} at most"
        raise UsageError(message)
    _refuse_what_is_no_text(argument, kept)
    if len(kept.splitlines()) > 1:
        message = f"{argument}: {kept[:60]!r} must be one line"
        raise UsageError(message)
    return kept


def day(text: str, argument: str) -> str:
    """An ISO 8601 date, empty for none.

    Raises:
        UsageError: it is none.
    """
    kept = text.strip()
    if kept and not _is_day(kept):
        message = f"{argument}: {kept[:60]!r} is no date; write it as 2027-01-31"
        raise UsageError(message)
    return kept


def question(query: str) -> str:
    """A question to facts, without blank space around.

    Raises:
        UsageError: it is empty or too long.
    """
    asked = query.strip()
    least, most = QUERY_BOUNDS
    if not least <= len(asked) <= most:
        message = f"query: {len(asked):,} characters; it must have {least} to {most:,}"
        raise UsageError(message)
    return asked


def recall_limit(limit: int) -> int:
    """How many facts a recall may show.

    Raises:
        UsageError: out of bounds.
    """
    least, most = RECALL_BOUNDS
    if not least <= limit <= most:
        message = f"limit: {limit}; it must be {least} to {most}"
        raise UsageError(message)
    return limit


def render_fact(fact: Fact) -> str:
    """The text of a fact's file."""
    return f"---\n{_front_matter(fact)}---\n{fact.data.decode()}"


def render_written_fact(writing: Writing, identity: str) -> str:
    """The text of the file of a fact that is written like any other kind.

    Args:
        writing: its fields name the assignment, and the topic where it has one.
        identity: its id, as `written_fact_id` says.
    """
    fact = _written(writing)
    if fact.id != identity:
        message = f"{identity} is not the id of this fact, which is {fact.id}"
        raise AssertionError(message)
    return render_fact(fact)


def written_fact_id(writing: Writing) -> str:
    """The id of a fact that is written like any other kind."""
    return _written(writing).id


def _written(writing: Writing) -> Fact:
    return Fact(
        assignment=str(writing.fields["assignment"]),
        text=fact_text(writing.body, "content"),
        topic=str(writing.fields.get("topic", "")),
        created=writing.created,
        author=writing.author,
    )


def parse_fact(path: str, data: bytes, folder: str) -> FactFile:
    """Read a fact's file: folder, front matter and marker must name the same assignment.

    Args:
        path: of the file below the assignment's folder, where it lies at the top.
        data: its bytes.
        folder: name of the assignment's folder.

    Raises:
        FactFileError: they don't agree, or it is no fact.
    """
    if "/" in path:
        raise FactFileError(f"it lies in {path.rpartition('/')[0]}/; move it up into {folder}")
    text = unicodedata.normalize("NFC", decode(data).text)
    lines = text.split("\n")
    front = read_scalars(lines)
    if front.body_line == 1:
        raise FactFileError("it has no front matter: facts are written by `facts store`")
    assignment, status = front.values.get("assignment", ""), front.values.get("status", "")
    marked = _marked(lines, front.body_line)
    if not assignment or marked != assignment:
        raise FactFileError(
            f"its front matter names the assignment {assignment!r}, its marker {marked!r}"
        )
    if assignment_folder(assignment) != folder:
        raise FactFileError(
            f"it belongs to the assignment {assignment!r}, whose folder is "
            f"{assignment_folder(assignment)}, and lies in {folder}"
        )
    known = next((name for name in STATUSES if name == status), None)
    if known is None:
        raise FactFileError(f"its status is {status!r}; it must be one of {', '.join(STATUSES)}")
    body = "\n".join(lines[front.body_line :])
    try:
        kept = fact_text(body)
    except UsageError as error:
        raise FactFileError(str(error)) from error
    others = {name: front.values.get(name, "") for name in _PLAIN_FIELDS}
    _check_days(others)
    fact = Fact(assignment=assignment, text=kept, status=known, **others)
    notes = list(front.problems)
    if path != f"{fact.id}.md":
        if not _ID_NAME.fullmatch(path):
            raise FactFileError(f"its name must be its id: rename it to {fact.id}.md")
        notes.append((0, f"its text was changed by hand: its name would be {fact.id}.md now"))
        fact = replace(fact, file_id=path.removesuffix(".md"))
    blank = len(body) - len(body.lstrip())
    text_line = front.body_line + 1 + body.count("\n", 0, blank)
    return FactFile(fact, text_line, len(lines) - (not lines[-1]), tuple(notes))


_PLAIN_FIELDS = (
    *("topic", "created", "author", "source", "source_id", "supersedes", "superseded_by"),
    *("review_after", "expires", "retracted", "reason"),
)
_DAYS = ("review_after", "expires")


def _front_matter(fact: Fact) -> str:
    values: Mapping[str, str] = {
        "assignment": fact.assignment,
        "topic": fact.topic,
        "status": fact.status,
    } | {name: getattr(fact, name) for name in _PLAIN_FIELDS if name != "topic"}
    return "".join(f"{name}: {quote_scalar(value)}\n" for name, value in values.items() if value)


def is_fact_file(data: bytes) -> bool:
    """Whether a file says that it is a fact, wherever it lies and whatever else is wrong with it.

    Its text begins with the marker, below front matter or without one. A page that only shows what
    such a file looks like does not begin so.
    """
    return _MARKER_ANYWHERE.match(_first_of_body(data)) is not None


def names_assignment(data: bytes, assignment: str) -> bool:
    """Whether the marker of a file says that it is a fact of an assignment, wherever it lies."""
    return assignment_named(data) == assignment


def assignment_named(data: bytes) -> str:
    """The assignment of whose facts the marker of a file says it is; empty where there is none."""
    return _marked([_first_of_body(data)], 1)


def _first_of_body(data: bytes) -> str:
    """The first line of a file's body that says something; empty where no marker is in the file."""
    if _MARKER_WORD not in data.lower():
        return ""
    lines = unicodedata.normalize("NFC", decode(data).text).split("\n")
    body = lines[read_scalars(lines).body_line - 1 :]
    return next((line.strip() for line in body if line.strip()), "")


def _marked(lines: list[str], number: int) -> str:
    """The assignment that the marker names; empty where there is none.

    Args:
        lines: of the file.
        number: 1-based line where it must stand.
    """
    line = lines[number - 1].rstrip() if number <= len(lines) else ""
    if not line.startswith(_MARKER) or not line.endswith(_MARKER_END):
        return ""
    return line[len(_MARKER) : -len(_MARKER_END)]


def _check_days(values: Mapping[str, str]) -> None:
    """A date that can't be read is no limit at all: such a fact is not told."""
    for name in _DAYS:
        if values[name] and not _is_day(values[name]):
            raise FactFileError(f"{name} is {values[name]!r}; write a date as 2027-01-31")


def _is_day(text: str) -> bool:
    if not _DATE.fullmatch(text):
        return False
    month, date = int(text[5:7]), int(text[8:10])
    return 1 <= month <= 12 and 1 <= date <= 31


def _refuse_what_is_no_text(argument: str, text: str) -> None:
    if found := _NO_TEXT.search(text):
        line = text.count("\n", 0, found.start()) + 1
        message = f"{argument}: U+{ord(found[0]):04X} in line {line} is no text; leave it out"
        raise UsageError(message)
