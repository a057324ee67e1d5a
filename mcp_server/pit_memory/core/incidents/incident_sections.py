"""The sections of postmortems under the names people give them, in English and German."""

import re
from typing import Literal

Part = Literal[
    "symptom",
    "summary",
    "impact",
    "cause",
    "trigger",
    "detection",
    "resolution",
    "timeline",
    "actions",
    "lessons",
]

_NAMES: dict[Part, tuple[str, ...]] = {
    "symptom": (
        r"symptoms?",
        r"what users saw",
        r"observed behaviou?r",
        r"problem( statement)?",
        r"issue",
        r"symptome?",
        r"fehlerbild",
        r"problem(beschreibung)?",
        r"störungsbild",
    ),
    "summary": (
        r"(executive |incident |short )?summary",
        r"tl;?dr",
        r"overview",
        r"abstract",
        r"synopsis",
        r"(incident )?description",
        r"what happened",
        r"background",
        r"zusammenfassung",
        r"überblick",
        r"kurzfassung",
        r"was (ist )?passiert( ist)?",
        r"beschreibung",
        r"hergang",
    ),
    "impact": (
        r"(customer |user |business |service )?impact",
        r"effects?",
        r"scope",
        r"affected( services| users)?",
        r"meaning",
        r"auswirkung(en)?",
        r"betroffene .*",
        r"folgen",
    ),
    "cause": (
        r"(the |probable |underlying )?(root |primary )?causes?( analysis)?",
        r"rca",
        r"why( did)? (it|this) happen(ed)?",
        r"contributing (factors|causes)",
        r"causes?",
        r"diagnosis",
        r"analysis",
        r"five whys",
        r"5 whys",
        r"what went wrong",
        r"(grund|haupt)?ursachen?(analyse)?",
        r"fehlerursache",
        r"warum .*",
    ),
    "trigger": (
        r"triggers?",
        r"proximate cause",
        r"auslöser",
    ),
    "detection": (
        r"detection",
        r"how (was it|it was|we) (detected|noticed|found out).*",
        r"alerting",
        r"monitoring",
        r"erkennung",
        r"entdeckung",
        r"wie .* bemerkt.*",
    ),
    "resolution": (
        r"(the )?resolutions?( and recovery)?",
        r"resolution steps",
        r"mitigations?",
        r"(the )?(fix|solution)",
        r"remediation",
        r"recovery",
        r"repair",
        r"workaround",
        r"how (was it|it was|we) (fixed|resolved).*",
        r"response",
        r"(problem)?lösung",
        r"behebung",
        r"maßnahmen zur behebung",
        r"wiederherstellung",
        r"gegenmaßnahmen",
        r"entstörung",
        r"sofortmaßnahmen",
    ),
    "timeline": (
        r"(incident |event )?time ?line( of events)?",
        r"chronology",
        r"sequence of events",
        r"events",
        r"(zeitlicher )?(ablauf|verlauf)",
        r"zeit(leiste|achse|plan)",
        r"chronologie",
    ),
    "actions": (
        r"(corrective |preventive )?action items?",
        r"actions?",
        r"follow[- ]?ups?",
        r"next steps",
        r"to-?dos?",
        r"corrective (actions|measures)",
        r"preventi(on|ve measures)",
        r"maßnahmen",
        r"nächste schritte",
        r"folgemaßnahmen",
        r"offene punkte",
    ),
    "lessons": (
        r"lessons?( learned| learnt)?",
        r"learnings",
        r"what (did we|we) learn(ed)?",
        r"what went (well|poorly)",
        r"where we got lucky",
        r"retrospective",
        r"lehren",
        r"erkenntnisse",
        r"gelernt.*",
        r"was (haben wir )?gelernt.*",
    ),
}
"""Patterns of folded headings."""
_PARTS = {
    part: re.compile("|".join(f"(?:{name.casefold()})" for name in names))
    for part, names in _NAMES.items()
}
_NUMBERING = re.compile(r"^\W*(?:\d[\d.]*[.):]?|[a-z][.)]|[ivx]+[.)])\s+")
_REMARK = re.compile(r"\([^)]*\)|:\w+:")
"""What stands in brackets, and emoji by name."""
_SIGNS = re.compile(r"[^\w\s;/&-]+")
_JOINTS = re.compile(r"\s*(?:/|&|\band\b|\bund\b)\s*")


def part_of(heading: str) -> Part | None:
    """Which part of a postmortem a heading opens; None for other headings.

    Numbering, emoji and signs do not matter; of `Impact & root cause` the first part counts.
    """
    bare = _REMARK.sub(" ", _NUMBERING.sub("", heading.casefold()))
    name = " ".join(_SIGNS.sub(" ", bare).split())
    for candidate in (name, *_JOINTS.split(name)):
        for part, names in _PARTS.items():
            if names.fullmatch(candidate):
                return part
    return None
