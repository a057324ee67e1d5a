"""Writes on a server: one at a time in its clone, pushed before they are acknowledged."""

from collections.abc import Callable
from dataclasses import replace

from pit_memory.core.receipts import WriteReceipt
from pit_memory.errors import GitError
from pit_memory.workspace.drafts_branch import DraftsBranch


def write_and_push(branch: DraftsBranch, write: Callable[[], WriteReceipt]) -> WriteReceipt:
    """Write under the clone's lease, then push; the receipt says what became of it.

    What is committed and could not be pushed is pushed by the next round; it is not lost.

    Raises:
        StoreBusyError: another process writes for long; nothing was written.
        PitMemoryError: as the write itself.
    """
    with branch.lease():
        receipt = write()
        if receipt.commit.state != "committed":
            return receipt
        try:
            branch.push()
        except GitError as error:
            note = f"committed on this server, not pushed yet: {error}"
            return replace(receipt, notes=(*receipt.notes, note))
    visible = f"Pushed to {branch.branch}: visible to everyone with the repository."
    return replace(receipt, visible=f"{visible}{_draft(receipt)}")


def _draft(receipt: WriteReceipt) -> str:
    _, mark, rest = receipt.visible.partition(" It is a draft")
    return mark + rest
