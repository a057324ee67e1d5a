"""The settings: one record, and the table of keys made from it.

A key is one line: a field of a table's record, made by `_key`. Validation, the environment's names,
the reference page and the trust rule all come from it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, make_dataclass
from typing import Any, Literal

from pit_memory.core.added_sources import PERSONAL_SOURCES, PROJECT_SOURCES, AddedSource
from pit_memory.core.answers import BUDGET_BOUNDS, DEFAULT_BUDGET, DEFAULT_LIMIT, LIMIT_BOUNDS
from pit_memory.core.assignments import AUTO, assignment_name
from pit_memory.core.corpora import DEFAULT_RULES, CorpusRule
from pit_memory.core.corpus_setting import CORPORA
from pit_memory.core.homes import INCIDENTS_HOME, POSTMORTEM_FOLDERS
from pit_memory.core.jwt_setting import JWT, JwtRule
from pit_memory.core.kinds import COMMIT_POLICIES, WRITTEN_KINDS, CommitPolicy, Form, Kind
from pit_memory.core.lint_rules import DEFAULT_LONGEST, RULES_OFF, RuleOff
from pit_memory.core.memory_entries import DEFAULT_HOME
from pit_memory.core.push_setting_values import BUDGET, HOME
from pit_memory.core.session_block import DEFAULT_BUDGET as PUSH_BUDGET
from pit_memory.core.setting_values import (
    FIELD_MAPPING,
    FILE,
    FLAG,
    GLOBS,
    NAMES,
    PATH,
    WEB_ADDRESS,
    Takes,
    one_of,
    text,
    whole_number,
)
from pit_memory.errors import UsageError

Setter = Literal["project", "person"]
"""Who may set a key: `person` keys in a project's file are reported and ignored."""


def _key(
    default: object,
    takes: Takes[Any],
    doc: str,
    *,
    by: Setter = "project",
    harmless: tuple[object, ...] = (),
) -> Any:  # noqa: ANN401 -- the field's own type, like dataclasses.field
    metadata = {"takes": takes, "doc": doc, "by": by, "harmless": harmless}
    return field(default=default, metadata=metadata)


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

    include: tuple[str, ...] = _key(
        (),
        GLOBS,
        "Files to index; empty means every markdown file. Name other formats: `papers/*.pdf`.",
    )
    exclude: tuple[str, ...] = _key((), GLOBS, "Files and folders that are never indexed.")
    hidden: tuple[str, ...] = _key(
        (), GLOBS, "Hidden files and folders (names that begin with a dot) to index all the same."
    )
    max_file_bytes: int = _key(
        10_000_000, whole_number(1, 1_000_000_000), "Larger files are left out, in bytes."
    )
    sources: tuple[AddedSource, ...] = _key(
        (), PROJECT_SOURCES, "Folders of this tree that are sources of their own (`docs add`)."
    )


@dataclass(frozen=True, slots=True)
class PersonalSettings:
    """What belongs to the person, in whichever project."""

    sources: tuple[AddedSource, ...] = _key(
        (),
        PERSONAL_SOURCES,
        "Your own folders (`docs add`), such as vaults, and the projects they are searched in.",
        by="person",
    )


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How a search answers."""

    limit: int = _key(
        DEFAULT_LIMIT, whole_number(*LIMIT_BOUNDS), "Hits of `pit-memory search` at most."
    )
    budget: int = _key(
        DEFAULT_BUDGET,
        whole_number(*BUDGET_BOUNDS),
        "Size of an answer of `pit-memory search` at most, in tokens.",
    )
    boost: tuple[str, ...] = _key((), GLOBS, "Files whose sections rank higher.")
    exclude: tuple[str, ...] = _key((), GLOBS, "Files that are indexed and never an answer.")


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """The model behind search by meaning."""

    provider: Literal["builtin", "ollama", "none"] = _key(
        "builtin",
        one_of("builtin", "ollama", "none"),
        "The model that comes with pit-memory, one of an Ollama server, or none: by words only.",
        by="person",
    )
    url: str = _key(
        "http://127.0.0.1:11434", WEB_ADDRESS, "Address of the Ollama server.", by="person"
    )
    model: str = _key(
        "nomic-embed-text",
        text("a name of a model"),
        "Model of the Ollama server, with its tag where it has one.",
        by="person",
    )
    keep_alive: str = _key(
        "30m",
        text("a span such as 30m, or -1 for ever"),
        "How long the Ollama server keeps the model loaded after a question.",
        by="person",
    )
    query_prefix: str = _key(
        "auto",
        text("a text"),
        "What stands before a question when it is embedded; `auto`: what the model was made with.",
        by="person",
    )
    document_prefix: str = _key(
        "auto",
        text("a text"),
        "What stands before a document's text when it is embedded; `auto`: what the model was "
        "made with.",
        by="person",
    )


@dataclass(frozen=True, slots=True)
class VectorsSettings:
    """Where vectors are searched."""

    backend: Literal["local", "qdrant"] = _key(
        "local",
        one_of("local", "qdrant"),
        "A scan on this machine, or a Qdrant server; a person's own sources stay local.",
        by="person",
    )
    url: str = _key(
        "http://127.0.0.1:6333", WEB_ADDRESS, "Address of the Qdrant server.", by="person"
    )
    api_key: str = _key(
        "", text("a key"), "Key of the Qdrant server, best from the environment.", by="person"
    )
    prefix: str = _key(
        "pit_memory",
        text("a name"),
        "Begins the names of collections on the Qdrant server.",
        by="person",
    )
    namespace: str = _key(
        "",
        text("a name"),
        "Tells this project from others on the Qdrant server; replicas that serve the same "
        "documents share it. Empty: the name of the project's store.",
        by="person",
    )
    quantization: Literal["none", "int8", "binary"] = _key(
        "none",
        one_of("none", "int8", "binary"),
        "How a new collection holds vectors in memory; the full ones decide the order.",
        by="person",
    )
    on_disk: bool = _key(
        False, FLAG, "Whether a new collection keeps full vectors and payload on disk.", by="person"
    )
    shards: int = _key(1, whole_number(1, 1_000), "Shards of a new collection.", by="person")
    replicas: int = _key(
        1, whole_number(1, 100), "Replicas of each shard of a new collection.", by="person"
    )


@dataclass(frozen=True, slots=True)
class SectionsSettings:
    """The checked-in section index."""

    corpora: tuple[CorpusRule, ...] = _key(
        DEFAULT_RULES, CORPORA, "Which files a section index covers, and where it lies."
    )


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """Push memory: the entries of this project."""

    home: str = _key(DEFAULT_HOME, HOME, "Folder of the project's rules and gotchas.")


@dataclass(frozen=True, slots=True)
class IncidentsSettings:
    """Records of incidents: how something was fixed last time."""

    home: str = _key(
        INCIDENTS_HOME,
        PATH,
        "Folder of the project's incident records; new ones are written there.",
    )
    include: tuple[str, ...] = _key(
        POSTMORTEM_FOLDERS, GLOBS, "Other files that are incident records, such as old postmortems."
    )
    fields: tuple[str, ...] = _key(
        (),
        FIELD_MAPPING,
        "Which keys of an export hold which field of a record, such as `cause = custom.why`.",
    )


@dataclass(frozen=True, slots=True)
class PushSettings:
    """What a session gets without asking."""

    budget: int = _key(
        PUSH_BUDGET,
        BUDGET,
        "Size of everything a session starts with at most, in tokens.",
    )


def _commit_key(kind: Kind, form: Form) -> tuple[str, type, Any]:
    words = f"When a new {kind.name} is committed; `wrapup` is `remember --commit-waiting`."
    return kind.name, str, _key(form.commit, one_of(*COMMIT_POLICIES), words)


PROTECTED = _key(
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

    home: str = _key(
        "",
        text("an absolute path, or one that begins with ~/", _is_absolute),
        "Folder of all facts; empty: `facts` in pit-memory's data folder.",
        by="person",
    )
    review: Literal["off", "required"] = _key(
        "off",
        one_of("off", "required"),
        "Whether a new fact waits for a person (`facts review`) before it is told.",
        by="person",
    )


@dataclass(frozen=True, slots=True)
class LintSettings:
    """The doc standard."""

    longest: int = _key(
        DEFAULT_LONGEST,
        whole_number(50, 10_000),
        "Text below one heading at most, in tokens; more is a `long-section`.",
    )
    off: tuple[RuleOff, ...] = _key(
        (), RULES_OFF, "Rules that don't hold here: `rule`, `reason`, and `paths` to say where."
    )


@dataclass(frozen=True, slots=True)
class PublishSettings:
    """How a draft becomes a page."""

    to: str = _key("docs/reference", PATH, "Folder that published drafts go to.")
    via: str = _key(
        "commit",
        one_of("commit", "pr"),
        "Commit to the current branch, or push a branch and open one pull request; on a branch of "
        "`commit.protected` it is always the latter.",
    )


@dataclass(frozen=True, slots=True)
class LinksSettings:
    """Addresses for people."""

    forge: Literal["auto", "github", "gitlab", "gitea", "bitbucket"] = _key(
        "auto",
        one_of("auto", "github", "gitlab", "gitea", "bitbucket"),
        "What the git remote is, where the name of its host doesn't tell.",
    )


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The server over HTTP."""

    host: str = _key(
        "127.0.0.1",
        text("a host name or address"),
        "Address that `serve --http` listens on; another than this machine's own needs tokens.",
        by="person",
    )
    port: int = _key(
        8484,
        whole_number(0, 65_535),
        "Port that `serve --http` listens on; 0 for any free one.",
        by="person",
    )
    allowed_hosts: tuple[str, ...] = _key(
        (),
        NAMES,
        "Host names besides its address that clients call the server by (`*.example.org` too).",
        by="person",
    )
    allowed_origins: tuple[str, ...] = _key(
        (),
        NAMES,
        "Origins of web pages that may call `serve --http`, such as https://app.example.org.",
        by="person",
    )
    certfile: str = _key("", FILE, "Certificate chain (PEM) for TLS without a proxy.", by="person")
    keyfile: str = _key("", FILE, "Private key (PEM) of `server.certfile`.", by="person")
    requests_a_minute: int = _key(
        600, whole_number(1, 1_000_000), "Requests of one token in a minute at most.", by="person"
    )
    assignment_requests_a_minute: int = _key(
        1_200,
        whole_number(1, 1_000_000),
        "Requests of all tokens of one assignment in a minute at most.",
        by="person",
    )
    max_request_bytes: int = _key(
        1_000_000,
        whole_number(1_000, 100_000_000),
        "Largest request; larger ones are refused.",
        by="person",
    )
    max_connections: int = _key(
        1_000, whole_number(1, 100_000), "Connections at once; more are told to wait.", by="person"
    )
    log_content: bool = _key(
        False,
        FLAG,
        "Whether questions and other arguments of tools are written into the log.",
        by="person",
    )
    metrics_token: str = _key(
        "",
        text("a secret of at least 16 characters", lambda value: len(value) >= 16),
        "Secret with which /metrics and /health answer from other machines, too.",
        by="person",
    )


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """How a server's documents stay fresh."""

    every: int = _key(
        300,
        whole_number(10, 604_800),
        "Seconds after which `serve --http` looks at its files again, also when nobody asks.",
        by="person",
    )
    remote: bool = _key(
        False,
        FLAG,
        "Whether `serve --http` also fetches the clone's upstream and goes forward to it.",
        by="person",
    )
    secret: str = _key(
        "",
        text("a secret of at least 16 characters", lambda value: len(value) >= 16),
        "Shared with the forge whose push events `POST /hooks/push` takes; best from the "
        "environment.",
        by="person",
    )
    repositories: tuple[str, ...] = _key(
        (),
        NAMES,
        "Repositories whose pushes count, by full name, such as acme/handbook.",
        by="person",
    )
    branches: tuple[str, ...] = _key(
        ("main", "master"),
        GLOBS,
        "Branches whose pushes count for `POST /hooks/push`.",
        by="person",
    )
    base: str = _key(
        "main",
        text("a name of a branch"),
        "The team's branch on the remote, which is merged into `fetch.drafts`.",
        by="person",
    )
    drafts: str = _key(
        "",
        text("a name of a branch"),
        "Branch that agents write to, such as pit-memory/drafts; the clone stands on it. Empty: "
        "nothing is written over HTTP.",
        by="person",
    )


@dataclass(frozen=True, slots=True)
class AuthSettings:
    """Who may use the server over HTTP, besides the tokens of `pit-memory token`."""

    jwt: JwtRule | None = _key(  # noqa: RUF009 -- a field like the others
        None, JWT, "Signed tokens of your identity provider that are accepted.", by="person"
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting with its value: one field a TOML table, but for those above them."""

    assignment: str = _key(
        "",
        Takes(_ASSIGNMENT_WORDS, _read_assignment, str),
        "Scope of facts in this project: a name, or `auto` for the repository's identity; "
        "empty: no facts.",
        by="person",
        harmless=(AUTO,),
    )
    docs: DocsSettings = DocsSettings()
    personal: PersonalSettings = PersonalSettings()
    search: SearchSettings = SearchSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    vectors: VectorsSettings = VectorsSettings()
    sections: SectionsSettings = SectionsSettings()
    memory: MemorySettings = MemorySettings()
    incidents: IncidentsSettings = IncidentsSettings()
    push: PushSettings = PushSettings()
    lint: LintSettings = LintSettings()
    links: LinksSettings = LinksSettings()
    publish: PublishSettings = PublishSettings()
    commit: Any = field(default_factory=CommitSettings)
    server: ServerSettings = ServerSettings()
    auth: AuthSettings = AuthSettings()
    facts: FactsSettings = FactsSettings()
    fetch: FetchSettings = FetchSettings()

    def commit_policy(self, kind: str) -> CommitPolicy:
        """When a new file of a kind is committed.

        Args:
            kind: name of a row of `core.kinds` that is written.
        """
        policy: CommitPolicy = getattr(self.commit, kind)
        return policy


@dataclass(frozen=True, slots=True)
class Key:
    """A row of the table of keys."""

    name: str
    """Dotted, as in TOML."""
    doc: str
    """What it does, one line."""
    default: object
    takes: Takes[Any]
    by: Setter
    harmless: tuple[object, ...]
    """Values that a project may set though it is the person's key."""

    @property
    def environment(self) -> str:
        """Name of its environment variable; empty where no line of text can hold its value."""
        if self.takes.parse is None:
            return ""
        return "PIT_MEMORY_" + self.name.upper().replace(".", "_")


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
        yield Key(name=part.name, default=part.default, **part.metadata)
    for table, record in TABLES.items():
        for part in fields(record):
            yield Key(name=f"{table}.{part.name}", default=part.default, **part.metadata)


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
