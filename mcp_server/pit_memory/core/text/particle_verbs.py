"""Nouns that are a verb and its particle: who asks for the `setup` may mean what one sets up."""

import re
from collections.abc import Iterable, Mapping

from pit_memory.core.text.languages import ENGLISH
from pit_memory.core.text.words import runs

Parts = tuple[str, str]
"""A verb and its particle."""

_NOUN = re.compile(
    r"(?P<verb>[a-z]{3,6})(?P<particle>up|out|down|back|over|off|away|around)"
    r"|(?P<short>add|check|log|opt|plug|sign)(?P<joint>in|on)"  # most that end so are other words
)


def particle_verbs(text: str, language: str = ENGLISH) -> dict[str, Parts]:
    """Words of a text that may be such nouns, by how they are written; only English has them.

    A word that is the whole text asks for itself.
    """
    words = runs(text) if language == ENGLISH else []
    if len(words) < 2:
        return {}
    found = {word: _NOUN.fullmatch(word[:1].lower() + word[1:]) for word in words}
    return {
        word: (match["verb"] or match["short"], match["particle"] or match["joint"])
        for word, match in found.items()
        if match
    }


def taken_apart(words: Iterable[str], verbs: Mapping[str, Parts]) -> list[str]:
    """Words, and in the place of such nouns what they are made of."""
    return [part for word in words for part in verbs.get(word, (word,))]
