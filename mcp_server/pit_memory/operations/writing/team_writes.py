"""Writes on a server: one at a time in its clone, pushed before they are acknowledged."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from pit_memory.core.documents.citations import format_ref, parse_ref
from pit_memory.core.writing.receipts import WriteReceipt
from pit_memory.errors import GitError, StoreBusyError, WriteRefusedError
from pit_memory.workspace.drafts_branch import DraftsBranch


class TeamWrites:
    """What agents write on one server; off as long as it may not push, or can't."""

    def __init__(self, branch: DraftsBranch) -> None:
        self.branch = branch
        self.why_off = ""
        """One line; empty where agents may write."""

    def check(self) -> None:
        """See whether they may."""
        try:
            self.branch.prepare()
        except (GitError, StoreBusyError) as error:
            self.why_off = str(error)
        else:
            self.why_off = ""

    def bring_in(self) -> str:
        """Take in what was pushed, push what waits; returns the commit.

        Where agents may not write nothing is pushed; it is looked whether they may now.

        Raises:
            GitError, StoreBusyError: as `DraftsBranch.bring_in`.
        """
        if not self.why_off:
            return self.branch.bring_in()
        commit = self.branch.take_in()
        self.check()
        return commit

    def write(self, write: Callable[[], WriteReceipt]) -> WriteReceipt:
        """Take in what was pushed, write, push; the receipt says what became of it.

        What is committed and could not be pushed is pushed by the next round; it is not lost.

        Raises:
            WriteRefusedError: agents may not write here.
            StoreBusyError: another process writes for long; nothing was written.
            PitMemoryError: as the write itself.
        """
        if self.why_off:
            message = f"nothing is written on this server: {self.why_off}"
            raise WriteRefusedError(message)
        with self.branch.lease():
            try:
                self.branch.refresh()
            except GitError as error:
                receipt = write()
                return _not_pushed(receipt, error) if self._is_here(receipt) else receipt
            receipt = write()
            if not self._is_here(receipt):
                return receipt
            try:
                renamed = self.branch.push()
            except GitError as error:
                return _not_pushed(receipt, error)
        visible = f"Pushed to {self.branch.branch}: visible to everyone with the repository."
        commit = replace(receipt.commit, is_pushed=True)
        pushed = replace(receipt, commit=commit, visible=f"{visible}{_draft(receipt)}")
        return _renamed(pushed, renamed)

    def _is_here(self, receipt: WriteReceipt) -> bool:
        """Whether it was committed to the branch: a fact isn't, nor what lies in a submodule."""
        if receipt.commit.state != "committed":
            return False
        ref = parse_ref(receipt.ref)
        return ref.source is None and self.branch.holds(ref.path)


def _not_pushed(receipt: WriteReceipt, error: GitError) -> WriteReceipt:
    note = f"committed on this server, not pushed yet: {error}"
    return replace(receipt, notes=(*receipt.notes, note))


def _draft(receipt: WriteReceipt) -> str:
    _, mark, rest = receipt.visible.partition(" It is a draft")
    return mark + rest


def _renamed(receipt: WriteReceipt, renamed: Mapping[str, str]) -> WriteReceipt:
    ref = parse_ref(receipt.ref)
    if ref.path not in renamed:
        return receipt
    place = renamed[ref.path]
    note = f"another server has just written {ref.path}: this one is {place}"
    new = format_ref(replace(ref, path=place))
    return replace(receipt, ref=new, place=place, notes=(*receipt.notes, note))
