"""Text to the tokens that the keyword index holds: whole identifiers, their parts, words, stems.

A *run* is what a reader takes for one word: `docker01.lan:8080/getUserName`. Its tokens are itself,
its parts at `/ : @`, theirs at `. +`, theirs at `- _`, and the words inside camelCase, so that a
question finds it by any of them. Its stems are those of the smallest parts. A run of a script that
is written without spaces yields its characters and pairs of neighbours.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from pit_memory.core.text.languages import ENGLISH, LATIN_LANGUAGES
from pit_memory.core.text.stems import stem

MAX_TOKEN = 100
"""Characters; longer tokens are left out, their parts kept."""
MAX_RUN = 400
"""Characters; what goes on for longer without a space is encoded data, whose parts are noise."""
_REMEMBERED_RUNS = 50_000
"""Some 15 MB: text repeats its words, so most runs are analysed once."""

_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u0900-\u0dff\u0f18-\u0fbc\u200c\u200d"
)
"""Combining marks and joiners: parts of words that `\\w` leaves out."""
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, Japanese, Chinese; Korean too, whose particles hide the words."""
_GRAMMED_WORD = re.compile("[\u0900-\u0dff]+")
"""A word of an Indian script: its forms differ at the end, and no stemmer is made for most."""
_GRAM = 4
"""Characters, vowel signs among them: about two syllables."""
_WORD = rf"[^\W{_UNSPACED}]+(?:[{_MARKS}]+[^\W{_UNSPACED}]*)*"

_ASCII_RUN = re.compile(r"\w+(?:[.:/@+-]+\w+)*", re.ASCII)
_WIDE_JOINT = re.compile(r"[/:@]+")
_MIDDLE_JOINT = re.compile(r"[/:@.+]+")
_JOINT = re.compile(r"[/:@.+_-]+")
_CAMEL_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PLAIN_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_FOLDED_MARKS = re.compile("[\u0300-\u036f]+")


class FieldTexts(NamedTuple):
    """Tokens separated by single spaces, ready for a tokenizer that only splits there."""

    exact: str
    stems: str


_NO_TOKENS = FieldTexts("", "")


@cache
def _any_run() -> re.Pattern[str]:
    """Runs of all scripts; compiled when needed, since that takes as long as a small search."""
    return re.compile(rf"{_WORD}(?:[.:/@+-]+{_WORD})*|[{_UNSPACED}]+")


@cache
def _unspaced_run() -> re.Pattern[str]:
    return re.compile(rf"[{_UNSPACED}]+")


def folded(text: str) -> str:
    """Text as tokens compare: NFC, without case, Latin, Greek and Cyrillic letters without marks.

    Marks of other scripts are vowels or tones and stay.
    """
    if text.isascii():
        return text.lower()
    bare = _FOLDED_MARKS.sub("", unicodedata.normalize("NFD", text.casefold()))
    return unicodedata.normalize("NFC", bare)


def has_unspaced(text: str) -> bool:
    """Whether a text has characters of a script that is written without spaces."""
    return not text.isascii() and _unspaced_run().search(text) is not None


def runs(text: str) -> list[str]:
    """The runs of a text as they are written, in order."""
    if text.isascii():
        return _ASCII_RUN.findall(text)
    return _any_run().findall(unicodedata.normalize("NFC", text))


def tokens(run: str) -> tuple[str, ...]:
    """All tokens of a run, folded, each once: itself, its parts of every size, its words."""
    return tuple(_analysed(ENGLISH)[run].exact.split())


def stems(run: str, language: str = ENGLISH) -> tuple[str, ...]:
    """The stems of a run's smallest parts, each once."""
    return tuple(_analysed(language)[run].stems.split())


def inner_stems(run: str, language: str = ENGLISH) -> tuple[str, ...]:
    """The stems of a run's words, without the compounds that they are parts of, each once.

    Who names `persistent volume` has named all there is in `PersistentVolume`.
    """
    if _PLAIN_WORD.fullmatch(run) or not run.isascii():
        return stems(run, language)
    words = [
        word
        for part in _parts(_JOINT, run) or [run]
        for word in ([it for it in _CAMEL_WORD.findall(part) if len(it) > 1] or [part])
    ]
    kept = [word for word in words if len(word) <= MAX_TOKEN]
    return tuple(dict.fromkeys(_stemmed(word, language) for word in kept))


def joined(parts: Iterable[FieldTexts]) -> FieldTexts:
    """The fields of several texts as those of one."""
    kept = [part for part in parts if part[0]]
    if not kept:
        return _NO_TOKENS
    exact, stems = zip(*kept, strict=True)
    return FieldTexts(" ".join(exact), " ".join(stems))


def field_texts(text: str, language: str = ENGLISH) -> FieldTexts:
    """What a text puts into the two fields of the keyword index, in the order of its runs."""
    return joined(map(_analysed(language).__getitem__, runs(text)))


def text_stems(text: str, language: str = ENGLISH) -> frozenset[str]:
    """The stems of all runs of a text."""
    analysed = _analysed(language)
    return frozenset(" ".join([analysed[run].stems for run in {*runs(text)}]).split())


class _Analysed(dict[str, FieldTexts]):
    """The fields of a run in one language, worked out once; emptied when full, which bounds it."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, run: str) -> FieldTexts:
        if len(self) >= _REMEMBERED_RUNS:
            self.clear()
        analysed = _analyse(run, self._language)
        if len(run) <= MAX_TOKEN:
            self[run] = analysed
        return analysed


@cache
def _analysed(language: str) -> _Analysed:
    return _Analysed(language)


def _stemmed(word: str, language: str) -> str:
    """The folded stem; a word of ASCII letters is English where the language has other letters."""
    if word.isascii():
        return folded(stem(word.lower(), language if language in LATIN_LANGUAGES else ENGLISH))
    return folded(stem(unicodedata.normalize("NFC", word).casefold(), language))


def _analyse(run: str, language: str) -> FieldTexts:
    if _PLAIN_WORD.fullmatch(run):
        return FieldTexts(run.lower(), _stemmed(run, language))
    if not run.isascii() and _unspaced_run().fullmatch(run):
        characters = folded(run)
        pairs = [characters[at : at + 2] for at in range(len(characters) - 1)]
        return FieldTexts(_once([*characters, *pairs]), _once(pairs or characters))
    if len(run) > MAX_RUN:
        return FieldTexts("", "")
    if _GRAMMED_WORD.fullmatch(run):
        word = folded(run)
        grams = [word[at : at + _GRAM] for at in range(max(1, len(word) - _GRAM + 1))]
        return FieldTexts(_once([word]), _once(grams))
    smallest = _smallest_parts(run)
    sizes = [run, *_parts(_WIDE_JOINT, run), *_parts(_MIDDLE_JOINT, run), *smallest]
    return FieldTexts(
        _once(folded(" ".join(sizes)).split(" ")),
        _once(_stemmed(part, language) for part in smallest),
    )


def _parts(joint: re.Pattern[str], run: str) -> list[str]:
    """The parts that tell something: single letters and digits of a larger run are noise."""
    return [part for part in joint.split(run) if len(part) > 1 or not part.isascii()]


def _smallest_parts(run: str) -> list[str]:
    """Parts at every joint, then the words inside them: `getUserName` and `get`, `user`, `name`."""
    parts = _parts(_JOINT, run) or [run]
    words = [word for part in parts if part.isascii() for word in _CAMEL_WORD.findall(part)]
    return parts + [word for word in words if len(word) > 1]


def _once(found: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(token for token in found if 0 < len(token) <= MAX_TOKEN))
