"""Every error this package raises, as one tree.

PitMemoryError                      the user or the agent can act on it
├── UsageError                      a wrong argument: names it, its value and bound (exit code 2)
│   ├── RefError                    a citation that can't be parsed
│   └── UnknownCollectionError      no such collection, kind or source; names the nearest
├── WriteRefusedError               nothing was written, as it would do harm
├── SettingsError                   a configuration file or variable can't be honoured (exit code 2)
├── PathError                       a path leaves its root, by `..`, as absolute or by a symlink
├── SourceError                     a root that is missing, unreadable or not a folder
├── DocumentError                   a file of a known format can't be read: encrypted, broken
│   └── FactAmongDocumentsError     it is a fact, which no document tool tells
├── GitError                        git gave no answer: it is missing, too slow, or refused
├── NotFoundError                   a ref that names nothing that exists now; names the nearest
├── StoreError                      an index that can't be used as it is
│   ├── StoreCorruptError           damaged; the caller rebuilds it from the files
│   ├── StoreNewerError             written by a newer version
│   └── StoreBusyError              another process held the lock longer than the time limit
├── StorageFullError                no room, or a read-only folder: nothing half-written remains
└── EmbedderError                   the model is missing or broken; search goes on by words

Messages are for people and agents: value, reason, next step. Anything else that escapes is a defect
of ours (exit code 3).
"""

TYPE_CHECKING = False  # `typing` itself costs a hook more than it may
if TYPE_CHECKING:
    from pathlib import Path


class PitMemoryError(Exception):
    """Base of all errors a user or an agent can act on."""


class UsageError(PitMemoryError):
    """An argument is wrong; the message names it, its value and the bound."""


class RefError(UsageError):
    """A citation that can't be parsed."""


class UnknownCollectionError(UsageError):
    """A collection, kind or source of that name doesn't exist."""


class WriteRefusedError(PitMemoryError):
    """Nothing was written, as it would do harm; the message says what to change."""


class SettingsError(PitMemoryError):
    """A configuration file, key or variable can't be honoured."""


class PathError(PitMemoryError):
    """A path leaves the root it belongs to."""


class SourceError(PitMemoryError):
    """A source's root is missing, unreadable or not a folder."""


class DocumentError(PitMemoryError):
    """A file of a known format can't be read at all."""


class FactAmongDocumentsError(DocumentError):
    """A file among documents is a fact of an assignment: only recall tells it."""


class GitError(PitMemoryError):
    """Git gave no answer: it is missing, too slow, or refused."""


class NotFoundError(PitMemoryError):
    """A ref is well formed and names nothing that exists now."""


class StoreError(PitMemoryError):
    """An index can't be used as it is."""


class StoreCorruptError(StoreError):
    """A damaged index file; everything in it can be rebuilt from the user's files."""

    def __init__(self, message: str, path: "Path") -> None:
        """Take the message, and the file or folder that is damaged."""
        super().__init__(message)
        self.path = path

    def __reduce__(self) -> "tuple[type[StoreCorruptError], tuple[str, Path]]":
        """Go whole to another process: by the message alone it could not be made again."""
        return type(self), (str(self), self.path)


class StoreNewerError(StoreError):
    """The index was written by a newer version of pit-memory."""


class StoreBusyError(StoreError):
    """Another process held the store's lock longer than we wait."""


class StorageFullError(PitMemoryError):
    """The data folder is full or read-only."""


class EmbedderError(PitMemoryError):
    """The embedding model is missing, broken or unreachable."""


def exit_code(error: PitMemoryError) -> int:
    """What a process ends with that an error has stopped: 2 for how it was started, else 1."""
    return 2 if isinstance(error, (UsageError, SettingsError)) else 1
