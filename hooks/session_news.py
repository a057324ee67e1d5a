"""SessionStart, second entry: print in one line what changes often; nothing where nothing waits."""

import sys

sys.path[:0] = [__file__.rsplit("/", 2)[0] + "/mcp_server", __file__.rsplit("/", 1)[0]]

from project import Project, asked_project

from pit_memory.core.writing.homes import DRAFTS_HOME
from pit_memory.workspace.places import proposed_counts


def main() -> None:
    """Print the line; what can't be told doesn't keep the rest from being told."""
    project = asked_project()
    said = []
    for about, part in (("drafts", drafts), ("facts", proposed_facts)):
        try:
            said.append(part(project))
        except Exception as error:
            print(f"pit-memory: no news of {about}: {error}", file=sys.stderr)
    if news := "; ".join(filter(None, said)):
        print(f"pit-memory: {news}")


def drafts(project: Project) -> str:
    """How many drafts wait; empty where none does."""
    count = len(list((project.root / DRAFTS_HOME).glob("*.md")))
    if not count:
        return ""
    what = "1 draft waits" if count == 1 else f"{count} drafts wait"
    return f"{what} in {DRAFTS_HOME} to be published: /pit-memory:wrapup"


def proposed_facts(project: Project) -> str:
    """How many facts of the project's assignment wait; empty where none does."""
    folder = proposed_counts(project.where)
    if not folder.is_dir():
        return ""
    from pit_memory.workspace.assignment_setting import project_assignment
    from pit_memory.workspace.proposed_count import read_proposed_count

    name = project_assignment(project.root, project.where, project.environ)
    count = read_proposed_count(folder, name) if name else 0
    if not count:
        return ""
    what = "1 proposed fact waits" if count == 1 else f"{count} proposed facts wait"
    return f"{what} for review: pit-memory facts review"


if __name__ == "__main__":
    try:
        main()
    except Exception as error:
        print(f"pit-memory: no news: {error}", file=sys.stderr)
