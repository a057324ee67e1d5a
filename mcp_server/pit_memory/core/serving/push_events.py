"""What forges send when somebody has pushed: whose it is, and whether it is meant for us."""

import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from pit_memory.core.text.globs import Globs

_HEADS = "refs/heads/"
_GITHUB, _GITEA, _GITLAB = "x-hub-signature-256", "x-gitea-signature", "x-gitlab-token"


class RefusedPushError(Exception):
    """A request that is no push for us; `status` is what HTTP calls it."""

    def __init__(self, status: int, reason: str) -> None:
        """Take the status, and a line that gives nothing away."""
        super().__init__(reason)
        self.status = status


@dataclass(frozen=True, slots=True)
class Push:
    """A push to a branch."""

    repository: str
    """Full name at the forge, such as `acme/handbook`."""
    branch: str
    """Empty for a tag."""
    commit: str
    identity: str
    """The same for a request that is sent again: SHA-256 of what was signed."""


def checked_push(headers: Mapping[str, str], body: bytes, secret: str) -> Push | None:
    """Read a request whose signature holds; None for another event, such as a ping.

    GitHub and Gitea sign the body with HMAC-SHA-256; GitLab sends the secret itself.

    Args:
        headers: names in lower case.
        body: as it came.
        secret: shared with the forge; not empty.

    Raises:
        RefusedPushError: no signature or a wrong one, or a body that can't be read.
    """
    if not _is_signed(headers, body, secret):
        raise RefusedPushError(401, "the signature is missing or wrong")
    event = headers.get("x-github-event") or headers.get("x-gitea-event")
    is_push = event == "push" or headers.get("x-gitlab-event") == "Push Hook"
    try:
        value = json.loads(body)
        if not is_push:
            return None
        about = value.get("project") or value["repository"]
        name = about.get("path_with_namespace") or about["full_name"]
        ref, commit = value["ref"], value["after"]
    except (ValueError, LookupError, AttributeError, TypeError, RecursionError) as error:
        raise RefusedPushError(400, "the body is no push event") from error
    if not all(isinstance(text, str) for text in (name, ref, commit)):
        raise RefusedPushError(400, "the body is no push event")
    branch = ref.removeprefix(_HEADS) if ref.startswith(_HEADS) else ""
    return Push(name, branch, commit, sha256(body).hexdigest())


def _is_signed(headers: Mapping[str, str], body: bytes, secret: str) -> bool:
    if token := headers.get(_GITLAB):
        return hmac.compare_digest(token.encode(), secret.encode())
    given = headers.get(_GITHUB, "").removeprefix("sha256=") or headers.get(_GITEA, "")
    expected = hmac.new(secret.encode(), body, sha256).hexdigest()
    return hmac.compare_digest(given.encode(), expected.encode())


def is_for_us(push: Push, repositories: Sequence[str], branches: Sequence[str]) -> bool:
    """Tell whether a push is to one of our branches.

    Args:
        push: from the forge.
        repositories: full names, without case; never empty.
        branches: globs.

    Raises:
        RefusedPushError: it is of another repository.
    """
    if push.repository.casefold() not in {name.casefold() for name in repositories}:
        raise RefusedPushError(403, "that repository is not served here")
    return bool(push.branch) and Globs(branches).match(push.branch)
