"""A command line as bash reads it: its simple commands, in order, nested ones included.

Nothing is run and nothing looked up. Text that the shell would not finish (an open quote) is read
up to its end.
"""

from pit_memory.core.records import NamedTuple


class Part(NamedTuple):
    """A piece of a word."""

    kind: str
    """`text`; `variable`: text is its name; `code`: text is a substitution's source; `unknown`."""
    text: str
    quoted: bool
    """Inside quotes or behind a backslash: no splitting, no globs, no keyword."""


class Word(NamedTuple):
    """One word of a command."""

    parts: tuple[Part, ...]

    @property
    def literal(self) -> str | None:
        """Its text where that needs no variable and no substitution."""
        if all(part.kind == "text" for part in self.parts):
            return "".join(part.text for part in self.parts)
        return None

    @property
    def keyword(self) -> str:
        """Its text where the shell may take it for a keyword, nothing being quoted; else empty."""
        if len(self.parts) == 1 and not self.parts[0].quoted:
            return self.literal or ""
        return ""


class Command(NamedTuple):
    """A simple command, redirections taken off."""

    words: tuple[Word, ...]
    stdin: Word | None
    """Its here-document or here-string."""


class Group(NamedTuple):
    """Commands that run in a shell of their own: a subshell or a substitution."""

    nodes: tuple["Node", ...]


Node = Command | Group

_BLANK = " \t\r"
_META = " \t\r\n;&|()<>"
_DOUBLE_QUOTE_ESCAPES = '$`"\\'
_ANSI_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "f": "\f",
    "v": "\v",
}
_REDIRECTIONS = ("&>>", "<<<", "<<-", "&>", "<<", ">>", "<>", ">|", ">&", "<&", "<", ">")
"""Longest first."""


def parse(script: str) -> tuple[Node, ...]:
    """Read a script into its commands, in the order they stand in."""
    return _Parser(script).script("")


class _Draft:
    """A command while it is read: its here-document may come lines later."""

    __slots__ = ("stdin", "words")

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.stdin: Word | None = None

    def finished(self) -> Command:
        return Command(tuple(self.words), self.stdin)


class _HereDocument(NamedTuple):
    delimiter: str
    expand: bool
    strip_tabs: bool
    command: _Draft


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.nested: list[Group] = []
        """Substitutions of the command being read: they run before it."""
        self.here_documents: list[_HereDocument] = []

    def script(self, end: str) -> tuple[Node, ...]:
        """Read commands up to `end` (a closing parenthesis) or the end of the text."""
        outer_nested, self.nested = self.nested, []
        drafts: list[_Draft | Group] = []
        current = _Draft()
        cases = 0
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in _BLANK or self.text.startswith("\\\n", self.at):
                self.at += 1 if char in _BLANK else 2
            elif char == ")":
                self.at += 1
                current = self._end_command(drafts, current)
                if not cases and end:
                    break
            elif char == "(":
                self.at += 1
                self._parenthesis(drafts, current)
            elif char in ";&|\n" and not self.text.startswith("&>", self.at):
                current = self._end_command(drafts, current)
                self._separator(char)
            elif char == "#":
                self._skip_comment()
            elif not self._redirection(current):
                word = self.word()
                if not current.words:
                    cases += {"case": 1, "esac": -1}.get(word.keyword, 0)
                current.words.append(word)
        self._end_command(drafts, current)
        self.nested = outer_nested
        return tuple(node.finished() if isinstance(node, _Draft) else node for node in drafts)

    def _end_command(self, drafts: list[_Draft | Group], current: _Draft) -> _Draft:
        drafts += self.nested
        self.nested.clear()
        if current.words or current.stdin:
            drafts.append(current)
        return _Draft()

    def _separator(self, char: str) -> None:
        self.at += 1
        if char == "\n":
            self._read_here_documents()

    def _parenthesis(self, drafts: list[_Draft | Group], current: _Draft) -> None:
        """After `(`: a function's `()`, else a subshell."""
        if current.words and self.text[self.at :].lstrip(_BLANK).startswith(")"):
            self.at = self.text.index(")", self.at) + 1
            current.words.clear()
            return
        drafts.append(Group(self.script(")")))

    def _skip_comment(self) -> None:
        line_end = self.text.find("\n", self.at)
        self.at = len(self.text) if line_end < 0 else line_end

    def _redirection(self, current: _Draft) -> bool:
        """Read a redirection with its target, if one starts here; say whether one did."""
        start = self.at
        while self.text[self.at : self.at + 1].isdigit():
            self.at += 1
        if self.text.startswith(("<(", ">("), self.at) and self.at == start:
            self.at += 2
            self.nested.append(Group(self.script(")")))
            current.words.append(Word((Part("unknown", "", False),)))
            return True
        operator = next((op for op in _REDIRECTIONS if self.text.startswith(op, self.at)), "")
        if not operator:
            self.at = start
            return False
        self.at += len(operator)
        while self.text[self.at : self.at + 1] in tuple(_BLANK):
            self.at += 1
        target = self.word()
        if operator == "<<<":
            current.stdin = target
        elif operator in {"<<", "<<-"}:
            expand = not any(part.quoted for part in target.parts)
            delimiter = target.literal or ""
            self.here_documents.append(_HereDocument(delimiter, expand, operator == "<<-", current))
        return True

    def _read_here_documents(self) -> None:
        pending, self.here_documents = self.here_documents, []
        for document in pending:
            lines: list[str] = []
            while self.at < len(self.text):
                line_end = self.text.find("\n", self.at)
                line_end = len(self.text) if line_end < 0 else line_end
                line = self.text[self.at : line_end]
                self.at = line_end + 1
                line = line.lstrip("\t") if document.strip_tabs else line
                if line == document.delimiter:
                    break
                lines.append(line + "\n")
            body = "".join(lines)
            if document.expand:
                reader = _Parser(body)
                document.command.stdin = Word(_merged(reader.quoted("")))
                self.nested += reader.nested
            else:
                document.command.stdin = Word((Part("text", body, True),))

    def word(self) -> Word:
        """Read one word; empty where none starts here."""
        parts: list[Part] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "(" and self.text[self.at - 1] == "=" and parts:
                self.at += 1
                self.script(")")
                parts.append(Part("unknown", "", False))
            elif char in _META:
                break
            else:
                parts += self._piece(char)
        return Word(_merged(parts))

    def _piece(self, char: str) -> list[Part]:
        """Read one quoted string, expansion or plain character of a word."""
        self.at += 1
        if char == "\\":
            escaped = self.text[self.at : self.at + 1]
            self.at += 1
            return [] if escaped == "\n" else [Part("text", escaped, True)]
        if char == "'":
            return [Part("text", self._until("'"), True)]
        if char == '"':
            return [Part("text", "", True), *self.quoted('"')]
        if char == "`":
            return [self._backticks(quoted=False)]
        if char == "$":
            return self._dollar(quoted=False)
        return [Part("text", char, False)]

    def quoted(self, end: str) -> list[Part]:
        """Read text in which only expansions count, up to `end` or the end of the text."""
        parts: list[Part] = []
        special = {"\\", "`", "$", end}
        while self.at < len(self.text):
            run = self.at
            while self.at < len(self.text) and self.text[self.at] not in special:
                self.at += 1
            if self.at > run:
                parts.append(Part("text", self.text[run : self.at], True))
                continue
            char = self.text[self.at]
            self.at += 1
            if char == end:
                break
            if char == "\\" and self.text[self.at : self.at + 1] in tuple(
                _DOUBLE_QUOTE_ESCAPES + "\n}"
            ):
                escaped = self.text[self.at]
                self.at += 1
                if escaped != "\n":
                    parts.append(Part("text", escaped, True))
            elif char == "`":
                parts.append(self._backticks(quoted=True))
            elif char == "$":
                parts += self._dollar(quoted=True)
            else:
                parts.append(Part("text", char, True))
        return parts

    def _until(self, end: str) -> str:
        stop = self.text.find(end, self.at)
        stop = len(self.text) if stop < 0 else stop
        found = self.text[self.at : stop]
        self.at = stop + len(end)
        return found

    def _backticks(self, *, quoted: bool) -> Part:
        source = ""
        while self.at < len(self.text) and self.text[self.at] != "`":
            if self.text[self.at] == "\\" and self.text[self.at + 1 : self.at + 2] in tuple("`\\$"):
                self.at += 1
            source += self.text[self.at]
            self.at += 1
        self.at += 1
        self.nested.append(Group(parse(source)))
        return Part("code", source.strip(), quoted)

    def _dollar(self, *, quoted: bool) -> list[Part]:
        """Read what follows a `$`."""
        char = self.text[self.at : self.at + 1]
        if self.text.startswith("((", self.at):
            self._arithmetic()
            return [Part("unknown", "", quoted)]
        if char == "(":
            self.at += 1
            start = self.at
            self.nested.append(Group(self.script(")")))
            return [Part("code", self.text[start : self.at - 1].strip(), quoted)]
        if char == "{":
            self.at += 1
            return [self._braced(quoted=quoted)]
        if char == "'" and not quoted:
            self.at += 1
            return [Part("text", self._ansi_text(), True)]
        if char == '"' and not quoted:
            return []
        start = self.at
        while self.at < len(self.text) and (
            self.text[self.at].isalnum() or self.text[self.at] == "_"
        ):
            self.at += 1
        if self.at > start:
            return [Part("variable", self.text[start : self.at], quoted)]
        if char and char in "@*#?$!-":
            self.at += 1
            return [Part("unknown", "", quoted)]
        return [Part("text", "$", True)]

    def _arithmetic(self) -> None:
        depth = 0
        while self.at < len(self.text):
            depth += {"(": 1, ")": -1}.get(self.text[self.at], 0)
            self.at += 1
            if not depth:
                return

    def _braced(self, *, quoted: bool) -> Part:
        """After `${`: a plain name is a variable, all else unknown; code in it still runs."""
        parts = self.quoted("}")
        name = "".join(part.text for part in parts)
        plain = all(part.kind == "text" for part in parts) and name.isidentifier()
        return Part("variable", name, quoted) if plain else Part("unknown", "", quoted)

    def _ansi_text(self) -> str:
        text = ""
        while self.at < len(self.text) and self.text[self.at] != "'":
            char = self.text[self.at]
            if char == "\\":
                self.at += 1
                char = self.text[self.at : self.at + 1]
                char = _ANSI_ESCAPES.get(char, char)
            text += char
            self.at += 1
        self.at += 1
        return text


def _merged(parts: list[Part]) -> tuple[Part, ...]:
    """Join neighbouring text that is quoted alike."""
    merged: list[Part] = []
    for part in parts:
        last = merged[-1] if merged else None
        if last and last.kind == part.kind == "text" and last.quoted == part.quoted:
            merged[-1] = Part("text", last.text + part.text, part.quoted)
        else:
            merged.append(part)
    return tuple(merged)
