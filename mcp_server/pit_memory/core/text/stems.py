"""Word stems, so that `pinning` finds `pinned`. The only file that knows the Snowball stemmers."""

from functools import cache, lru_cache

import Stemmer

from pit_memory.core.text.languages import ENGLISH

MAX_STEMMED = 40
"""Characters; longer runs of letters are no words and stay as they are."""
_REMEMBERED_WORDS = 20_000
_ALGORITHMS = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "el": "greek",
    ENGLISH: "english",
    "es": "spanish",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}


@lru_cache(_REMEMBERED_WORDS)
def stem(word: str, language: str = ENGLISH) -> str:
    """The stem of one lower-case word in its language, with the marks of its letters.

    Words with digits, and those of a language without a stemmer, come back unchanged.
    """
    if len(word) > MAX_STEMMED or len(word) < 3 or not word.isalpha():
        return word
    stemmer = _stemmer(language)
    return str(stemmer.stemWord(word)) if stemmer else word


@cache
def _stemmer(language: str) -> "Stemmer.Stemmer | None":
    algorithm = _ALGORITHMS.get(language)
    return Stemmer.Stemmer(algorithm) if algorithm else None
