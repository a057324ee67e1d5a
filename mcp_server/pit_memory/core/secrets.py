"""Secrets in text, told by their published formats: prefix, alphabet, length, structure.

There is no entropy rule: hashes, UUIDs and identifiers are the daily bread of technical notes, and
a rule that cries at them is switched off. What documentation prints as an example is let through.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple


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
    "credentials-in-url": r"[a-z][a-z0-9+.-]*://[^\s/:@<>{}$]+:[^\s/:@<>{}$]{3,}@[\w.-]+",
    "digitalocean-token": r"do[opr]_v1_[a-f0-9]{64}",
    "docker-token": r"dckr_pat_[\w-]{27}",
    "github-token": r"gh[pousr]_[A-Za-z0-9]{36,}",
    "github-fine-grained-token": r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}",
    "gitlab-token": r"gl(?:pat|dt|rt|ptt|soat|cbt|ft|agent|oas)-[\w.-]{20,}",
    "google-api-key": r"AIza[\w-]{35}",
    "google-client-secret": r"GOCSPX-[\w-]{28}",
    "huggingface-token": r"hf_[A-Za-z]{34}",
    "json-web-token": r"eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,}",
    "npm-token": r"npm_[A-Za-z0-9]{36}",
    "openai-key": r"sk-(?:[a-z]+-)?[\w-]{20,}T3BlbkFJ[\w-]{20,}",
    "private-key": r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----",
    "pypi-token": r"pypi-AgEIcHlwaS5vcmc[\w-]{50,}",
    "sendgrid-key": r"SG\.[\w-]{22}\.[\w-]{43}",
    "slack-token": r"xox[abeoprs]-\d[\w-]{10,}",
    "slack-webhook": r"hooks\.slack\.com/(?:services|workflows)/[A-Z]\w+/\w+/\w{16,}",
    "stripe-key": r"[rs]k_live_[A-Za-z0-9]{24,}",
    "telegram-bot-token": r"\d{8,10}:AA[\w-]{33}",
    "vault-token": r"hv[bs]\.[\w-]{24,}",
}
"""Format by rule name. Sources: each vendor's published description of its keys."""

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
)
"""What documentation prints in the place of a secret."""


def find_secrets(text: str) -> Iterator[Secret]:
    """Yield every secret in a text, in order; takes time linear in its length.

    Args:
        text: anything a person or an agent wants to write down.
    """
    for found in _ANY.finditer(text):
        if not _EXAMPLE.search(found.group()) and found.lastgroup is not None:
            line = text.count("\n", 0, found.start()) + 1
            yield Secret(found.lastgroup.replace("_", "-"), line)
