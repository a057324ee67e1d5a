"""Commands that write: where one is refused it says that nothing was written."""

from typing import Any

import click

from pit_memory.core.writing.untouched import saying_untouched


class WritingCommand(click.Command):
    """Writes something new, or refuses before it does."""

    untouched = "nothing was written"

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 -- as click has it
        """Run the command."""
        with saying_untouched(self.untouched):
            return super().invoke(ctx)


class ChangingCommand(WritingCommand):
    """Changes or removes what is there, or refuses before it does."""

    untouched = "nothing was changed"
