"""Processes that outlive whoever starts them."""

import os
import subprocess
import sys

from tests.shared_material import PROJECT

STARTS_ONE = """
import os
from pit_memory.workspace.detached import start_command

start_command(["/bin/sh", "-c", ":"], {}, "/")
try:
    print(os.waitpid(-1, os.WNOHANG))
except ChildProcessError:
    print("no child")
"""


def test_what_is_started_leaves_no_child_to_wait_for():
    environ = {**os.environ, "PYTHONPATH": str(PROJECT / "mcp_server")}
    done = subprocess.run(
        [sys.executable, "-c", STARTS_ONE], env=environ, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("no child\n", "")
