"""What a document says of its repository that can be checked: files, commands, pinned versions.

Only what is written as code counts. Nothing here knows whether it is true.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pit_memory.core.documents.sections import ParsedMarkdown

_SHELLS = frozenset({"", "bash", "console", "sh", "shell", "shell-session", "text", "zsh"})
_INLINE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_PATH = re.compile(r"(?<![\w/.~$<>{}*@:%-])(?:\./)?((?:[\w.+-]+/)+[\w.+-]*)(?![\w/*<>{}$:@-])")
_FILE = re.compile(
    r"(?<![\w/.~$<>{}*@%-])([\w-]+(?:\.[\w-]+)*\.(?:cfg|css|go|java|js|json|jsx|kt|lock|md|mk|py|rb|rs"
    r"|sh|sql|toml|ts|tsx|ya?ml))(?![\w/*<>{}$-])"
)
_MAKE = re.compile(r"(?:^|[;&|]\s*|\$ )make((?:\s+(?:-\w+|\w+=\S*|[\w./-]+))+)")
_RUN = re.compile(r"(?:^|[;&|]\s*|\$ )(?:npm|pnpm|yarn)\s+run\s+([\w:.-]+)")
_JUST = re.compile(r"(?:^|[;&|]\s*|\$ )just\s+([\w-]+)")
_PINNED = re.compile(
    r"(?<![\w./-])(@?[A-Za-z][\w.-]*(?:/[\w.-]+)*)(?:\[[\w,-]+\])?(?:==|@|:)v?(\d+(?:\.\d+)+[\w.+-]*)"
)
_REQUIREMENT = re.compile(r"^\s*[\"']?([A-Za-z][\w.-]*)(?:\[[\w,\s-]+\])?\s*==\s*([\w.+!-]+)")
_IMAGE = re.compile(
    r"^\s*(?:FROM|(?:-\s*)?image:)\s+[\"']?([\w.-]+(?:[/:][\w.-]+)*?):v?([\w.-]+)", re.IGNORECASE
)
_GO_MODULE = re.compile(r"^\s*(?:require\s+)?([\w.-]+\.[\w.-]+/\S+)\s+v([\w.+-]+)")
_TARGET = re.compile(r"^([\w./-]+(?:\s+[\w./-]+)*)\s*::?(?!=)")
_PHONY = re.compile(r"^\.PHONY\s*:(.*)$")
_RECIPE = re.compile(r"^@?([\w-]+)(?:\s+[^:=]*)?:(?!=)")


@dataclass(frozen=True, slots=True)
class Mention:
    """Something a document names."""

    kind: Literal["file", "make", "run", "just", "version"]
    name: str
    """A path or a file's name, a target, a script, a package or image."""
    line: int
    """1-based."""
    version: str = ""


class Pin(NamedTuple):
    """A version that a manifest names."""

    version: str
    file: str
    line: int


def mentions_of(parsed: ParsedMarkdown) -> Iterator[Mention]:
    """Yield what a document names in code: inline, and in fences of a shell."""
    fenced: dict[int, bool] = {}
    for block in parsed.blocks:
        if block.kind in {"fence", "code"}:
            info = block.info.split()
            is_shell = block.kind == "fence" and (info[0].strip("{}.") if info else "") in _SHELLS
            fenced.update(dict.fromkeys(range(block.line_start, block.line_end + 1), is_shell))
    for number, line in enumerate(parsed.lines[parsed.body_start - 1 :], parsed.body_start):
        if number in fenced:
            if fenced[number] and not line.lstrip().startswith(("#", "```", "~~~")):
                yield from _mentions(line.strip(), number)
        else:
            for _, code in _INLINE.findall(line):
                yield from _mentions(code.strip(), number)


def _mentions(code: str, line: int) -> Iterator[Mention]:
    if "://" in code:
        return
    for path in (*_PATH.findall(code), *_FILE.findall(code)):
        if not path.startswith("../") and not re.fullmatch(r"[\d./-]*", path):
            yield Mention("file", path, line)
    for name, version in _PINNED.findall(code):
        yield Mention("version", name.lower(), line, version)
    for words in _MAKE.findall(code):
        for target in _targets(words.split()):
            yield Mention("make", target, line)
    for name in _RUN.findall(code):
        yield Mention("run", name, line)
    for name in _JUST.findall(code):
        yield Mention("just", name, line)


def _targets(words: Sequence[str]) -> Iterator[str]:
    """What a call of make names; nothing where it runs in another folder or file."""
    if not any(word.startswith(("-C", "-f")) for word in words):
        yield from (word for word in words if word[0] != "-" and "=" not in word)


def make_targets(makefile: str) -> frozenset[str] | None:
    """The targets of a Makefile; None where more come from elsewhere (includes, patterns)."""
    targets: set[str] = set()
    for line in makefile.split("\n"):
        if re.match(r"-?include\b|[^\t#]*%[^=]*:|\$[({]", line):
            return None
        if phony := _PHONY.match(line):
            targets.update(phony[1].split())
        elif target := _TARGET.match(line):
            targets.update(target[1].split())
    return frozenset(targets)


def just_recipes(justfile: str) -> frozenset[str] | None:
    """The recipes of a justfile; None where more come from elsewhere."""
    if re.search(r"^(?:import|mod)\b", justfile, re.MULTILINE):
        return None
    lines = justfile.split("\n")
    aliases = {found[1] for line in lines if (found := re.match(r"alias\s+([\w-]+)", line))}
    return frozenset(aliases | {found[1] for line in lines if (found := _RECIPE.match(line))})


def package_scripts(package_json: str) -> frozenset[str] | None:
    """The scripts of a package.json; None where it can't be read."""
    try:
        scripts = json.loads(package_json).get("scripts", {})
    except (ValueError, AttributeError):
        return None
    return frozenset(scripts) if isinstance(scripts, dict) else None


def pins_of(file: str, text: str) -> Iterator[tuple[str, Pin]]:
    """Yield the versions that a manifest or lock names, each with the name it is for."""
    if file.endswith("package.json"):
        yield from _npm_pins(file, text)
        return
    for number, line in enumerate(text.split("\n"), 1):
        for pattern in (_REQUIREMENT, _IMAGE, _GO_MODULE):
            if found := pattern.match(line):
                yield found[1].lower(), Pin(found[2], file, number)


def _npm_pins(file: str, text: str) -> Iterator[tuple[str, Pin]]:
    try:
        loaded = json.loads(text)
    except ValueError:
        return
    lines = text.split("\n")
    for table in ("dependencies", "devDependencies", "peerDependencies"):
        named = loaded.get(table, {}) if isinstance(loaded, dict) else {}
        for name, version in named.items() if isinstance(named, dict) else ():
            exact = (
                re.fullmatch(r"[\^~]?(\d[\w.+-]*)", version) if isinstance(version, str) else None
            )
            if exact:
                line = next((at for at, each in enumerate(lines, 1) if f'"{name}":' in each), 1)
                yield name.lower(), Pin(exact[1], file, line)


def contradicts(version: str, pins: Sequence[Pin]) -> Pin | None:
    """The pin that proves a version wrong; None where one agrees, or none is there.

    `1.2` agrees with `1.2.3`.
    """
    if any(f"{pin.version}.".startswith(f"{version}.") for pin in pins):
        return None
    return pins[0] if pins else None


def by_name(pins: Iterator[tuple[str, Pin]]) -> Mapping[str, Sequence[Pin]]:
    """Pins of one name together."""
    found: dict[str, list[Pin]] = {}
    for name, pin in pins:
        found.setdefault(name, []).append(pin)
    return found
