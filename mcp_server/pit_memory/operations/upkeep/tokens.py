"""Tokens of a server: add, list, revoke."""

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pit_memory.core.serving.bearer_tokens import (
    PREFIX,
    SECRET_BYTES,
    TokenRecord,
    checked,
    digest,
    seconds_of,
)
from pit_memory.core.text.nearest import nearest
from pit_memory.errors import UsageError
from pit_memory.workspace.token_file import TokenFile


@dataclass(frozen=True, slots=True)
class AddedToken:
    """A new token, which only its reader has from now on."""

    secret: str
    record: TokenRecord


def add_token(
    file: TokenFile,
    name: str,
    *,
    assignment: str | None,
    audiences: Sequence[str],
    writes: bool,
    expires: str,
) -> AddedToken:
    """Make a token; only its hash is kept.

    Args:
        file: where.
        name: for lists, logs and limits.
        assignment: scope of facts; None for none.
        audiences: whose documents it reads.
        writes: whether tools that write exist for it.
        expires: a span such as `90d`, or `never`.

    Raises:
        UsageError: an argument is wrong; names it.
        SettingsError, StoreBusyError, StorageFullError: the file can't be changed.
    """
    span = seconds_of(expires)
    secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    now = int(time.time())
    record = TokenRecord(
        name=name,
        sha256=digest(secret),
        assignment=assignment,
        audiences=tuple(dict.fromkeys(audiences)),
        writes=writes,
        created=now,
        expires=None if span is None else now + span,
    )
    with file.change() as tokens:
        # A name may be used again once its token is worth nothing.
        tokens[:] = [
            token for token in tokens if token.name != name or token.standing(now) == "valid"
        ]
        tokens.append(checked(record, tokens))
    return AddedToken(secret, record)


def revoke_token(file: TokenFile, name: str) -> TokenRecord:
    """Make a token worthless from the next request on; it stays in the list.

    Raises:
        UsageError: there is none of that name; names the nearest.
    """
    with file.change() as tokens:
        for place, token in enumerate(tokens):
            if token.name == name:
                revoked = token.revoked or int(time.time())
                tokens[place] = replace(token, revoked=revoked)
                return tokens[place]
        near = nearest(name, [token.name for token in tokens])
    hint = f"; did you mean {near}?" if near else "; `pit-memory token list` shows all"
    message = f"there is no token {name!r}{hint}"
    raise UsageError(message)
