"""Which paths a filter means: folders, files, globs. Shared by every engine that filters."""

from collections.abc import Sequence

from pit_memory.core.text.globs import Globs

_GLOB_SIGNS = frozenset("*?[")


class PathFilter:
    """Paths as a person names them: `docs/howto` (folder or file) or `docs/**/api.md` (glob).

    A name with glob signs also means the very file or folder that is called so.
    """

    def __init__(self, names: Sequence[str]) -> None:
        """Compile. Raises UsageError where a glob can't be compiled."""
        self.literals = tuple(name.removeprefix("./").strip("/") for name in names)
        """Files or folders without slashes around them; empty means the root, so everything."""
        globs = [name for name in names if not _GLOB_SIGNS.isdisjoint(name)]
        self._globs = Globs(globs) if globs else None

    @property
    def has_globs(self) -> bool:
        """Whether single paths have to be asked for with `match_glob`."""
        return self._globs is not None

    def match_glob(self, path: str) -> bool:
        """Tell whether one of the globs covers a path."""
        return self._globs is not None and self._globs.match(path)

    def match(self, path: str) -> bool:
        """Tell whether a path is meant in any way."""
        return any(
            not literal or path == literal or path.startswith(literal + "/")
            for literal in self.literals
        ) or self.match_glob(path)
