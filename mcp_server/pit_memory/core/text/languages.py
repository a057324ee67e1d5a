"""Which language a text is in, by its script and its stop words.

Stems, stop words and the model's vectors are made for a language: a section is read in its own, and
a question in that which it shows, else in that of most documents. Languages are named by their
ISO 639-1 codes.
"""

# ruff: noqa: RUF001 -- letters of other scripts are meant

import re
import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

ENGLISH = "en"

_LOOKED_AT = 20_000
"""Characters of a text: enough words to tell."""
_LEAST_WORDS = 2
"""Different stop words that must speak for a language, not counting those of the language it is
taken for otherwise: one alone, however often, may be a name or an identifier (`com` in a list of
hosts)."""
_LEAST_SIGNS = 3
"""Of a language in a text that is no sentence of it: its stop words, as above, and its own letters.
Two are met by chance on a short page in English (`ER`, `den`, `et al.`)."""
_SENTENCE_LEAD = 0.25
"""Of a text's words: where the stop words of a language are so many more than those of another, two
different ones show a sentence of it."""
_LEAST_SHARE = 0.06
"""Of a text's words: sentences have a third, lists of terms in another language hardly any."""
_RARE = 0.02
"""Of what is written in the main language: where a language has less, its sections may be taken for
it by mistake, and one of its stop words in a question is no sign (`github.com`, `per` hour)."""
_OTHER_SCRIPT_SHARE = 0.2
"""Of a text's letters: documents about software write half of their words in Latin letters."""

_NAMES = {
    "ar": "Arabic",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "hu": "Hungarian",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sv": "Swedish",
    "th": "Thai",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "zh": "Chinese",
}
LANGUAGES = tuple(_NAMES)
"""All that can be told apart."""

_STOP_WORDS = {
    "da": "af alle at da den der det dig efter eller er et fra før han har hvis hvor i ikke jeg "
    "kan med men mere nogle når og også om på sig sin skal som til ud ved vi være",
    "de": "aber als am an auch auf aus bei bis das dass dem den der des die durch ein eine "
    "einem einen einer eines er es für haben hat hatte ich im in ist kann können man mit "
    "nach nicht noch nur oder sich sie sind sollte um und unter vom von vor wann warum "
    "was welche welchem welchen welcher welches wenn wer werden wie wird wo wofür wohin "
    "womit worauf worin wurde zu zum zur über",
    "es": "al como con cuando cuál cuándo de del desde donde dónde el en entre es esta este "
    "esto está fue ha hay la las lo los mi muy más no o para pero por porque que qué se "
    "ser si sin sobre son su sus también un una uno y ya",
    "fi": "ei että hän ja joka jos jota kanssa kuin kun mikä mitä mutta myös ne niin nämä ole "
    "oli on ovat se sekä sen siitä tai tämä voi",
    "fr": "a au aux avec ce ces cette comme comment dans de des du elle en est et il ils la le "
    "les leur mais ne nous on ou où par pas plus pour quand que quel quelle quels qui sa "
    "sans se ses son sont sur un une vous à été",
    "hu": "a amely az azt csak de egy ez ezt ha hogy is kell lehet meg mint már még nem vagy "
    "van volt és",
    "it": "a al alla anche che chi come con da dal dalla degli dei del della delle di dove e "
    "gli ha i il in la le lo ma nel nella non o per perché più quale quando quanto questa "
    "questo si sono su sul tra un una è",
    "nl": "aan als bij dat de den deze die dit door een en er het hij hoe hun ik in is je kan "
    "maar meer met naar niet of om onder ook op over te tot uit van voor waar wat welke "
    "werd wie worden wordt zich zijn",
    "no": "alle av de den der det du eller en er et etter for fra før har hva hvis hvor hvordan "
    "i ikke jeg kan med men når og også om på seg skal som til ut ved vi være",
    "pl": "a ale być był czy dla do go i ich jak jego jest już która które który lub ma może na "
    "nie o od oraz po przez przy się są tak to tym w z za ze że",
    "pt": "a ao aos as com como da das de do dos e ela ele em entre está eu foi há isso mais "
    "mas na nas no nos não o onde os ou para pela pelo por quais qual quando que quem se "
    "sem ser seu sua são também um uma à é",
    "ro": "a acest al ale am ar au ca care ce cu cum dacă de din este fi fost la lui mai nu o "
    "pe pentru prin sau se sunt să un una unde în și",
    "sv": "alla att av de den det du där efter eller en ett från för har hur i inte jag kan med "
    "men mer mot när och också om på samt sig ska som till under ut vad var vem vi vid är",
    "tr": "bir bu da daha de değil en gibi hangi her ile ise için kadar mi nasıl ne olan olarak "
    "ve veya ya çok",
    "ru": "а без был была было быть в во все для до его ее если есть еще же за и из или их к "
    "как какая какие какой когда которые который кто ли между на не но о об он она они от "
    "по под при с сколько со так также то только у что чтобы это",
    "uk": "а але без був бути в вже від для до з за й коли на не о по при та так також то у це "
    "чи що як який якщо є і із їх її",
    ENGLISH: "a about after all also an and any are as at be because been before but by can could "
    "did do does each for from had has have he her his how i if in into is it its may "
    "more most my no not of on one only or other our out over should so some such than "
    "that the their them then there these they this those to under up us use used using "
    "was we were what when where which while who whose why will with would you your",
}
STOP_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split()) for language, words in _STOP_WORDS.items()
}
"""The joints of sentences, of each language that has them as words of their own."""

_SCRIPTS = (
    # Where the letters of one script can mean several languages, signs of the rarer come first.
    ("ja", "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"),
    ("ko", "\uac00-\ud7af\u1100-\u11ff"),
    ("zh", "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"),
    ("th", "\u0e00-\u0e7f"),
    ("hi", "\u0900-\u097f"),
    ("he", "\u0590-\u05ff"),
    ("el", "\u0370-\u03ff\u1f00-\u1fff"),
    ("ar", "\u0600-\u06ff\u0750-\u077f"),
    ("ru", "\u0400-\u04ff"),
)
_SIGNS = {"uk": re.compile("[іїєґ]"), "fa": re.compile("[پچژگ]")}
"""Letters that one language of a script has and the other lacks."""
_CJK_WEIGHT = 3
"""A Chinese or Japanese character says as much as that many letters."""

_ASCII = re.compile(r"[\x00-\x7f]+")
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]{2,}")
_OWN_WORD = re.compile(r"[^\W\d_]{2,}|[^\W\d_a-z]")
"""Of a text in small letters; a letter beyond ASCII alone is a word as well (`é`)."""
_ASCII_LETTERS = bytes(
    ord(chr(code).lower()) if chr(code).isascii() and chr(code).isalpha() else ord(" ")
    for code in range(256)
)
"""A byte to what it is in words: a lower-case letter or a space."""
_SCRIPT_LETTERS = {language: re.compile(f"[{letters}]") for language, letters in _SCRIPTS}
_OTHER_SCRIPTS = frozenset((*_SCRIPT_LETTERS, *_SIGNS))
_LATIN = tuple(language for language in STOP_WORDS if language not in _OTHER_SCRIPTS)
_COUNTS = struct.Struct(f"<{len(_LATIN)}I")
_VOTES: Mapping[str, int] = {
    word: int.from_bytes(_COUNTS.pack(*(word in STOP_WORDS[it] for it in _LATIN)), "little")
    for word in frozenset().union(*map(STOP_WORDS.__getitem__, _LATIN))
    if len(word) > 1
}
"""A stop word to a vote for each language that has it. The counts of all languages lie side by side
in one number, so that adding numbers counts votes for all at once. Single letters are no words."""
_ASCII_VOTES = {word.encode(): votes for word, votes in _VOTES.items() if word.isascii()}
_OWN_LETTERS = {
    "da": "æøå",
    "de": "äöüß",
    "es": "ñ¿¡áéíóú",
    "fi": "äö",
    "fr": "éèêàçâîôûëïœ",
    "hu": "őűáéíóöü",
    "it": "àèéìòù",
    "no": "æøå",
    "pl": "ąćęłńóśźż",
    "pt": "ãõçáâêéíóú",
    "ro": "ăâîșțşţ",
    "sv": "åäö",
    "tr": "ğışçöü",
}
"""Letters beyond ASCII, which few words may show."""

LATIN_LANGUAGES = frozenset(_NAMES) - _OTHER_SCRIPTS
"""Those that are written in Latin letters."""


class _Shown(NamedTuple):
    """What the words of a text in Latin letters show; of two texts, the sum of both."""

    words: int
    votes: int
    """Of its stop words, see `_VOTES`."""


def language_of(text: str) -> str:
    """The language of a text, markup and code in it or not; English where it shows none."""
    text = text[:_LOOKED_AT]
    return _by_script(text) or _most_spoken(text, _shown(text), ENGLISH)


def languages_of(sections: Sequence[str]) -> list[str]:
    """The language of each section of a document; of one that shows none, that of the whole."""
    looked_at = [section[:_LOOKED_AT] for section in sections]
    shown = [_shown(section) for section in looked_at]
    whole = "\n".join(sections)
    if len(whole) > _LOOKED_AT:
        main = language_of(whole)
    else:
        words, votes = map(sum, zip(*shown, strict=True)) if shown else (0, 0)
        main = _by_script(whole) or _most_spoken(whole, _Shown(words, votes), ENGLISH)
    return [
        _by_script(section) or _most_spoken(section, found, main)
        for section, found in zip(looked_at, shown, strict=True)
    ]


def language_of_question(text: str, known: Mapping[str, int]) -> str:
    """The language of a question, out of those that documents are written in.

    Args:
        text: the question; one stop word, or one letter that others lack, is enough; two of a
            language that hardly anything is written in.
        known: language to how much is written in it; that of most stands for a question that shows
            none. Empty where nothing is known: English then.
    """
    script = _by_script(text)
    if script:
        return script
    main = max(known, key=lambda language: (known[language], language == ENGLISH), default=ENGLISH)
    spoken = dict(zip(_LATIN, _counts(_shown(text)), strict=True))
    shown = {
        language: spoken[language] + len(set(text) & set(_OWN_LETTERS.get(language, "")))
        for language in (*known, main)
        if language not in _OTHER_SCRIPTS
    }
    if main in _OTHER_SCRIPTS and text.isascii():
        shown.setdefault(ENGLISH, spoken[ENGLISH])
    best = max(shown, key=lambda language: (shown[language], language == main), default=main)
    is_rare = 0 < known.get(best, 0) <= _RARE * known.get(main, 0)
    return best if shown.get(best, 0) >= (_LEAST_WORDS if is_rare else 1) else main


def language_name(language: str) -> str:
    """What people call a language."""
    return _NAMES.get(language, language)


def _by_script(text: str) -> str | None:
    """The language of a script other than Latin that much of a text is written in."""
    if text.isascii():
        return None
    others = _ASCII.sub("", text)  # a dash or a quotation mark, in most texts: nothing to count
    counts = {name: len(found.findall(others)) for name, found in _SCRIPT_LETTERS.items()}
    if counts["ja"]:  # its sentences have as many Chinese characters as their own
        counts["ja"] += counts.pop("zh")
    name = max(counts, key=counts.__getitem__)
    if not counts[name]:
        return None
    letters = len(_LETTER.findall(text))
    weighed = counts[name] * (_CJK_WEIGHT if name in ("zh", "ja") else 1)
    if weighed < _OTHER_SCRIPT_SHARE * (weighed + letters - counts[name]):
        return None
    if name == "ru" and _SIGNS["uk"].search(text.lower()):
        return "uk"
    return "fa" if name == "ar" and _SIGNS["fa"].search(text) else name


def _shown(text: str) -> _Shown:
    if text.isascii():
        words = text.encode().translate(_ASCII_LETTERS).split()
        found = sum(filter(None, map(_ASCII_VOTES.get, words)))
        return _Shown(len(words) - list(map(len, words)).count(1), found)
    others = _WORD.findall(text.lower())
    return _Shown(len(others), sum(filter(None, map(_VOTES.get, others))))


def _counts(shown: _Shown) -> tuple[int, ...]:
    """How many of the words are stop words of each language of `_LATIN`."""
    return _COUNTS.unpack(shown.votes.to_bytes(_COUNTS.size, "little"))


def _most_spoken(text: str, shown: _Shown, default: str) -> str:
    """The language that most stop words of a text are of; the default where they tell too little.

    Args:
        text: looked into where it seems to be in another language than the default.
        shown: by the text.
        default: the language it is taken for otherwise.
    """
    counts = _counts(shown)
    most = max(counts)
    if most < max(_LEAST_WORDS, _LEAST_SHARE * shown.words):
        return default
    best = [language for language, count in zip(_LATIN, counts, strict=True) if count == most]
    if default in best:
        return default
    small = text.lower()
    telling = STOP_WORDS[best[0]].difference(STOP_WORDS.get(default, ()))
    different = len(telling.intersection(_OWN_WORD.findall(small)))
    if different < _LEAST_WORDS:
        return default
    signs = different + len(set(_OWN_LETTERS.get(best[0], "")).intersection(small))
    lead = most - (counts[_LATIN.index(default)] if default in _LATIN else 0)
    is_shown = signs >= _LEAST_SIGNS or lead >= _SENTENCE_LEAD * shown.words
    return best[0] if is_shown else default
