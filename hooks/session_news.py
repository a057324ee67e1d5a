"""SessionStart, second entry: print in one line what changes often; nothing where nothing waits."""

import sys

sys.path[:0] = [__file__.rsplit("/", 2)[0] + "/mcp_server", __file__.rsplit("/", 1)[0]]

from project import asked_project

from pit_memory.core.homes import DRAFTS_HOME


def main() -> None:
    """Print the line."""
    drafts = len(list((asked_project().root / DRAFTS_HOME).glob("*.md")))
    if drafts:
        what = "1 draft waits" if drafts == 1 else f"{drafts} drafts wait"
        print(f"pit-memory: {what} in {DRAFTS_HOME} to be published: /pit-memory:wrapup")


if __name__ == "__main__":
    try:
        main()
    except Exception as error:
        print(f"pit-memory: no news: {error}", file=sys.stderr)
