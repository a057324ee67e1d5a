"""`pit-memory hooks`: the gates as a native git hook."""

from pathlib import Path

import click

from pit_memory.cli.options import json_option, root_option
from pit_memory.cli.writing_command import ChangingCommand


@click.group()
def command() -> None:
    """Install the gates as a native git hook.

    For commits that no agent makes. Inside of Claude Code the plugin's own hooks do the same.
    """


@command.command(cls=ChangingCommand)
@root_option
@json_option
def install(root: Path | None, as_json: bool) -> None:
    """Install the pre-commit hook, beside the one that is there.

    A hook that is there runs first and may refuse as before. Respects core.hooksPath. Where
    pit-memory is not installed, the hook says so in one line and lets the commit pass.
    """
    from pit_memory.cli.render import print_json
    from pit_memory.operations.gates.git_hook import install_git_hook
    from pit_memory.workspace.project import existing_root

    hook = install_git_hook(existing_root(root))
    if as_json:
        earlier = str(hook.earlier) if hook.earlier else None
        print_json({"path": str(hook.path), "earlier": earlier, "changed": hook.changed})
        return
    click.echo(f"{'Installed' if hook.changed else 'Already installed'}: {hook.path}")
    if hook.earlier:
        click.echo(f"Runs first: {hook.earlier}")
