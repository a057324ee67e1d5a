"""The settings: one record, and the table of keys made from it.

A key is one line: a field of a table's record, made by `setting_key`. Validation, the environment's
names, the reference page and the trust rule all come from it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, make_dataclass
from typing import Any, Literal

from pit_memory.core.answers.answers import (
    BUDGET_BOUNDS,
    DEFAULT_BUDGET,
    DEFAULT_LIMIT,
    LIMIT_BOUNDS,
)
from pit_memory.core.corpus.corpora import DEFAULT_RULES, CorpusRule
from pit_memory.core.facts.assignments import AUTO, assignment_name
from pit_memory.core.kinds import COMMIT_POLICIES, WRITTEN_KINDS, CommitPolicy, Form, Kind
from pit_memory.core.push.memory_entries import DEFAULT_HOME
from pit_memory.core.push.session_block import DEFAULT_BUDGET as PUSH_BUDGET
from pit_memory.core.settings.added_sources import PERSONAL_SOURCES, PROJECT_SOURCES, AddedSource
from pit_memory.core.settings.corpus_setting import CORPORA
from pit_memory.core.settings.engine_settings import EmbeddingSettings, VectorsSettings
from pit_memory.core.settings.lint_rules import DEFAULT_LONGEST, RULES_OFF, RuleOff
from pit_memory.core.settings.push_setting_values import BUDGET, HOME
from pit_memory.core.settings.server_settings import AuthSettings, FetchSettings, ServerSettings
from pit_memory.core.settings.setting_keys import Key, key_of, setting_key
from pit_memory.core.settings.setting_values import (
    FIELD_MAPPING,
    GLOBS,
    PATH,
    Takes,
    one_of,
    text,
    whole_number,
)
from pit_memory.core.writing.homes import INCIDENTS_HOME, POSTMORTEM_FOLDERS
from pit_memory.errors import UsageError


def _is_absolute(path: str) -> bool:
    return path.startswith(("/", "~/")) and "\0" not in path


_ASSIGNMENT_WORDS = 'an assignment\'s name, or "auto"'


def _read_assignment(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(_ASSIGNMENT_WORDS)  # noqa: TRY004 -- all wrong values are one error
    try:
        return assignment_name(value) if value else ""
    except UsageError as error:
        message = f"{_ASSIGNMENT_WORDS} ({error})"
        raise ValueError(message) from error


@dataclass(frozen=True, slots=True)
class DocsSettings:
    """What is indexed."""

    include: tuple[str, ...] = setting_key(
        (),
        GLOBS,
        "Files to index; empty means every markdown file. Name other formats: `papers/*.pdf`.",
        guards=True,
    )
    exclude: tuple[str, ...] = setting_key(
        (), GLOBS, "Files and folders that are never indexed.", guards=True
    )
    hidden: tuple[str, ...] = setting_key(
        (), GLOBS, "Hidden files and folders (names that begin with a dot) to index all the same."
    )
    max_file_bytes: int = setting_key(
        10_000_000, whole_number(1, 1_000_000_000), "Larger files are left out, in bytes."
    )
    sources: tuple[AddedSource, ...] = setting_key(
        (),
        PROJECT_SOURCES,
        "Folders of this tree that are sources of their own (`docs add`).",
        guards=True,
    )


@dataclass(frozen=True, slots=True)
class PersonalSettings:
    """What belongs to the person, in whichever project."""

    sources: tuple[AddedSource, ...] = setting_key(
        (),
        PERSONAL_SOURCES,
        "Your own folders (`docs add`), such as vaults, and the projects they are searched in.",
        by="person",
    )


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How a search answers."""

    limit: int = setting_key(
        DEFAULT_LIMIT, whole_number(*LIMIT_BOUNDS), "Hits of `pit-memory search` at most."
    )
    budget: int = setting_key(
        DEFAULT_BUDGET,
        whole_number(*BUDGET_BOUNDS),
        "Size of an answer of `pit-memory search` at most, in tokens.",
    )
    boost: tuple[str, ...] = setting_key((), GLOBS, "Files whose sections rank higher.")
    exclude: tuple[str, ...] = setting_key(
        (), GLOBS, "Files that are indexed and never an answer.", guards=True
    )


@dataclass(frozen=True, slots=True)
class SectionsSettings:
    """The checked-in section index."""

    corpora: tuple[CorpusRule, ...] = setting_key(
        DEFAULT_RULES, CORPORA, "Which files a section index covers, and where it lies."
    )


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """Push memory: the entries of this project."""

    home: str = setting_key(DEFAULT_HOME, HOME, "Folder of the project's rules and gotchas.")


@dataclass(frozen=True, slots=True)
class IncidentsSettings:
    """Records of incidents: how something was fixed last time."""

    home: str = setting_key(
        INCIDENTS_HOME,
        PATH,
        "Folder of the project's incident records; new ones are written there.",
    )
    include: tuple[str, ...] = setting_key(
        POSTMORTEM_FOLDERS, GLOBS, "Other files that are incident records, such as old postmortems."
    )
    fields: tuple[str, ...] = setting_key(
        (),
        FIELD_MAPPING,
        "Which keys of an export hold which field of a record, such as `cause = custom.why`.",
    )


@dataclass(frozen=True, slots=True)
class PushSettings:
    """What a session gets without asking."""

    budget: int = setting_key(
        PUSH_BUDGET,
        BUDGET,
        "Size of everything a session starts with at most, in tokens.",
    )


def _commit_key(kind: Kind, form: Form) -> tuple[str, type, Any]:
    words = f"When a new {kind.name} is committed; `wrapup` is `remember --commit-waiting`."
    return kind.name, str, setting_key(form.commit, one_of(*COMMIT_POLICIES), words)


PROTECTED = setting_key(
    (), GLOBS, "Branches on which nothing is committed, as they change by pull request alone."
)
CommitSettings = make_dataclass(
    "CommitSettings",
    [
        *(_commit_key(kind, kind.form) for kind in WRITTEN_KINDS if kind.form),
        ("protected", tuple[str, ...], PROTECTED),
    ],
    frozen=True,
    slots=True,
)
"""When what was written is committed: a key for every kind of `core.kinds` that is written."""


@dataclass(frozen=True, slots=True)
class FactsSettings:
    """Facts of an assignment."""

    home: str = setting_key(
        "",
        text("an absolute path, or one that begins with ~/", _is_absolute),
        "Folder of all facts; empty: `facts` in pit-memory's data folder.",
        by="person",
        guards=True,
    )
    review: Literal["off", "required"] = setting_key(
        "off",
        one_of("off", "required"),
        "Whether a new fact waits for a person (`facts review`) before it is told.",
        by="person",
        guards=True,
    )


@dataclass(frozen=True, slots=True)
class LintSettings:
    """The doc standard."""

    longest: int = setting_key(
        DEFAULT_LONGEST,
        whole_number(50, 10_000),
        "Text below one heading at most, in tokens; more is a `long-section`.",
    )
    off: tuple[RuleOff, ...] = setting_key(
        (), RULES_OFF, "Rules that don't hold here: `rule`, `reason`, and `paths` to say where."
    )


@dataclass(frozen=True, slots=True)
class PublishSettings:
    """How a draft becomes a page."""

    to: str = setting_key("docs/reference", PATH, "Folder that published drafts go to.")
    via: str = setting_key(
        "commit",
        one_of("commit", "pr"),
        "Commit to the current branch, or push a branch and open one pull request; on a branch of "
        "`commit.protected` it is always the latter.",
    )


@dataclass(frozen=True, slots=True)
class LinksSettings:
    """Addresses for people."""

    forge: Literal["auto", "github", "gitlab", "gitea", "bitbucket"] = setting_key(
        "auto",
        one_of("auto", "github", "gitlab", "gitea", "bitbucket"),
        "What the git remote is, where the name of its host doesn't tell.",
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting with its value: one field a TOML table, but for those above them."""

    assignment: str = setting_key(
        "",
        Takes(_ASSIGNMENT_WORDS, _read_assignment, str),
        "Scope of facts in this project: a name, or `auto` for the repository's identity; "
        "empty: no facts.",
        by="person",
        harmless=(AUTO,),
        guards=True,
    )
    docs: DocsSettings = field(default_factory=DocsSettings)
    personal: PersonalSettings = field(default_factory=PersonalSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    vectors: VectorsSettings = field(default_factory=VectorsSettings)
    sections: SectionsSettings = field(default_factory=SectionsSettings)
    memory: MemorySettings = field(default_factory=MemorySettings)
    incidents: IncidentsSettings = field(default_factory=IncidentsSettings)
    push: PushSettings = field(default_factory=PushSettings)
    lint: LintSettings = field(default_factory=LintSettings)
    links: LinksSettings = field(default_factory=LinksSettings)
    publish: PublishSettings = field(default_factory=PublishSettings)
    commit: Any = field(default_factory=CommitSettings)
    server: ServerSettings = field(default_factory=ServerSettings)
    auth: AuthSettings = field(default_factory=AuthSettings)
    facts: FactsSettings = field(default_factory=FactsSettings)
    fetch: FetchSettings = field(default_factory=FetchSettings)

    def commit_policy(self, kind: str) -> CommitPolicy:
        """When a new file of a kind is committed.

        Args:
            kind: name of a row of `core.kinds` that is written.
        """
        policy: CommitPolicy = getattr(self.commit, kind)
        return policy


_DEFAULTS = Settings()
_ABOVE_TABLES = [part for part in fields(Settings) if part.metadata]
TABLES: Mapping[str, type] = {
    part.name: type(getattr(_DEFAULTS, part.name))
    for part in fields(Settings)
    if part not in _ABOVE_TABLES
}
"""The record behind each TOML table."""


def _keys() -> Iterator[Key]:
    for part in _ABOVE_TABLES:
        yield key_of(part)
    for table, record in TABLES.items():
        for part in fields(record):
            yield key_of(part, table)


KEYS: Mapping[str, Key] = {key.name: key for key in _keys()}
"""Every key by name, in the order of the reference page."""


def settings_of(values: Mapping[str, object]) -> Settings:
    """Make the settings from checked values by dotted name; missing ones are at their default."""
    by_table: dict[str, dict[str, object]] = {table: {} for table in ("", *TABLES)}
    for name, value in values.items():
        table, _, last = name.rpartition(".")
        by_table[table][last] = value
    above: dict[str, Any] = by_table.pop("")
    return Settings(**above, **{table: TABLES[table](**by_table[table]) for table in TABLES})
