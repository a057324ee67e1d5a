"""Globs as .gitignore writes them, for include, exclude, boost and path filters.

`*`, `?` and `[...]` stay within one name, `**` crosses folders, `\\` takes the next sign literally. A
pattern without a slash (but at its end) matches at any depth, another one from the root. A pattern
that matches a folder covers everything in it; one that ends in `/` matches folders only. There is
no `!`.
"""

from collections.abc import Sequence


class Globs:
    """A set of patterns, compiled once; a path matches if any pattern does."""

    def __init__(self, patterns: Sequence[str]) -> None:
        """Compile.

        Raises:
            UsageError: a pattern is empty, unclosed, negated or leads out of the root.
        """
        raise NotImplementedError

    def match(self, path: str) -> bool:
        """Tell whether a pattern covers a path, relative to the root, in POSIX form.

        A folder is asked for with `/` at its end.
        """
        raise NotImplementedError
