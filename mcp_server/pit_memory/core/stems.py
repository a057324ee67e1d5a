"""English word stems, so that `pinning` finds `pinned`.

The algorithm is Porter2 (Snowball's "English"), written from its published description. A word's
regions R1 and R2 are kept as start positions: R1 begins after the first consonant that follows a
vowel, R2 is the same rule applied inside R1. A suffix may only be cut where it lies in its region.
"""

import re
from functools import lru_cache

MAX_STEMMED = 40
"""Characters; longer runs of letters are no English words and stay as they are."""

_ENGLISH = re.compile(r"[a-z]{3,}")
_REGION = re.compile(r"[^aeiouy]*[aeiouy]+[^aeiouy]")
_REGION_ONE_AFTER = re.compile(r"gener|commun|arsen|past|univers|later|emerg|organ|inter")
_HAS_VOWEL = re.compile(r"[aeiouy]")
_DOUBLED = re.compile(r"(?<!^[aeo])(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$")
_SHORT_SYLLABLE = re.compile(r"(?:^past|^[aeiouy][^aeiouy]|[^aeiouy][aeiouy][^aeiouywxY])$")
_CONSONANT_Y = re.compile(r"^y|(?<=[aeiouy])y")
"""A y at the start or after a vowel is a consonant, written Y while we work."""

_IRREGULAR = {
    "skis": "ski",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "idly": "idl",
    "gently": "gentl",
    "ugly": "ugli",
    "early": "earli",
    "only": "onli",
    "singly": "singl",
    "sky": "sky",
    "news": "news",
    "howe": "howe",
    "atlas": "atlas",
    "cosmos": "cosmos",
    "bias": "bias",
    "andes": "andes",
}
_KEPT_AFTER_PLURAL = frozenset(
    ("inning", "outing", "canning", "herring", "earring", "evening", "proceed", "exceed", "succeed")
)
_STEP_2 = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "abli": "able",
    "entli": "ent",
    "izer": "ize",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "aliti": "al",
    "alli": "al",
    "fulness": "ful",
    "ousli": "ous",
    "ousness": "ous",
    "iveness": "ive",
    "iviti": "ive",
    "biliti": "ble",
    "bli": "ble",
    "fulli": "ful",
    "lessli": "less",
    "ogi": "og",
    "ogist": "og",
    "li": "",
}
_STEP_3 = {
    "ational": "ate",
    "tional": "tion",
    "alize": "al",
    "icate": "ic",
    "iciti": "ic",
    "ical": "ic",
    "ful": "",
    "ness": "",
    "ative": "",
}
_STEP_4 = (
    *("ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous"),
    *("ive", "ize", "ion", "al", "er", "ic"),
)
_STEP_2_ENDINGS = tuple(sorted(_STEP_2, key=len, reverse=True))
_STEP_3_ENDINGS = tuple(sorted(_STEP_3, key=len, reverse=True))


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The stem of one lower-case word; words that are not English letters come back unchanged."""
    if len(word) > MAX_STEMMED or not _ENGLISH.fullmatch(word):
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    word = _CONSONANT_Y.sub("Y", word)
    region_one = _region_one(word)
    region_two = _region_after(word, region_one)
    word = _without_plural(word)
    if word in _KEPT_AFTER_PLURAL:
        return word
    word = _without_past_or_gerund(word, region_one)
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in "aeiouy":
        word = word[:-1] + "i"
    word = _derived_form(word, region_one)
    word = _adjective_or_noun_form(word, region_one, region_two)
    word = _without_last_suffix(word, region_two)
    word = _without_final_e_or_l(word, region_one, region_two)
    return word.replace("Y", "y")


def _region_one(word: str) -> int:
    match = _REGION_ONE_AFTER.match(word)
    return match.end() if match else _region_after(word, 0)


def _region_after(word: str, start: int) -> int:
    match = _REGION.match(word, start)
    return match.end() if match else len(word)


def _without_plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")) and _HAS_VOWEL.search(word[:-2]):
        return word[:-1]
    return word


def _without_past_or_gerund(word: str, region_one: int) -> str:
    ending = next((e for e in ("eedly", "eed") if word.endswith(e)), None)
    if ending:
        begins = len(word) - len(ending)
        return word[:begins] + "ee" if begins >= region_one else word
    ending = next((e for e in ("ingly", "edly", "ing", "ed") if word.endswith(e)), None)
    if ending is None:
        return word
    rest = word[: -len(ending)]
    if not _HAS_VOWEL.search(rest):
        return word
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if _DOUBLED.search(rest):
        return rest[:-1]
    if region_one >= len(rest) and _SHORT_SYLLABLE.search(rest):
        return rest + "e"
    return rest


def _derived_form(word: str, region_one: int) -> str:
    for ending in _STEP_2_ENDINGS:
        if not word.endswith(ending):
            continue
        begins = len(word) - len(ending)
        allowed = begins >= region_one
        if ending == "li":
            allowed = allowed and begins > 0 and word[begins - 1] in "cdeghkmnrt"
        elif ending == "ogi":
            allowed = allowed and begins > 0 and word[begins - 1] == "l"
        return word[:begins] + _STEP_2[ending] if allowed else word
    return word


def _adjective_or_noun_form(word: str, region_one: int, region_two: int) -> str:
    for ending in _STEP_3_ENDINGS:
        if not word.endswith(ending):
            continue
        begins = len(word) - len(ending)
        region = region_two if ending == "ative" else region_one
        return word[:begins] + _STEP_3[ending] if begins >= region else word
    return word


def _without_last_suffix(word: str, region_two: int) -> str:
    for ending in _STEP_4:
        if not word.endswith(ending):
            continue
        begins = len(word) - len(ending)
        allowed = begins >= region_two and (ending != "ion" or word[begins - 1] in "st")
        return word[:begins] if allowed else word
    return word


def _without_final_e_or_l(word: str, region_one: int, region_two: int) -> str:
    last = len(word) - 1
    if word.endswith("e"):
        if last >= region_two:
            return word[:-1]
        if last >= region_one and not _SHORT_SYLLABLE.search(word[:-1]):
            return word[:-1]
    elif word.endswith("ll") and last >= region_two:
        return word[:-1]
    return word
