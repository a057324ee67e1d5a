"""PostToolUse of Edit and Write: bring the section index and the triggers up to date with a file.

A convenience: whatever goes wrong, the edit stands, and the commit gate will tell.
"""

import os
import sys
from pathlib import Path

sys.path[:0] = [__file__.rsplit("/", 2)[0] + "/mcp_server", __file__.rsplit("/", 1)[0]]

from pit_memory.core.host.tool_events import ToolEvent, context_answer, parse_event


def main(parts: list[str]) -> None:
    """Do what the launcher found to be done: `index`, `memory`."""
    event = parse_event(sys.stdin.buffer.read().decode("utf-8", "replace"))
    if event is None or not event.file:
        return
    said = []
    if "index" in parts:
        try:
            said.append(index_followed(event))
        except Exception as error:
            said.append(f"pit-memory: section index not updated: {error}")
    if "memory" in parts:
        try:
            said.append(memory_followed(event))
        except Exception as error:
            said.append(f"pit-memory: triggers not compiled: {error}")
    if text := "\n".join(filter(None, said)):
        print(context_answer("PostToolUse", text))


def index_followed(event: ToolEvent) -> str:
    """Rewrite the entries of one file; say what else changed by that."""
    from pit_memory.core.corpus.corpora import corpora_among
    from pit_memory.workspace.corpus_rules import project_rules
    from pit_memory.workspace.work_trees import toplevel

    file = Path(event.file).parent.resolve() / Path(event.file).name
    root = toplevel(file.parent) or Path(event.directory).resolve()
    if not file.is_relative_to(root):
        return ""
    path = file.relative_to(root).as_posix()
    rules = project_rules(root, os.environ)
    if not any(corpus.is_indexed for corpus in corpora_among([path], rules, prose=False)):
        return ""
    from markdown_parser import ensure_parser

    ensure_parser()
    from pit_memory.workspace.index_refresh import refresh_file

    changed = " and ".join(refresh_file(root, path, rules))
    return f"pit-memory: {changed} follows this edit; commit them together." if changed else ""


def memory_followed(event: ToolEvent) -> str:
    """Follow an edit in a memory folder."""
    from memory_edit import follow_memory_edit
    from project import asked_project

    return follow_memory_edit(event, asked_project())


if __name__ == "__main__":
    main(sys.argv[2:])
