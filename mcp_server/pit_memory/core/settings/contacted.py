"""Which servers a configuration lets pit-memory contact, and why; everything else is offline."""

from collections.abc import Iterator

from pit_memory.core.settings.settings import Settings


def contacted(settings: Settings) -> tuple[str, ...]:
    """One line for each server: `127.0.0.1:11434 to embed texts (embedding.provider)`."""
    return tuple(_contacted(settings))


def _contacted(settings: Settings) -> Iterator[str]:
    if settings.embedding.provider == "ollama":
        yield f"{_host(settings.embedding.url)} to embed texts and questions (embedding.provider)"
    if settings.vectors.backend == "qdrant" and settings.embedding.provider != "none":
        yield f"{_host(settings.vectors.url)} to search vectors (vectors.backend)"
    if settings.auth.jwt and settings.auth.jwt.jwks_url:
        yield f"{_host(settings.auth.jwt.jwks_url)} for the keys of signed tokens (auth.jwt)"


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0]
