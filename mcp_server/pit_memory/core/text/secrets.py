"""Secrets in text, told by their published formats: prefix, alphabet, length, structure.

There is no entropy rule: hashes, UUIDs and identifiers are the daily bread of technical notes, and
a rule that cries at them is switched off. What documentation prints as an example is let through.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from pit_memory.errors import WriteRefusedError


class Secret(NamedTuple):
    """A secret found in a text; its value is never shown, logged or kept."""

    rule: str
    """Name of the format, such as `github-token`."""
    line: int
    """1-based line of the text."""


class _Format(NamedTuple):
    """How the keys of one vendor look."""

    pattern: str
    marks: tuple[str, ...]
    """Every key has one of them in it: a text with none is not searched. They have no white space,
    and are in lower case where the pattern minds no case."""


_FORMATS = {
    "anthropic-key": _Format(r"sk-ant-[a-z]{3,5}\d\d-[\w-]{80,}", ("sk-ant-",)),
    "aws-access-key": _Format(r"(?:AKIA|ASIA)[A-Z2-7]{16}", ("AKIA", "ASIA")),
    "aws-secret-key": _Format(
        r"(?i:aws.{0,20}secret.{0,20}?[=:]\s*[\"']?)[A-Za-z0-9/+]{40}", ("secret",)
    ),
    "azure-storage-key": _Format(r"AccountKey=[A-Za-z0-9+/]{86}==", ("AccountKey=",)),
    "credentials-in-url": _Format(
        r"[A-Za-z][A-Za-z0-9+.-]{1,19}://[^\s/:@<>]{0,100}:[^\s/<>]{3,200}@[\w.\[-]+", ("://",)
    ),
    "digitalocean-token": _Format(r"do[opr]_v1_[a-f0-9]{64}", ("_v1_",)),
    "docker-token": _Format(r"dckr_pat_[\w-]{27}", ("dckr_pat_",)),
    "github-token": _Format(
        r"gh[pousr]_[A-Za-z0-9]{36,}", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")
    ),
    "github-fine-grained-token": _Format(
        r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}", ("github_pat_",)
    ),
    "gitlab-token": _Format(
        r"gl(?:pat|dt|rt|ptt|soat|cbt|ft|agent|oas)-[\w.-]{20,}",
        tuple(f"gl{it}-" for it in ("pat", "dt", "rt", "ptt", "soat", "cbt", "ft", "agent", "oas")),
    ),
    "google-api-key": _Format(r"AIza[\w-]{35}", ("AIza",)),
    "google-client-secret": _Format(r"GOCSPX-[\w-]{28}", ("GOCSPX-",)),
    "huggingface-token": _Format(r"hf_[A-Za-z]{34}", ("hf_",)),
    "json-web-token": _Format(r"eyJ[\w-]{10,500}\.eyJ[\w-]{10,5000}\.[\w-]{20,}", (".eyJ",)),
    "npm-token": _Format(r"npm_[A-Za-z0-9]{36}", ("npm_",)),
    "openai-key": _Format(r"sk-(?:[a-z]{1,20}-)?[\w-]{20,120}T3BlbkFJ[\w-]{20,}", ("T3BlbkFJ",)),
    "private-key": _Format(
        r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----", ("-----BEGIN",)
    ),
    "pypi-token": _Format(r"pypi-AgEIcHlwaS5vcmc[\w-]{50,}", ("pypi-AgEIcHlwaS5vcmc",)),
    "sendgrid-key": _Format(r"SG\.[\w-]{22}\.[\w-]{43}", ("SG.",)),
    "slack-token": _Format(r"xox[abeoprs]-\d[\w-]{10,}", ("xox",)),
    "slack-webhook": _Format(
        r"hooks\.slack\.com/(?:services|workflows)/[A-Z]\w+/\w+/\w{16,}", ("hooks.slack.com/",)
    ),
    "stripe-key": _Format(r"[rs]k_live_[A-Za-z0-9]{24,}", ("k_live_",)),
    "telegram-bot-token": _Format(r"\d{8,10}:AA[\w-]{33}", (":AA",)),
    "vault-token": _Format(r"hv[bs]\.[\w-]{24,}", ("hvb.", "hvs.")),
}
"""Format by rule name. Sources: each vendor's published description of its keys.

What something else must follow repeats with a bound: without, a text of a thousand beginnings takes
a time that grows with its square.
"""

_EXAMPLE = re.compile(
    r"(?i:example|placeholder|redacted|changeme|your[-_]|dummy)"
    r"|([xX*.0])\1{5}"
    r"|eyJzdWIiOiIxMjM0NTY3ODkw"  # the subject 1234567890 of every introduction to such tokens
    r"|://(?:user|username|login|me|admin):(?:pass|password|passwd|pw|secret|token)@"
    r"|://[^\s/:@]*:(?:%?\$?\{[^}]*\}+|\$\(?\w+\)?|%\w+%?)@"  # a variable stands for the password
)
"""What documentation prints in the place of a secret."""
_UNSEEN_SIGNS = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_UNSEEN = f"[{_UNSEEN_SIGNS}]"
_CUT = re.compile(rf"(?<=[\w.-])(?:{_UNSEEN}+|{_UNSEEN}*\\?\r?\n[ \t]*{_UNSEEN}*)(?=[\w.-])")
"""What a terminal, an editor or a web page puts into a long word, and nobody sees or minds."""
_ENDS_WITH_ITS_LINE = "credentials-in-url"
"""Its alphabet is so wide that the next line's first word would often belong to it."""


def find_secrets(text: str) -> Iterator[Secret]:
    """Yield every secret in a text, in order; takes time linear in its length.

    Args:
        text: anything a person or an agent wants to write down.
    """
    yield from _found(text, _possible(text))


def refuse_secrets(given: Mapping[str, str]) -> None:
    """Let no secret through that somebody wants written down.

    Args:
        given: texts by the name of their argument.

    Raises:
        WriteRefusedError: one holds a secret; the message has the rule's name, never the value.
    """
    for name, text in given.items():
        if secret := next(find_secrets(text), None):
            message = (
                f"{name}: line {secret.line} holds a secret ({secret.rule}); nothing was written. "
                "Say where it is kept instead of what it is"
            )
            raise WriteRefusedError(message)


def _possible(text: str) -> list[str]:
    """The rules whose marks a text holds, be they cut in pieces: hardly ever one, found fast."""
    whole = "".join(text.split()).replace("\\", "")
    for sign in _UNSEEN_SIGNS:
        whole = whole.replace(sign, "")
    looked_at = f"{whole}\n{whole.casefold()}"
    return [rule for rule, it in _FORMATS.items() if any(mark in looked_at for mark in it.marks)]


def _found(text: str, rules: Iterable[str]) -> Iterator[Secret]:
    starts = {start: rule for start, _, rule in _matches(text, rules)}
    if longer := [rule for rule in rules if rule != _ENDS_WITH_ITS_LINE]:
        starts |= dict(_cut_in_pieces(text, longer))
    for start, rule in sorted(starts.items()):
        yield Secret(rule, text.count("\n", 0, start) + 1)


def _matches(text: str, rules: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    for rule in rules:
        for found in _pattern(rule).finditer(text):
            if not _EXAMPLE.search(found.group()):
                yield found.start(), found.end(), rule


@cache
def _pattern(rule: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9]){_FORMATS[rule].pattern}")


def _cut_in_pieces(text: str, rules: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield where secrets start that are whole only without what cuts them, and their rules."""
    cuts = [found.span() for found in _CUT.finditer(text)]
    if not cuts:
        return
    pieces: list[str] = []
    ends: list[int] = []
    removed: list[int] = []
    position = 0
    for start, end in cuts:
        pieces.append(text[position:start])
        position = end
        removed.append(end - start + (removed[-1] if removed else 0))
        ends.append(end - removed[-1])
    joined = "".join([*pieces, text[position:]])
    for start, end, rule in _matches(joined, rules):
        before = bisect_right(ends, start)
        if before < len(ends) and ends[before] < end:
            yield start + (removed[before - 1] if before else 0), rule
