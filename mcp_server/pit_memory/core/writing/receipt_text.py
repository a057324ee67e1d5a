"""Receipts as text, for agents and people."""

from collections.abc import Iterator

from pit_memory.core.text.safe_text import safe_line
from pit_memory.core.writing.receipts import CommitOutcome, WriteReceipt


def receipt_text(receipt: WriteReceipt, *, force: str = "force=true") -> str:
    """The whole receipt as text; ends without a line end. It leads with who can see it.

    Args:
        receipt: what became of it.
        force: how the reader goes on all the same.
    """
    lines = _written(receipt) if receipt.is_written else _not_written(receipt, force)
    return "\n".join(map(safe_line, lines))


def _written(receipt: WriteReceipt) -> Iterator[str]:
    yield receipt.visible
    yield f"{receipt.kind}: {receipt.ref}"
    yield commit_line(receipt.commit)
    if receipt.is_retrievable:
        yield "retrievable now: a search has just found it"
    else:
        yield f"not retrievable: {receipt.why_not_retrievable}"
    yield f"why there: {receipt.route}"
    yield from receipt.notes


def _not_written(receipt: WriteReceipt, force: str) -> Iterator[str]:
    yield "Not written: this may be there already."
    for near in receipt.near:
        yield f"{near.ref}  {near.title} · {near.why}"
    yield f"Read it, and edit that file if it should say more; {force} writes a second one."
    yield from receipt.notes


def commit_line(commit: CommitOutcome, files: int = 1) -> str:
    """What became of the commit of some files, one line."""
    if commit.state != "committed":
        return f"written, not committed: {commit.reason}"
    on = f" on {commit.branch}" if commit.branch else ""
    about = f"; {commit.reason}" if commit.reason else ""
    alone = "this file alone" if files == 1 else f"these {files} files alone"
    if commit.also:
        alone = f"with {', '.join(commit.also)}, which a hook added"
    pushed = "pushed" if commit.is_pushed else "not pushed"
    return f"committed {commit.id}{on}, {alone}; {pushed}{about}"
