"""Which files a site leaves out, by patterns as `.gitignore` has them (MkDocs, Zensical)."""

from collections.abc import Iterable

from pit_memory.core.text.globs import Globs
from pit_memory.errors import UsageError


def is_left_out(path: str, patterns: Iterable[str], *, unclear_is_out: bool) -> bool:
    """Tell whether patterns leave a file out; the last one that matches it decides.

    Args:
        path: of a file, relative to the folder of the site's documents.
        patterns: one a line; `#` begins a comment, `!` takes an earlier one back.
        unclear_is_out: whether a file counts as left out where a pattern can't be read; else that
            pattern leaves nothing out.
    """
    out = False
    for line in patterns:
        pattern = line.strip()
        if not pattern or pattern.startswith("#"):
            continue
        takes_back = pattern.startswith("!")
        try:
            if Globs([pattern.removeprefix("!")]).match(path):
                out = not takes_back
        except UsageError:
            if unclear_is_out:
                return True
    return out
