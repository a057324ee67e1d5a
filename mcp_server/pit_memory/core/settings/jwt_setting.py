"""The setting `auth.jwt`: whose signed tokens a server accepts, and what their claims mean."""

from collections.abc import Mapping
from dataclasses import dataclass

from pit_memory.core.facts.assignments import assignment_name
from pit_memory.core.serving.access import Access, readable
from pit_memory.core.settings.setting_values import FILE, WEB_ADDRESS, Takes, one_of, table_of, text
from pit_memory.errors import UsageError

ALGORITHMS = ("RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512")
"""With a public key only: a secret that checks tokens could make them, too."""
_TEXT = text("one line of text")


@dataclass(frozen=True, slots=True)
class JwtRule:
    """The `[auth.jwt]` table."""

    jwks_url: str = ""
    """Where the issuer publishes its keys; they are fetched when an unknown one is named."""
    public_key_file: str = ""
    """A PEM file instead; one of the two."""
    issuer: str = ""
    audience: str = ""
    """Who the tokens are made for: this server's name at the issuer."""
    algorithm: str = "RS256"
    assignment_claim: str = "assignment"
    """Names the scope of facts, by the rules for names of assignments; without it there is none."""
    audiences_claim: str = "audiences"
    """Names one audience or a list; empty: every token reads what the team reads."""
    tools_claim: str = "tools"
    """Says `read` or `write`; a token without it reads."""

    def __post_init__(self) -> None:
        """Refuse what can't be checked. Raises ValueError."""
        if bool(self.jwks_url) == bool(self.public_key_file):
            message = "a table with either jwks_url or public_key_file"
            raise ValueError(message)
        if not self.issuer or not self.audience:
            message = "a table with issuer and audience, so that other tokens are refused"
            raise ValueError(message)


def access_of_claims(rule: JwtRule, claims: Mapping[str, object]) -> Access:
    """What the claims of a checked token allow.

    Raises:
        ValueError: a claim that decides is missing or means nothing; names it.
    """
    name = claims.get("sub") or claims.get("client_id") or claims.get("azp")
    if not isinstance(name, str):
        message = "the token names nobody: it has no sub"
        raise ValueError(message)  # noqa: TRY004 -- what is wrong is the token
    tools = claims.get(rule.tools_claim, "read") if rule.tools_claim else "read"
    return Access(
        name=name,
        assignment=_assignment(rule, claims),
        audiences=readable(_audiences(rule, claims)),
        may_write="write" in (tools if isinstance(tools, list) else [tools]),
    )


def _assignment(rule: JwtRule, claims: Mapping[str, object]) -> str | None:
    given = claims.get(rule.assignment_claim) if rule.assignment_claim else None
    if given is None:
        return None
    if not isinstance(given, str):
        message = f"the claim {rule.assignment_claim} is no text"
        raise ValueError(message)  # noqa: TRY004 -- what is wrong is the token
    try:
        return assignment_name(given, f"the claim {rule.assignment_claim}")
    except UsageError as error:
        raise ValueError(str(error)) from error


def _audiences(rule: JwtRule, claims: Mapping[str, object]) -> list[str]:
    if not rule.audiences_claim:
        return ["team"]
    given = claims.get(rule.audiences_claim)
    names = given if isinstance(given, list) else [given]
    if not all(isinstance(name, str) for name in names):
        message = f"the claim {rule.audiences_claim} names no audience"
        raise ValueError(message)
    return [str(name) for name in names]


JWT: Takes[JwtRule | None] = table_of(
    JwtRule,
    {
        "jwks_url": WEB_ADDRESS,
        "public_key_file": FILE,
        "issuer": _TEXT,
        "audience": _TEXT,
        "algorithm": one_of(*ALGORITHMS),
        "assignment_claim": _TEXT,
        "audiences_claim": _TEXT,
        "tools_claim": _TEXT,
    },
)
