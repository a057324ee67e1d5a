"""Secrets in text, told by their published formats: prefix, alphabet, length, structure.

There is no entropy rule: hashes, UUIDs and identifiers are the daily bread of technical notes, and
a rule that cries at them is switched off. What documentation prints as an example is let through.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pit_memory.errors import WriteRefusedError


class Secret(NamedTuple):
    """A secret found in a text; its value is never shown, logged or kept."""

    rule: str
    """Name of the format, such as `github-token`."""
    line: int
    """1-based line of the text."""


_FORMATS = {
    "anthropic-key": r"sk-ant-[a-z]{3,5}\d\d-[\w-]{80,}",
    "aws-access-key": r"(?:AKIA|ASIA)[A-Z2-7]{16}",
    "aws-secret-key": r"(?i:aws.{0,20}secret.{0,20}?[=:]\s*[\"']?)[A-Za-z0-9/+]{40}",
    "azure-storage-key": r"AccountKey=[A-Za-z0-9+/]{86}==",
    "credentials-in-url": r"[A-Za-z][A-Za-z0-9+.-]{1,19}://[^\s/:@<>]{0,100}:[^\s/<>]{3,200}@[\w.\[-]+",
    "digitalocean-token": r"do[opr]_v1_[a-f0-9]{64}",
    "docker-token": r"dckr_pat_[\w-]{27}",
    "github-token": r"gh[pousr]_[A-Za-z0-9]{36,}",
    "github-fine-grained-token": r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}",
    "gitlab-token": r"gl(?:pat|dt|rt|ptt|soat|cbt|ft|agent|oas)-[\w.-]{20,}",
    "google-api-key": r"AIza[\w-]{35}",
    "google-client-secret": r"GOCSPX-[\w-]{28}",
    "huggingface-token": r"hf_[A-Za-z]{34}",
    "json-web-token": r"eyJ[\w-]{10,500}\.eyJ[\w-]{10,5000}\.[\w-]{20,}",
    "npm-token": r"npm_[A-Za-z0-9]{36}",
    "openai-key": r"sk-(?:[a-z]{1,20}-)?[\w-]{20,120}T3BlbkFJ[\w-]{20,}",
    "private-key": r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----",
    "pypi-token": r"pypi-AgEIcHlwaS5vcmc[\w-]{50,}",
    "sendgrid-key": r"SG\.[\w-]{22}\.[\w-]{43}",
    "slack-token": r"xox[abeoprs]-\d[\w-]{10,}",
    "slack-webhook": r"hooks\.slack\.com/(?:services|workflows)/[A-Z]\w+/\w+/\w{16,}",
    "stripe-key": r"[rs]k_live_[A-Za-z0-9]{24,}",
    "telegram-bot-token": r"\d{8,10}:AA[\w-]{33}",
    "vault-token": r"hv[bs]\.[\w-]{24,}",
}
"""Format by rule name. Sources: each vendor's published description of its keys.

What something else must follow repeats with a bound: without, a text of a thousand beginnings takes
a time that grows with its square.
"""

_ANY = re.compile(
    "|".join(
        rf"(?P<{name.replace('-', '_')}>(?<![A-Za-z0-9]){pattern})"
        for name, pattern in _FORMATS.items()
    )
)
_EXAMPLE = re.compile(
    r"(?i:example|placeholder|redacted|changeme|your[-_]|dummy)"
    r"|([xX*.0])\1{5}"
    r"|eyJzdWIiOiIxMjM0NTY3ODkw"  # the subject 1234567890 of every introduction to such tokens
    r"|://(?:user|username|login|me|admin):(?:pass|password|passwd|pw|secret|token)@"
    r"|://[^\s/:@]*:(?:%?\$?\{[^}]*\}+|\$\(?\w+\)?|%\w+%?)@"  # a variable stands for the password
)
"""What documentation prints in the place of a secret."""
_UNSEEN = "[\u00ad\u200b-\u200d\u2060\ufeff]"
_CUT = re.compile(rf"(?<=[\w.-])(?:{_UNSEEN}+|{_UNSEEN}*\\?\r?\n[ \t]*{_UNSEEN}*)(?=[\w.-])")
"""What a terminal, an editor or a web page puts into a long word, and nobody sees or minds."""
_ENDS_WITH_ITS_LINE = "credentials_in_url"
"""Its alphabet is so wide that the next line's first word would often belong to it."""


def find_secrets(text: str) -> Iterator[Secret]:
    """Yield every secret in a text, in order; takes time linear in its length.

    Args:
        text: anything a person or an agent wants to write down.
    """
    starts = {start: rule for start, _, rule in _matches(text)}
    cuts = [found.span() for found in _CUT.finditer(text)]
    if cuts:
        starts |= dict(_cut_in_pieces(text, cuts))
    for start, rule in sorted(starts.items()):
        yield Secret(rule.replace("_", "-"), text.count("\n", 0, start) + 1)


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


def _matches(text: str) -> Iterator[tuple[int, int, str]]:
    for found in _ANY.finditer(text):
        if not _EXAMPLE.search(found.group()) and found.lastgroup is not None:
            yield found.start(), found.end(), found.lastgroup


def _cut_in_pieces(text: str, cuts: list[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """Yield where secrets start that are whole only without what cuts them, and their rules."""
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
    for start, end, rule in _matches(joined):
        before = bisect_right(ends, start)
        is_cut = before < len(ends) and ends[before] < end
        if is_cut and rule != _ENDS_WITH_ITS_LINE:
            yield start + (removed[before - 1] if before else 0), rule
