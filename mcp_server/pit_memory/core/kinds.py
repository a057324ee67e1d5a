"""The kinds of knowledge: one table, which every part reads and none repeats."""

from collections.abc import Callable
from typing import Literal

from pit_memory.core.facts.facts import FACTS, render_written_fact, written_fact_id
from pit_memory.core.incidents.incident_writing import check_incident, incident_id, render_incident
from pit_memory.core.push.memory_entries import DEFAULT_HOME
from pit_memory.core.push.push_entries import check_entry, render_push_entry
from pit_memory.core.records import NamedTuple
from pit_memory.core.text.nearest import nearest
from pit_memory.core.text.slugs import slug_of
from pit_memory.core.writing.drafts import render_draft
from pit_memory.core.writing.homes import DRAFTS_HOME, INCIDENTS_HOME
from pit_memory.core.writing.writings import Writing
from pit_memory.errors import UnknownCollectionError, UsageError

Collection = Literal["docs", "incidents", "facts", "memory", "canary"]
Scope = Literal["project", "personal"]
CommitPolicy = Literal["each", "wrapup", "never"]

COMMIT_POLICIES: tuple[CommitPolicy, ...] = ("each", "wrapup", "never")
"""At once; together with others when the person asks for it; by the person alone."""


def _slug_of_title(writing: Writing) -> str:
    """The id of what is named by its title; empty where the title has no letter or digit."""
    return slug_of(writing.title)


def _accept(_: Writing) -> None:
    """Nothing to check."""


class Form(NamedTuple):
    """How a kind is written."""

    home: str
    """Its folder, relative to the root of the scope it is written in."""
    file: str
    """Name of its file; `{kind}` and `{id}` are filled in."""
    render: Callable[[Writing, str], str]
    """The text of its file, from what is written and its id."""
    route: str
    """Why it goes there, as the writer is told."""
    home_setting: str = ""
    """Dotted name of the setting that names another folder of the project."""
    identify: Callable[[Writing], str] = _slug_of_title
    """Its id; empty where there is none."""
    check: Callable[[Writing], None] = _accept
    """Raises UsageError for what it can't hold."""
    required: tuple[str, ...] = ()
    """Front matter it can't do without."""
    scopes: tuple[Scope, ...] = ("project",)
    """Where it may be written; the first one is meant where none is named."""
    commit: CommitPolicy = "each"
    """Unless the setting `commit.<kind>` says otherwise."""
    is_draft: bool = False
    """It waits to be published: a site must leave it out until then."""


class Kind(NamedTuple):
    """A row: what is written, and how it is found again."""

    name: str
    collection: Collection
    audience: str
    """Who may read it unless the document says otherwise: `team`, `customer`, `ai_internal`."""
    aliases: tuple[str, ...] = ()
    """Other names people give it."""
    form: Form | None = None
    """How it is written; None where nothing writes it."""
    instead: str = ""
    """What to do where nothing writes it."""


_ENTRY = Form(
    home=DEFAULT_HOME,
    home_setting="memory.home",
    file="{kind}_{id}.md",
    render=render_push_entry,
    check=check_entry,
    route="nobody would search for it, so every session starts with it",
    scopes=("project", "personal"),
)
_PREFERENCE = Form(
    home=DEFAULT_HOME,
    home_setting="memory.home",
    file="{kind}_{id}.md",
    render=render_push_entry,
    check=check_entry,
    route="it is about a person's ways, so that person's sessions start with it",
    scopes=("personal", "project"),
)
_DRAFT = Form(
    home=DRAFTS_HOME,
    file="{id}.md",
    render=render_draft,
    route="somebody would look it up, so it is searched when asked for; it costs no session",
    is_draft=True,
)

_FACT = Form(
    home=FACTS,  # of the person, a folder for each assignment below it (`workspace.fact_home`)
    file="{id}.md",
    render=render_written_fact,
    identify=written_fact_id,
    route="it belongs to one assignment, so it is told to that one alone",
    required=("assignment",),
)

KINDS = (
    Kind(
        "document",
        "docs",
        "team",
        instead="it is what was there already; write a reference, or edit the page itself",
    ),
    Kind("reference", "docs", "team", aliases=("doc", "system"), form=_DRAFT),
    Kind("rule", "memory", "team", form=_ENTRY),
    Kind("gotcha", "memory", "team", aliases=("feedback",), form=_ENTRY),
    Kind("preference", "memory", "team", form=_PREFERENCE),
    Kind(
        "incident",
        "incidents",
        "team",
        form=Form(
            home=INCIDENTS_HOME,
            home_setting="incidents.home",
            file="{id}.md",
            render=render_incident,
            identify=incident_id,
            check=check_incident,
            route="it happened, so whoever sees its symptom again is told by incidents_search",
        ),
    ),
    Kind("fact", "facts", "ai_internal", form=_FACT),
)
WRITTEN_KINDS = tuple(kind for kind in KINDS if kind.form)

CANARY: Collection = "canary"
"""A server's own document, by which it checks itself; no answer to anybody's question."""

_SEARCHED: dict[str, tuple[Collection, ...]] = {
    "docs": ("docs", "memory"),  # a rule answers a question as well as a page does
    "memory": ("memory",),
    "incidents": ("incidents",),
    "facts": ("facts",),
}


def written_kind(name: str) -> tuple[Kind, Form]:
    """The kind that somebody wants to write, by its name or another name of it, and its form.

    Raises:
        UsageError: there is none of that name (the nearest is named), or nothing writes it.
    """
    asked = name.strip().lower()
    for kind in KINDS:
        if asked in (kind.name, *kind.aliases):
            if kind.form is None:
                message = f"kind: {kind.name} can't be written: {kind.instead}"
                raise UsageError(message)
            return kind, kind.form
    names = {other: kind.name for kind in KINDS for other in (kind.name, *kind.aliases)}
    near = nearest(asked, names)
    guess = f"; did you mean {names[near]}?" if near else "."
    known = ", ".join(kind.name for kind in WRITTEN_KINDS)
    message = f"kind: there is no {name!r}{guess} There are {known}"
    raise UsageError(message)


def searched_collections(name: str) -> tuple[Collection, ...]:
    """The collections that a search of one goes through.

    Raises:
        UnknownCollectionError: there is none of that name; the message has the nearest.
    """
    if name == CANARY:
        return (CANARY,)
    if name in _SEARCHED:
        return _SEARCHED[name]
    near = nearest(name, _SEARCHED)
    guess = f"; did you mean {near}?" if near else ""
    message = f"no collection {name!r}{guess} There are {', '.join(_SEARCHED)}."
    raise UnknownCollectionError(message)
