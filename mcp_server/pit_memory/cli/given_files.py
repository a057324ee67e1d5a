"""Files that a command takes as lines of text."""

from pit_memory.errors import UsageError


def text_of(data: bytes, name: str) -> str:
    """Return a given file as text, without a byte order mark.

    Args:
        data: of the file.
        name: as the person gave it.

    Raises:
        UsageError: it is no UTF-8; names the first byte that isn't.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{name}: not UTF-8 at byte {error.start}; save it as UTF-8"
        raise UsageError(message) from error
