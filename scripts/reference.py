"""Write the reference pages from the code: `scripts/reference.py`; a test compares them.

The command line's page is click's own help of every command; the pages of the configuration and of
the metrics are their tables. Run it in the test environment (`scripts/test` makes it).
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "mcp_server"))

from pit_memory.cli.app import COMMANDS, app  # noqa: E402 - after the import root is known
from pit_memory.core.serving.metrics import METRICS, Metric  # noqa: E402
from pit_memory.core.settings.settings import KEYS  # noqa: E402
from pit_memory.operations.upkeep.init import assignment  # noqa: E402

HELP_WIDTH = 96
"""Columns of the help as the page shows it: fits the site's text column."""

CONFIGURATION_HEAD = """\
# Configuration

Generated from the code by `scripts/reference.py`.

## Where settings are read

Strength grows: defaults, `~/.config/pit-memory/config.toml` (yours), `.pit-memory.toml` at the
project's root, environment variables, flags.

## What a wrong key does

An unknown key or a wrong value takes search away from nobody: it is ignored, and every answer,
`status` and `doctor` name the place, the key, its value, what was expected and the nearest key.
What a weaker place says holds instead. Nothing is written until it is corrected, and gates fail;
`docs add`, `allow` and `remove` work all the same, as each changes its own line alone, unless the
list of sources is what is wrong.

It is not ignored where it may keep something out of answers: keys that say so below, and unknown
ones that are like them or like `exclude`, `private`, `audience`. Then nothing is answered, and the
error says why. So is a file that is not TOML.

## What a project file may say

A project's file comes with a clone, so it may only speak about its own tree. Keys marked *person*
are honoured from your own file and the environment; in a project's file they are reported and
ignored.

## Folders

`PIT_MEMORY_DATA` names the data folder (default `$XDG_DATA_HOME/pit-memory`, else
`~/.local/share/pit-memory`), `PIT_MEMORY_CONFIG` the folder of your own settings (default
`$XDG_CONFIG_HOME/pit-memory`, else `~/.config/pit-memory`). Both must be absolute.
"""


METRICS_HEAD = """\
# Metrics

Generated from the code by `scripts/reference.py`.

`GET /metrics` of `pit-memory serve --http` answers in the text format of Prometheus.
`ops/alerts.yml` and `ops/dashboard.json` use these names.
"""


def command_line_page() -> str:
    """The reference of the command line."""
    lines = ["# Command line", "", "Generated from the code by `scripts/reference.py`.", ""]
    context = _context(app, "pit-memory", None)
    lines += ["## pit-memory", "", *_fenced(app.get_help(context))]
    for name in COMMANDS:
        command = app.get_command(context, name)
        if command is not None:
            lines += _command_sections(command, name, context)
    return "\n".join(lines)


def configuration_page() -> str:
    """The reference of the settings."""
    lines = [CONFIGURATION_HEAD]
    for key in KEYS.values():
        lines += [f"## {key.name}", "", key.doc, "", f"* takes: {key.takes.words}"]
        lines.append(f"* set by: {key.by}")
        if key.guards:
            lines.append("* a wrong value stops every answer")
        if key.environment:
            lines.append(f"* environment: `{key.environment}`")
        lines += ["", "Default:", "", "```toml", *assignment(key, Counter()), "```", ""]
    return "\n".join(lines)


def metrics_page() -> str:
    """The reference of the metrics."""
    gauges = [metric for metric in METRICS.values() if metric.type == "gauge"]
    grown = [metric for metric in METRICS.values() if metric.type != "gauge"]
    return "\n".join(
        [
            METRICS_HEAD,
            *_metrics_section("How the server and its index are now", gauges),
            "",
            *_metrics_section("What happened since the process began", grown),
            "",
        ]
    )


def _metrics_section(heading: str, metrics: Sequence[Metric]) -> Iterator[str]:
    yield from (f"## {heading}", "")
    yield from ("| metric | type | labels | what it says |", "| --- | --- | --- | --- |")
    for metric in metrics:
        yield f"| `{metric.name}` | {metric.type} | {', '.join(metric.labels)} | {metric.doc} |"


PAGES = {
    "docs/reference/metrics.md": metrics_page,
    "docs/reference/cli.md": command_line_page,
    "docs/reference/configuration.md": configuration_page,
}


def _command_sections(command: click.Command, name: str, parent: click.Context) -> Iterator[str]:
    context = _context(command, name, parent)
    yield from (f"## {context.command_path}", "", *_fenced(command.get_help(context)))
    if isinstance(command, click.Group):
        for child_name, child in command.commands.items():
            yield from _command_sections(child, child_name, context)


def _context(command: click.Command, name: str, parent: click.Context | None) -> click.Context:
    settings = {**command.context_settings, "max_content_width": HELP_WIDTH}
    return click.Context(
        command, info_name=name, parent=parent, terminal_width=HELP_WIDTH, **settings
    )


def _fenced(text: str) -> list[str]:
    return ["```text", text.rstrip(), "```", ""]


def main() -> None:
    """Write every page."""
    for path, page in PAGES.items():
        (ROOT / path).write_text(page(), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
