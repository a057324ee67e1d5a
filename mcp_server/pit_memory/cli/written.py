"""How a command that writes ends: the one place that turns what became of it into an exit code."""

import click

from pit_memory.cli.exit_codes import EXIT_USER_MUST_ACT
from pit_memory.core.writing.receipts import CommitOutcome, WriteReceipt

COMMIT_IT = "mend that, then `git add` and `git commit` it yourself"


def finish_write(
    ctx: click.Context,
    *commits: CommitOutcome | None,
    is_done: bool = True,
    next_step: str = COMMIT_IT,
) -> None:
    """End a command: exit code 1 where something wasn't written, or was and isn't committed.

    A script that goes on after exit code 0 may rely on the commit. What the settings leave for
    later, or lies in no repository, was not to be committed: exit code 0.

    Args:
        ctx: of the command.
        commits: what became of each; None where there was nothing to commit.
        is_done: whether all was written that was to be.
        next_step: what commits it.
    """
    from pit_memory.cli.render import say

    is_missed = any(commit.is_missed for commit in commits if commit)
    if is_missed:
        say(f"exit code {EXIT_USER_MUST_ACT}, as it is written and not committed: {next_step}")
    if is_missed or not is_done:
        ctx.exit(EXIT_USER_MUST_ACT)


def finish_receipt(ctx: click.Context, receipt: WriteReceipt) -> None:
    """End a command that writes one file; where it wrote none, no commit is missed."""
    commit = receipt.commit if receipt.is_written else None
    finish_write(ctx, commit, is_done=receipt.is_written)
