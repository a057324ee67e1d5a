"""Who a request comes from: its bearer token, ours or one that an identity provider signed."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from pit_memory.core.serving.access import Access
from pit_memory.core.serving.bearer_tokens import MAX_CHARACTERS, TokenRecord, find
from pit_memory.core.settings.jwt_setting import JwtRule, access_of_claims
from pit_memory.errors import SettingsError
from pit_memory.workspace.files import read_bytes, reason

if TYPE_CHECKING:
    from pathlib import Path

    from fastmcp.server.auth.providers.jwt import JWTVerifier

_SCHEME = "bearer "
_MAX_KEY_BYTES = 100_000
_JWT_DOTS = 2


class RejectedError(Exception):
    """A request without a token that counts."""

    def __init__(self, reason: str, message: str) -> None:
        """Take the reason as the metrics name it, and a line for whoever asked."""
        super().__init__(message)
        self.reason = reason


class Tokens(Protocol):
    """Where our own tokens are (`workspace.token_file.TokenFile`)."""

    def tokens(self) -> tuple[TokenRecord, ...]:
        """All of them."""


class Authenticator:
    """Tells what a token allows."""

    def __init__(
        self,
        tokens: Tokens,
        jwt: tuple[JwtRule, "JWTVerifier"] | None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Take both kinds of tokens.

        Args:
            tokens: our own.
            jwt: the rule of signed tokens with what checks them; None where none are accepted.
            clock: seconds since the epoch.
        """
        self._tokens = tokens
        self._jwt = jwt
        self._clock = clock

    async def access(self, authorization: str | None) -> Access:
        """What a request may see and do, by its Authorization header.

        Raises:
            RejectedError: it has no token, or one that is worth nothing.
            SettingsError: the file of tokens can't be read: nobody is let in.
        """
        if not authorization:
            raise RejectedError("missing", "a bearer token is needed")
        if len(authorization) > MAX_CHARACTERS + len(_SCHEME):
            raise RejectedError("oversized", "that is no token of this server")
        if not authorization.lower().startswith(_SCHEME):
            raise RejectedError("malformed", "a bearer token is needed")
        token = authorization[len(_SCHEME) :].strip()
        if not token or not token.isascii() or not token.isprintable():
            raise RejectedError("malformed", "that is no token of this server")
        if self._jwt and token.count(".") == _JWT_DOTS:
            return await _signed(*self._jwt, token)
        record = find(self._tokens.tokens(), token)
        if record is None:
            raise RejectedError("unknown", "that is no token of this server")
        standing = record.standing(self._clock())
        if standing != "valid":
            raise RejectedError(standing, f"the token has {_FATES[standing]}")
        return record.access


_FATES = {"expired": "expired", "revoked": "been revoked"}


async def _signed(rule: JwtRule, verifier: "JWTVerifier", token: str) -> Access:
    checked = await verifier.verify_token(token)
    if checked is None:
        raise RejectedError("invalid", "the signed token is not valid here")
    if checked.expires_at is None:
        raise RejectedError("invalid", "the signed token never expires; that is not accepted")
    try:
        return access_of_claims(rule, checked.claims)
    except ValueError as error:
        raise RejectedError("invalid", f"the signed token says too little: {error}") from error


def jwt_verifier(rule: JwtRule) -> "JWTVerifier":
    """What checks the signed tokens of a rule.

    Raises:
        SettingsError: the key can't be read.
    """
    from pathlib import Path

    from fastmcp.server.auth.providers.jwt import JWTVerifier

    return JWTVerifier(
        public_key=_key(Path(rule.public_key_file)) if rule.public_key_file else None,
        jwks_uri=rule.jwks_url or None,
        issuer=rule.issuer,
        audience=rule.audience,
        algorithm=rule.algorithm,
    )


def _key(file: "Path") -> str:
    try:
        text = read_bytes(file, _MAX_KEY_BYTES).decode("ascii")
    except (OSError, UnicodeDecodeError) as error:
        why = reason(error) if isinstance(error, OSError) else "it is no PEM file"
        message = f"auth.jwt: can't read public_key_file {file}: {why}"
        raise SettingsError(message) from error
    if "-----BEGIN" not in text:
        message = f"auth.jwt: public_key_file {file} is no PEM file"
        raise SettingsError(message)
    return text
