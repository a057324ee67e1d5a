"""Front matter to values: the YAML or TOML at the top of a file, whatever people wrote there."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, time
from math import isfinite
from typing import Any, cast

import yaml

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml is ten times as fast; the Python loader reads the same."""
MAX_CHARACTERS = 64 * 1024
"""Front matter is written by hand, and short; more than this is data in the wrong place."""
MAX_DEPTH = 20
"""Lists and mappings inside each other."""
_SAFE_INTEGER_BITS = 63
_ONE_LINE_KEYS = ("title", "description")
_SALVAGED_KEYS = (*_ONE_LINE_KEYS, "draft", "tags", "aliases")
_SALVAGED = re.compile(rf"^({'|'.join(_SALVAGED_KEYS)})[ \t]*:[ \t]+(\S.*)$", re.MULTILINE)
_TOML_LINE = re.compile(r"at line (\d+)")
_YAML_ONLY_LINE_ENDS = dict.fromkeys((0x85, 0x2028, 0x2029), " ")
"""Lines end there for YAML and nobody else: the lines of problems would be wrong."""
_YAML_ERRORS = (
    yaml.YAMLError,
    RecursionError,
    # What PyYAML's constructors raise for `!!bool maybe`, `2024-99-99`, `!!int ""` and their like.
    ValueError,
    LookupError,
    AttributeError,
    TypeError,
    ArithmeticError,
)
_BODY_STAYS = "the text below it is indexed"


@dataclass(frozen=True, slots=True)
class FrontMatterProblem:
    """What is wrong with a front matter."""

    line: int
    """1-based line of the file."""
    message: str


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a front matter says."""

    values: Mapping[str, object]
    """Strings, numbers, booleans, None, lists and mappings of these; dates as ISO 8601."""
    problems: tuple[FrontMatterProblem, ...] = ()


class _UnusableError(Exception):
    """The text is no front matter; says where (1-based line of the file) and why."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line


def read_front_matter(text: str, form: str) -> FrontMatter:
    """Read front matter; where it is broken, the lines that matter most are read one by one.

    Args:
        text: between the delimiters.
        form: `yaml` or `toml`.
    """
    try:
        return _read(text, form)
    except _UnusableError as error:
        message = f"front matter {error}; {_BODY_STAYS}"
        return FrontMatter(_salvage(text), (FrontMatterProblem(error.line, message),))


def _read(text: str, form: str) -> FrontMatter:
    if len(text) > MAX_CHARACTERS:
        raise _UnusableError(1, f"has {len(text):,} characters; {MAX_CHARACTERS:,} are read")
    loaded, problems = _load_toml(text) if form == "toml" else _load_yaml(text)
    if loaded is None:
        return FrontMatter({})
    if not isinstance(loaded, dict):
        raise _UnusableError(2, f"is a {_name_of(loaded)}, not keys with values")
    return FrontMatter(cast("dict[str, object]", _plain(loaded)), problems)


def _load_toml(text: str) -> tuple[object, tuple[FrontMatterProblem, ...]]:
    try:
        return tomllib.loads(text), ()
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        at_line = _TOML_LINE.search(str(error))
        line = int(at_line[1]) + 1 if at_line else 2
        raise _UnusableError(line, f"is not valid TOML ({_one_line(error)})") from error


def _load_yaml(text: str) -> tuple[object, tuple[FrontMatterProblem, ...]]:
    text = text.translate(_YAML_ONLY_LINE_ENDS)
    try:
        if "&" in text and "*" in text:
            _refuse_aliases(text)
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            loaded = None if node is None else loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 2 if mark else 2
        raise _UnusableError(line, f"is not valid YAML ({_one_line(error.problem)})") from error
    except _YAML_ERRORS as error:
        raise _UnusableError(2, f"is not valid YAML ({_one_line(error)})") from error
    return loaded, tuple(_repeated_keys(node))


def _refuse_aliases(text: str) -> None:
    """Aliases may make a short text into a value of any size; no front matter needs them."""
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent):
            line = cast("yaml.Mark", event.start_mark).line + 2
            raise _UnusableError(line, f"uses a YAML alias (*{event.anchor}); write the value out")


def _repeated_keys(node: yaml.Node | None) -> list[FrontMatterProblem]:
    if not isinstance(node, yaml.MappingNode):
        return []
    seen: set[object] = set()
    problems = []
    for key, _ in node.value:
        if isinstance(key.value, str) and key.value in seen:
            line = key.start_mark.line + 2
            message = f"front matter repeats the key {key.value!r}; the last one counts"
            problems.append(FrontMatterProblem(line, message))
        seen.add(key.value if isinstance(key.value, str) else None)
    return problems


def _plain(value: object, depth: int = 0) -> object:
    """A value as JSON knows it; what else YAML and TOML know becomes text."""
    if depth > MAX_DEPTH:
        raise _UnusableError(2, f"nests lists or mappings more than {MAX_DEPTH} deep")
    if isinstance(value, dict):
        return {str(_plain(key)): _plain(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner, depth + 1) for inner in value]
    if isinstance(value, set):
        return sorted(str(_plain(inner)) for inner in value)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, int) and value.bit_length() > _SAFE_INTEGER_BITS:
        return hex(value)
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return value


def _salvage(text: str) -> dict[str, object]:
    """The keys that shape a document, line by line: a draft stays one in broken front matter."""
    salvaged: dict[str, object] = {}
    for key, written in _SALVAGED.findall(text[:MAX_CHARACTERS]):
        try:
            value = _plain(_load_yaml(written)[0])
        except _UnusableError:
            value = None
        is_one_line = key in _ONE_LINE_KEYS and isinstance(value, dict | list)
        if value is None or is_one_line:
            value = written.strip().strip("\"'")
        salvaged.setdefault(key, value)
    return salvaged


def _name_of(value: object) -> str:
    return {list: "list", str: "text", bool: "yes or no"}.get(type(value), "single value")


def _one_line(error: object) -> str:
    return " ".join(str(error).split())
