"""`python -I -m pit_memory`: the command line, held to the environment it runs in."""

import sys
from pathlib import Path

from pit_memory.cli import main
from pit_memory.workspace.installation import hold
from pit_memory.workspace.standard_streams import open_closed_streams

if __name__ == "__main__":
    open_closed_streams()
    hold(Path(sys.prefix))
    sys.exit(main())
