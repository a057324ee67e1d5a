"""The tools an agent sees: resolve, call one operation, render."""

from collections.abc import Callable
from typing import Annotated, Protocol

from pydantic import Field

from pit_memory.core.answers.answer_text import answer_text
from pit_memory.core.answers.answers import (
    BUDGET_BOUNDS,
    DEFAULT_BUDGET,
    DEFAULT_LIMIT,
    LIMIT_BOUNDS,
    SearchAnswer,
)
from pit_memory.core.answers.read_answers import ReadAnswer
from pit_memory.core.answers.read_text import read_text
from pit_memory.core.facts.fact_answers import (
    ChangeReceipt,
    RecallAnswer,
    StoreReceipt,
    change_text,
    recall_text,
    store_text,
)
from pit_memory.core.facts.facts import (
    DEFAULT_RECALL,
    FACT_BOUNDS,
    MAX_REASON_CHARACTERS,
    MAX_TOPIC_CHARACTERS,
    QUERY_BOUNDS,
    RECALL_BOUNDS,
    NewFact,
)
from pit_memory.core.serving.access import Access
from pit_memory.core.serving.write_request import WriteRequest
from pit_memory.core.writing.receipt_text import receipt_text
from pit_memory.core.writing.receipts import WriteReceipt
from pit_memory.operations.reading.read import DEFAULT_BUDGET as READ_BUDGET
from pit_memory.operations.searching.search import SearchRequest
from pit_memory.server.errors import errors_for_the_agent

MAX_ANSWER_CHARS = 8000
"""Clients put longer results into files, where the agent has to read them back."""
MAX_QUERY_CHARS = 10_000
"""A whole stack trace fits."""
MAX_PASTED_CHARS = 50_000
"""A whole log of a crash, or an alert's payload."""
MAX_REF_CHARS = 2000

Query = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_QUERY_CHARS,
        description="The user's question, or names, flags, error texts",
    ),
]
Limit = Annotated[int, Field(ge=LIMIT_BOUNDS[0], le=LIMIT_BOUNDS[1])]
Budget = Annotated[int, Field(ge=BUDGET_BOUNDS[0], le=BUDGET_BOUNDS[1])]
Service = str | None
Since = Annotated[str | None, Field(description="2024-05-17 or 90d")]
Pasted = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_PASTED_CHARS,
        description="Symptom, or a trace, log or alert pasted whole",
    ),
]
PathFilter = Annotated[
    str | None, Field(description="Only this folder, file or glob, such as docs/ops")
]
Tags = Annotated[list[str] | None, Field(description="Only documents with all of these tags")]
FollowLinks = Annotated[bool, Field(description="Also refs it links to and from")]
IncludeDrafts = Annotated[bool, Field(description="Also what nobody has published yet")]
Ref = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_REF_CHARS,
        description="path#anchor@hash as a search gave it; also path or path:L40-L58",
    ),
]


Content = Annotated[str, Field(description="Markdown")]
WrittenKind = Annotated[str, Field(description="rule, gotcha, preference, reference or incident")]
Title = str
WriteScope = Annotated[str, Field(description="project or personal")]
TriggerTool = Annotated[str, Field(description="Tell a gotcha at calls of it: Bash|Edit")]
TriggerPattern = Annotated[str, Field(description="Regex; only those calls")]
Force = Annotated[bool, Field(description="Though it may be there")]


Fact = Annotated[str, Field(min_length=FACT_BOUNDS[0], max_length=FACT_BOUNDS[1])]
Topic = Annotated[str, Field(max_length=MAX_TOPIC_CHARACTERS)]
Supersedes = Annotated[str, Field(description="Id of the fact it replaces")]
FactQuery = Annotated[str, Field(min_length=QUERY_BOUNDS[0], max_length=QUERY_BOUNDS[1])]
FactLimit = Annotated[int, Field(ge=RECALL_BOUNDS[0], le=RECALL_BOUNDS[1])]
Reason = Annotated[str, Field(min_length=1, max_length=MAX_REASON_CHARACTERS)]


class Services(Protocol):
    """What the tools ask for; `wiring` makes it."""

    def recall(self, access: Access, query: str, limit: int) -> RecallAnswer:
        """Answer a question with the facts of who asks."""

    def store_fact(self, access: Access, new: NewFact) -> StoreReceipt:
        """Store one fact for who asks."""

    def retract_fact(self, access: Access, fact_id: str, reason: str) -> ChangeReceipt:
        """Take a fact of who asks back."""

    def read_fact(self, access: Access, ref: str, budget: int) -> ReadAnswer:
        """Show a fact of who asks."""

    def search(self, request: SearchRequest) -> SearchAnswer:
        """Look, then answer by both legs."""

    def read(
        self, ref: str, budget: int, audiences: tuple[str, ...], *, links: bool = False
    ) -> ReadAnswer:
        """Show what a citation names; documents of other audiences don't exist."""

    def write(self, request: WriteRequest) -> WriteReceipt:
        """Write one piece of knowledge to the home of its kind."""


class ServicesForOne(Protocol):
    """The services as the connection of a call sees them (`server.access`)."""

    def recall(self, query: str, limit: int) -> RecallAnswer:
        """Answer a question with facts of the connection's assignment."""

    def store_fact(self, new: NewFact) -> StoreReceipt:
        """Store one fact for that assignment."""

    def retract_fact(self, fact_id: str, reason: str) -> ChangeReceipt:
        """Take one back."""

    def search(self, request: SearchRequest) -> SearchAnswer:
        """Look, then answer by both legs."""

    def read(self, ref: str, budget: int, *, links: bool = False) -> ReadAnswer:
        """Show what a citation names."""

    def write(self, request: WriteRequest) -> WriteReceipt:
        """Write one piece of knowledge to the home of its kind."""


class Tools:
    """The tools over one set of services; safe to call from several threads where those are."""

    def __init__(self, services: ServicesForOne) -> None:
        self._services = services

    def docs_search(
        self,
        query: Query,
        limit: Limit = DEFAULT_LIMIT,
        budget: Budget = DEFAULT_BUDGET,
        path: PathFilter = None,
        tags: Tags = None,
        include_drafts: IncludeDrafts = True,
    ) -> str:
        """Search the project's docs, drafts and added sources: best sections, with refs to cite.

        Use it first for questions about how this project or its systems work, why, and how to run,
        configure or fix something: cheaper than opening files. For every place of one known literal
        string, grep is better.
        """

        def answer(tokens: int) -> str:
            request = SearchRequest(
                query=query,
                limit=limit,
                budget=tokens,
                path=path,
                tags=tuple(tags or ()),
                include_drafts=include_drafts,
            )
            return answer_text(self._services.search(request))

        with errors_for_the_agent():
            return _short_enough(answer, budget)

    def incidents_search(
        self,
        query: Pasted,
        limit: Limit = DEFAULT_LIMIT,
        budget: Budget = DEFAULT_BUDGET,
        service: Service = None,
        since: Since = None,
    ) -> str:
        """How was this fixed last time: past incidents with symptom, cause and resolution.

        For errors, alerts and outages, before you debug.
        """

        def answer(tokens: int) -> str:
            request = SearchRequest(
                query=query,
                limit=limit,
                budget=tokens,
                collection="incidents",
                services=(service,) if service else (),
                since=since or "",
            )
            return answer_text(self._services.search(request))

        with errors_for_the_agent():
            return _short_enough(answer, budget)

    def docs_read(self, ref: Ref, budget: Budget = READ_BUDGET, links: FollowLinks = False) -> str:
        """Read a section, line range, PDF page or file by its ref, as it is now, with line numbers.

        Says whether the cited text is the same, moved, changed or gone since the ref was made.
        """
        with errors_for_the_agent():
            return _short_enough(
                lambda tokens: read_text(self._services.read(ref, tokens, links=links)), budget
            )

    def memory_write(
        self,
        content: Content,
        kind: WrittenKind,
        title: Title = "",
        scope: WriteScope = "",
        trigger_tool: TriggerTool = "",
        trigger_pattern: TriggerPattern = "",
        force: Force = False,
    ) -> str:
        """Write down at once what was learned: a new file, committed alone, found at once.

        rule, gotcha (the obvious move is wrong): nobody would search for it. reference: somebody
        would look it up. incident: symptom, cause, resolution.
        """
        request = WriteRequest(
            content=content,
            kind=kind,
            title=title,
            scope=scope,
            fields={"trigger_tool": trigger_tool, "trigger_pattern": trigger_pattern},
            force=force,
        )
        with errors_for_the_agent():
            return receipt_text(self._services.write(request))[:MAX_ANSWER_CHARS]

    def kb_memory_store(self, fact: Fact, topic: Topic = "", supersedes: Supersedes = "") -> str:
        """Keep a durable fact (up to 2,000 characters) of this assignment for later sessions."""
        with errors_for_the_agent():
            new = NewFact(fact, topic=topic, supersedes=supersedes)
            return store_text(self._services.store_fact(new))

    def kb_memory_recall(self, query: FactQuery, limit: FactLimit = DEFAULT_RECALL) -> str:
        """Find facts kept for this assignment, newest first among equals."""
        with errors_for_the_agent():
            return recall_text(self._services.recall(query, limit))[:MAX_ANSWER_CHARS]

    def kb_memory_retract(self, document_id: str, reason: Reason) -> str:
        """Take a kept fact back: it is recalled no more."""
        with errors_for_the_agent():
            return change_text(self._services.retract_fact(document_id, reason))


def _short_enough(answer: Callable[[int], str], budget: int) -> str:
    """The answer for a budget, or for the largest smaller one that keeps to `MAX_ANSWER_CHARS`."""
    text = answer(budget)
    while len(text) > MAX_ANSWER_CHARS and budget > BUDGET_BOUNDS[0]:
        budget = max(BUDGET_BOUNDS[0], int(budget * MAX_ANSWER_CHARS / len(text) * 0.95))
        text = answer(budget)
    return text[:MAX_ANSWER_CHARS]
