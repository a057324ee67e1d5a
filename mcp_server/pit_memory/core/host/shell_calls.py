"""What a command line would run, and where: wrappers taken off, `cd` followed, inner shells read.

A pure reading of the text. What only the running shell knows (a variable set elsewhere, a loop's
word) is None.
"""

from collections.abc import Iterator, Mapping, Sequence

from pit_memory.core.host.shell_words import Command, Group, Node, Word, parse
from pit_memory.core.records import NamedTuple


class Argument(NamedTuple):
    """One argument as the shell would pass it."""

    text: str | None
    """None where only the running shell knows."""
    glob: bool = False
    """The shell expands it as a file name pattern."""


class Call(NamedTuple):
    """One program that is run."""

    name: str | None
    """Without its folder; None where only the running shell knows."""
    arguments: tuple[Argument, ...]
    """Those behind the name."""
    directory: str | None
    """Absolute; None where only the running shell knows."""
    variables: Mapping[str, str]
    """Environment as far as it is known."""


def calls(
    script: str, directory: str | None, variables: Mapping[str, str], *, nesting: int = 0
) -> Iterator[Call]:
    """The programs that a script runs, in the order they stand in it.

    Args:
        script: as given to `bash -c`.
        directory: absolute path of the directory it starts in.
        variables: environment, as far as it is known.
        nesting: how many scripts this one is inside of; from 20 on nothing is read: it is a loop.
    """
    shell = _Shell(directory, dict(variables), nesting)
    return shell.run(parse(script)) if nesting < _MAX_NESTING else iter(())


class _Wrapper(NamedTuple):
    """A program that runs the command behind its own options."""

    valued: str = ""
    """Short options that take a value."""
    valued_long: tuple[str, ...] = ()
    operands: int = 0
    """Arguments of its own before the command."""


_WRAPPERS = {
    "builtin": _Wrapper(),
    "busybox": _Wrapper(),
    "caffeinate": _Wrapper("tw"),
    "chronic": _Wrapper(),
    "command": _Wrapper(),
    "doas": _Wrapper("uC"),
    "env": _Wrapper("uCS", ("--unset", "--chdir", "--split-string")),
    "exec": _Wrapper("a"),
    "flock": _Wrapper("wE", ("--timeout", "--wait", "--conflict-exit-code"), operands=1),
    "ionice": _Wrapper("cn", ("--class", "--classdata")),
    "nice": _Wrapper("n", ("--adjustment",)),
    "nohup": _Wrapper(),
    "setsid": _Wrapper(),
    "stdbuf": _Wrapper("ioe", ("--input", "--output", "--error")),
    "sudo": _Wrapper("ugpCDhrtTRU", ("--user", "--group", "--chdir", "--prompt", "--host")),
    "time": _Wrapper("fo", ("--format", "--output")),
    "timeout": _Wrapper("ks", ("--kill-after", "--signal"), operands=1),
    "unbuffer": _Wrapper(),
    "xargs": _Wrapper(
        "aEILnPsd", ("--arg-file", "--delimiter", "--max-args", "--max-procs", "--replace")
    ),
}
_SHELLS = frozenset({"ash", "bash", "dash", "fish", "ksh", "sh", "zsh"})
_KEYWORDS = frozenset({"!", "do", "elif", "else", "if", "then", "until", "while", "{"})
_NAMING = frozenset({"coproc", "function"})
"""What follows may be a name: for a coprocess only where a compound command is behind it."""
_COMPOUND = frozenset({"{", "if", "until", "while", "for", "case", "select"})
_LOOPS = frozenset({"case", "for", "select"})
_DECLARING = frozenset({"declare", "export", "local", "readonly", "typeset"})
_MAX_NESTING = 20
"""Scripts inside scripts."""


class _Shell:
    """What later commands of a script depend on."""

    def __init__(self, directory: str | None, variables: dict[str, str], nesting: int) -> None:
        self.directory = directory
        self.variables = variables
        self.nesting = nesting

    def run(self, nodes: Sequence[Node]) -> Iterator[Call]:
        for node in nodes:
            if isinstance(node, Group):
                yield from _Shell(self.directory, dict(self.variables), self.nesting).run(
                    node.nodes
                )
            else:
                yield from self._command(node)

    def _command(self, command: Command) -> Iterator[Call]:
        words = list(command.words)
        while words and words[0].keyword in _KEYWORDS | _NAMING:
            named = words[0].keyword == "function" or (
                words[0].keyword == "coproc" and words[2:] and words[2].keyword in _COMPOUND
            )
            del words[: 2 if named else 1]
        if words and words[0].keyword in _LOOPS:
            self.variables.pop("".join(word.literal or "" for word in words[1:2]), None)
            return
        own = self._assignments(words)
        if words:
            arguments = [argument for word in words for argument in self._expand(word)]
            yield from self._start(arguments, {**self.variables, **own}, command.stdin)
        else:
            self.variables.update(own)

    def _start(
        self, arguments: list[Argument], variables: dict[str, str], stdin: Word | None
    ) -> Iterator[Call]:
        name, rest = _program_name(arguments[0]) if arguments else "", arguments[1:]
        if name in _WRAPPERS:
            yield from self._wrapped(name or "", rest, variables, stdin)
        elif name in {"cd", "pushd", "popd"}:
            self.directory = self._changed_directory(name or "", rest)
        elif name in _DECLARING:
            self.variables.update(_declared(rest))
        elif name == "eval":
            yield from self._script(" ".join(argument.text or "" for argument in rest))
        elif name in _SHELLS:
            script = self._shell_script(rest, stdin)
            yield from calls(script, self.directory, variables, nesting=self.nesting + 1)
        elif arguments:
            yield Call(name, tuple(rest), self.directory, variables)

    def _script(self, script: str) -> Iterator[Call]:
        """Run a script in this very shell."""
        if self.nesting < _MAX_NESTING:
            self.nesting += 1
            yield from self.run(parse(script))
            self.nesting -= 1

    def _wrapped(
        self, name: str, arguments: list[Argument], variables: dict[str, str], stdin: Word | None
    ) -> Iterator[Call]:
        wrapper = _WRAPPERS[name]
        options, rest = split_options(arguments, wrapper.valued, wrapper.valued_long)
        if name == "command" and {"-v", "-V"} & options.keys():
            return
        rest = rest[wrapper.operands :]
        if name == "flock" and rest[:1] == [Argument("-c")]:
            rest = [Argument("sh"), *rest]
        if name == "env" and (line := options.get("-S") or options.get("--split-string")):
            rest = [*self.arguments(line), *rest]
        if name == "xargs":
            rest = [*rest, Argument(None)]
        while rest and _is_assignment(rest[0].text or ""):
            variables = {**variables, **_declared(rest[:1])}
            rest = rest[1:]
        outer = self.directory
        chosen = options.get("--chdir") or options.get({"env": "-C", "sudo": "-D"}.get(name, ""))
        if chosen:
            self.directory = joined(self.directory, chosen)
        yield from self._start(rest, variables, stdin)
        if chosen:
            self.directory = outer

    def arguments(self, line: str) -> list[Argument]:
        """Split a line into arguments, as `env -S` and git's aliases do."""
        commands = [node for node in parse(line) if isinstance(node, Command)]
        return [
            argument for node in commands for word in node.words for argument in self._expand(word)
        ]

    def _changed_directory(self, name: str, rest: list[Argument]) -> str | None:
        targets = [argument.text for argument in rest if not (argument.text or "").startswith("-")]
        if targets:
            return joined(self.directory, targets[0])
        return self.variables.get("HOME") if name == "cd" and not rest else None

    def _shell_script(self, rest: list[Argument], stdin: Word | None) -> str:
        """The script of `bash -c SCRIPT`, or the one on standard input; empty for a file's."""
        index, from_option = 0, False
        while (
            index < len(rest)
            and (text := rest[index].text or "")[:1] in tuple("-+")
            and text not in {"-", "--"}
        ):
            index += 1
            if text in {"--rcfile", "--init-file"}:
                index += 1
            elif not text.startswith("--"):
                from_option = from_option or (text[0] == "-" and "c" in text)
                index += text[-1] in "oO"
        index += index < len(rest) and rest[index].text in {"-", "--"}
        if from_option:
            return (rest[index].text or "") if index < len(rest) else ""
        return (self._text(stdin) or "") if stdin and index == len(rest) else ""

    def _assignments(self, words: list[Word]) -> dict[str, str]:
        """Take `NAME=value` off the front."""
        found: dict[str, str] = {}
        while words and (name := _assigned_name(words[0])):
            value = self._text(words.pop(0))
            if value is None:
                self.variables.pop(name, None)
            else:
                found[name] = value.partition("=")[2]
        return found

    def _expand(self, word: Word) -> Iterator[Argument]:
        """The arguments that the shell makes of a word."""
        first = word.parts[0] if word.parts else None
        text = self._text(word)
        if text is None:
            yield Argument(None)
            return
        if first and first.kind == "variable" and not first.quoted and len(word.parts) == 1:
            yield from map(Argument, text.split())
            return
        if first and not first.quoted and (text == "~" or text.startswith("~/")):
            text = self.variables.get("HOME", "~") + text[1:]
        plain = "".join(part.text for part in word.parts if part.kind == "text" and not part.quoted)
        glob = any(char in plain for char in "*?[")
        for alternative in _braces(text) if "{" in plain and "," in plain else (text,):
            yield Argument(alternative, glob)

    def _text(self, word: Word) -> str | None:
        pieces = [self._value(part.kind, part.text) for part in word.parts]
        return None if None in pieces else "".join(piece for piece in pieces if piece is not None)

    def _value(self, kind: str, text: str) -> str | None:
        if kind == "text":
            return text
        if (kind, text) in {("variable", "PWD"), ("code", "pwd")}:
            return self.directory
        if kind == "code" and text.split()[:3] == ["git", "rev-parse", "--show-toplevel"]:
            # Good enough as a place for git: each directory of a tree leads to the same repository.
            return self.directory
        return self.variables.get(text) if kind == "variable" else None


def _program_name(argument: Argument) -> str | None:
    """A program without the folder it is called from."""
    return None if argument.text is None else argument.text.rsplit("/", 1)[-1]


def joined(directory: str | None, path: str | None) -> str | None:
    """A path as seen from a directory; None where that can't be told."""
    if path is None or path.startswith("/"):
        return path
    if directory is None or not path:
        return directory
    return f"{directory}/{path}"


def split_options(
    arguments: Sequence[Argument],
    valued: str = "",
    valued_long: Sequence[str] = (),
    *,
    anywhere: bool = False,
) -> tuple[dict[str, str], list[Argument]]:
    """Split options from operands; a letter is `-x` whether alone or in a cluster.

    Args:
        arguments: what stands behind the program's name.
        valued: letters that take a value.
        valued_long: long options whose value may be the next argument.
        anywhere: options may stand behind operands too, as git reads them.
    """
    options: dict[str, str] = {}
    operands: list[Argument] = []
    left = list(reversed(arguments))
    while left:
        argument = left.pop()
        text = argument.text or ""
        if text == "--":
            break
        if not text.startswith("-") or text == "-":
            operands.append(argument)
            if not anywhere:
                break
        elif text.startswith("--"):
            name, equals, value = text.partition("=")
            options[name] = (
                (left.pop().text or "") if name in valued_long and not equals and left else value
            )
        else:
            for position, letter in enumerate(text[1:], start=2):
                options["-" + letter] = text[position:]
                if letter in valued:
                    if position == len(text) and left:
                        options["-" + letter] = left.pop().text or ""
                    break
    return options, [*operands, *reversed(left)]


def _is_assignment(text: str) -> bool:
    name, equals, _ = text.partition("=")
    return bool(equals) and name.rstrip("+").isidentifier()


def _assigned_name(word: Word) -> str:
    """Name of the variable a word assigns; empty where it assigns none."""
    first = word.parts[0] if word.parts else None
    if first and first.kind == "text" and not first.quoted and _is_assignment(first.text):
        return first.text.partition("=")[0].rstrip("+")
    return ""


def _declared(arguments: Sequence[Argument]) -> dict[str, str]:
    pairs = [(argument.text or "").partition("=") for argument in arguments]
    return {name: value for name, equals, value in pairs if equals}


def _braces(text: str) -> Iterator[str]:
    """Brace expansion of `a{b,c}d`."""
    opening = text.find("{")
    closing = text.find("}", opening)
    if opening < 0 or closing < 0 or "," not in text[opening:closing]:
        yield text
        return
    for choice in text[opening + 1 : closing].split(","):
        yield from _braces(text[:opening] + choice + text[closing + 1 :])
