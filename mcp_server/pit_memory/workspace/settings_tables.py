"""A settings file as it is written, read only where it names what is asked for: for hooks."""

from collections.abc import Mapping
from pathlib import Path

from pit_memory.workspace.files import read_bytes

MAX_FILE_BYTES = 1_000_000
"""A settings file larger than this is not one."""


def tables_naming(file: Path, *names: str) -> Mapping[str, object]:
    """Return the tables and keys of a settings file; none where it holds none of some names.

    Args:
        file: it need not exist.
        names: of the tables or keys that are asked for.

    Raises:
        OSError, ValueError: it can't be read, or is not TOML.
    """
    try:
        data = read_bytes(file, MAX_FILE_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    if not any(name.encode() in data for name in names):
        return {}
    import tomllib  # as dear as the rest of a hook, and mostly not needed

    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except RecursionError as error:
        message = f"{file} is nested too deeply"
        raise ValueError(message) from error
