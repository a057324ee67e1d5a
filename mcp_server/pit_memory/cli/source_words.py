"""What `status` and `docs list` say of a source, in words."""

from typing import TYPE_CHECKING

import click

from pit_memory.cli.render import print_lines

if TYPE_CHECKING:
    from pit_memory.operations.upkeep.status import SourceStatus
    from pit_memory.sources.sieve import LeftOut

_NAMED_FORMATS = 6
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


def print_problems(source: "SourceStatus") -> None:
    """List every problem of a source, and examples of what is left out."""
    click.echo()
    for problem in source.problems:
        place = f"{problem.path}:{problem.line}" if problem.line else problem.path
        print_lines(f"{place}: {problem.rule}: {problem.message}")
    for group in source.left_out:
        shown = ", ".join(group.examples)
        more = group.count - len(group.examples)
        print_lines(f"left out, {group.reason}: {shown}{f' and {more:,} more' if more > 0 else ''}")


def groups_of(source: "SourceStatus") -> str:
    """What is left out of a source: `2 hidden, 14 of another format (png 10, zip 4)`."""
    return ", ".join(map(words_of_group, source.left_out))


def words_of_group(group: "LeftOut") -> str:
    """One reason with its count; formats that no reader exists for are named."""
    if group.reason != "of another format":
        return f"{group.count:,} {group.reason}"
    named = ", ".join(f"{ending} {count:,}" for ending, count in group.endings[:_NAMED_FORMATS])
    more = len(group.endings) - _NAMED_FORMATS
    rest = f", {more:,} others" if more > 0 else ""
    return f"{group.count:,} of another format" + (f" ({named}{rest})" if named else "")


def ago(moment: float, now: float) -> str:
    """How long ago a moment was; both in seconds since the epoch, 0 means never."""
    if not moment:
        return "never"
    seconds = max(0, int(now - moment))
    for size, unit in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit} ago"
    return f"{seconds} s ago"
