"""What somebody wants to write down, checked: text, title, and what its kind can hold."""

import re
from collections.abc import Iterator, Mapping

from pit_memory.core.kinds import Form, Kind, Scope
from pit_memory.core.text.decoding import with_lf
from pit_memory.core.text.nearest import nearest
from pit_memory.core.writing.writings import Writing
from pit_memory.errors import UsageError

MAX_CONTENT_CHARACTERS = 100_000
"""A longer text is a document: it has a place of its own in the docs."""
MAX_TITLE_CHARACTERS = 120
_DERIVED_TITLE_CHARACTERS = 80

_NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
"""Controls but for tab and line ends, halves of characters: what no text holds."""
_HEADING = re.compile(r"#{1,6}\s+(?P<title>.*?)\s*#*\s*")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s")
_MARKUP = re.compile(r"^\s*(?:[-*+>]|\d+[.)])\s+|[`*]|!?\[([^\]]*)\]\([^)]*\)")


def plain_content(content: str) -> str:
    """A text with LF at its line ends and no blank lines around it.

    Raises:
        UsageError: it is empty, too long, or no text.
    """
    if len(content) > MAX_CONTENT_CHARACTERS:
        message = (
            f"content: {len(content):,} characters, and at most {MAX_CONTENT_CHARACTERS:,}; "
            "put a document of that size into the docs itself"
        )
        raise UsageError(message)
    text = with_lf(content.removeprefix("\ufeff"))
    _refuse_what_is_no_text("content", text)
    lines = text.split("\n")
    while lines and not lines[0].strip():
        del lines[0]
    text = "\n".join(lines).rstrip()
    if not text:
        message = "content: it is empty; say what to remember"
        raise UsageError(message)
    return text


def refuse_fields_of_no_text(fields: Mapping[str, object]) -> None:
    """Refuse front matter whose texts no file should hold: escapes say what content may not.

    Raises:
        UsageError: names the key.
    """
    for key, value in fields.items():
        for text in texts_of({key: value}):
            if found := _NO_TEXT.search(text):
                name = _NO_TEXT.sub("?", key)
                message = f"front matter: {name} holds U+{ord(found[0]):04X}, which is no text"
                raise UsageError(message)


def texts_of(value: object) -> Iterator[str]:
    """Yield every text in a value of front matter, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from texts_of(inner)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from texts_of(inner)


def title_of(title: str, fields: Mapping[str, object], body: str) -> str:
    """The title of a text: the one that was given, else what it says of itself, else its start.

    Raises:
        UsageError: the title that was given is too long, or not one line.
    """
    given = title.strip()
    _refuse_what_is_no_text("title", given)
    if "\n" in given or "\r" in given:
        message = "title: it must be one line"
        raise UsageError(message)
    if len(given) > MAX_TITLE_CHARACTERS:
        message = f"title: {len(given)} characters, and at most {MAX_TITLE_CHARACTERS}"
        raise UsageError(message)
    said = next((str(fields[key]) for key in ("title", "description") if fields.get(key)), "")
    return " ".join(given.split()) or _shortened(" ".join(said.split())) or _first_words(body)


def scope_of(kind: Kind, form: Form, scope: str) -> Scope:
    """Where a kind is written: what was asked for, else its usual place.

    Raises:
        UsageError: there is no such scope, or the kind isn't written there.
    """
    if not scope:
        return form.scopes[0]
    for known in form.scopes:
        if scope == known:
            return known
    if scope in ("project", "personal"):
        message = f"scope: a {kind.name} is written to {form.scopes[0]} only, not {scope}"
        raise UsageError(message)
    near = nearest(scope, form.scopes)
    guess = f"; did you mean {near}?" if near else "."
    message = f"scope: there is no {scope!r}{guess} There are {', '.join(form.scopes)}"
    raise UsageError(message)


def id_of(form: Form, writing: Writing) -> str:
    """The id of a writing, after all checks of its kind.

    Raises:
        UsageError: it lacks what its kind needs, or no file's name can be made of its title.
    """
    form.check(writing)
    for key in form.required:
        if not writing.fields.get(key):
            message = f"{key}: missing; {_article(writing.kind)} needs it"
            raise UsageError(message)
    made = form.identify(writing)
    if not made:
        message = (
            f"title: {writing.title!r} has no letter or digit to make a file's name of; "
            "give another title"
        )
        raise UsageError(message)
    return made


def _refuse_what_is_no_text(name: str, text: str) -> None:
    if found := _NO_TEXT.search(text):
        line = text.count("\n", 0, found.start()) + 1
        message = f"{name}: U+{ord(found[0]):04X} in line {line}: it is no text; give plain UTF-8"
        raise UsageError(message)


def _first_words(body: str) -> str:
    first = next(line for line in body.split("\n") if line.strip())
    if heading := _HEADING.fullmatch(first):
        return _shortened(_without_markup(heading["title"]))
    sentence = _SENTENCE_END.split(_without_markup(first), maxsplit=1)[0]
    return _shortened(sentence.rstrip(".:"))


def _without_markup(text: str) -> str:
    return " ".join(_MARKUP.sub(lambda found: found[1] or "", text).split())


def _shortened(text: str) -> str:
    if len(text) <= _DERIVED_TITLE_CHARACTERS:
        return text
    return text[:_DERIVED_TITLE_CHARACTERS].rpartition(" ")[0] or text[:_DERIVED_TITLE_CHARACTERS]


def _article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
