"""The mark that an import leaves in a record: whether anybody has changed it since."""

import hashlib

OWN_KEYS = ("imported", "source_id", "source_updated", "source_was", "source_key")
"""What an import says in a record's front matter of itself, whatever the source says there."""
_MARK = "imported: "
"""Line of the front matter: a hash of the rest of the file as the import wrote it."""
_END = "\n---\n"


def marked(text: str) -> str:
    """A record with its mark."""
    return text.replace(_END, f"\n{_MARK}{_hash_of(text)}{_END}", 1)


def is_as_imported(text: str) -> bool:
    """Whether nobody has changed a record since an import wrote it."""
    lines = text.split("\n")
    head = text.partition(_END)[0].split("\n")
    marks = [line for line in head if line.startswith(_MARK)]
    if len(marks) != 1:
        return False
    lines.remove(marks[0])
    rest = "\n".join(lines)
    return marks[0] == f"{_MARK}{_hash_of(rest)}"


def _hash_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8]
