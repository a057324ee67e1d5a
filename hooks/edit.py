"""PostToolUse of Edit and Write: bring the section index up to date with the edited file.

A convenience: whatever goes wrong, the edit stands, and the commit gate will tell.
"""

import os
import sys
from pathlib import Path

sys.path[:0] = [__file__.rsplit("/", 2)[0] + "/mcp_server", __file__.rsplit("/", 1)[0]]

from pit_memory.core.corpora import corpora_among
from pit_memory.core.tool_events import context_answer, parse_event
from pit_memory.workspace.corpus_rules import enclosing_tree, project_rules


def main() -> str:
    """Rewrite the entries of one file; say what else changed by that."""
    event = parse_event(sys.stdin.buffer.read().decode("utf-8", "replace"))
    if event is None or not event.file:
        return ""
    file = Path(event.file).parent.resolve() / Path(event.file).name
    root = enclosing_tree(file.parent) or Path(event.directory).resolve()
    if not file.is_relative_to(root):
        return ""
    path = file.relative_to(root).as_posix()
    rules = project_rules(root, os.environ)
    if not any(corpus.is_indexed for corpus in corpora_among([path], rules)):
        return ""
    from markdown_parser import ensure_parser

    ensure_parser()
    from pit_memory.workspace.section_index import refresh_file

    changed = " and ".join(refresh_file(root, path, rules))
    return f"pit-memory: {changed} follows this edit; commit them together." if changed else ""


def run() -> str:
    """Let the edit stand, aloud, whatever goes wrong."""
    try:
        return main()
    except Exception as error:
        return f"pit-memory: section index not updated: {error}"


if __name__ == "__main__":
    if said := run():
        print(context_answer("PostToolUse", said))
