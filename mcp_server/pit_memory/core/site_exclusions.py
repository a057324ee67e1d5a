"""Which files a site leaves out, by patterns as `.gitignore` has them (MkDocs, Zensical)."""

from collections.abc import Iterable

from pit_memory.core.globs import Globs
from pit_memory.errors import UsageError


def is_left_out(path: str, patterns: Iterable[str]) -> bool:
    """Tell whether patterns leave a file out; the last one that matches it decides.

    Args:
        path: of a file, relative to the folder of the site's documents.
        patterns: one a line; `#` begins a comment, `!` takes an earlier one back.
    """
    out = False
    for line in patterns:
        pattern = line.strip()
        if not pattern or pattern.startswith("#"):
            continue
        takes_back = pattern.startswith("!")
        try:
            if Globs([pattern.removeprefix("!").removeprefix("\\")]).match(path):
                out = not takes_back
        except UsageError:
            continue  # a pattern that we can't read leaves nothing out
    return out
