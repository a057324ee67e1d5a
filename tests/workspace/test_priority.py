"""How much of the machine the background takes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pit_memory.workspace.detached import start_command
from tests.shared_material import PROJECT

SESSION = Path("/proc/self/autogroup")  # empty for a process whose session has no group of its own
SETTING = Path("/proc/sys/kernel/sched_autogroup_enabled")
LOWERED = f"""
import os
from pit_memory.workspace.priority import lower_process_priority

lower_process_priority()
with open("{SESSION}") as session:
    print(os.getpriority(os.PRIO_PROCESS, 0), session.read(), end="")
"""
ENVIRON = {**os.environ, "PYTHONPATH": str(PROJECT / "mcp_server")}


def sessions_have_a_niceness() -> bool:
    """Whether Linux gives each new session a niceness of its own, as it does on a desktop."""
    return SETTING.exists() and SETTING.read_text() == "1\n"


@pytest.mark.skipif(not sessions_have_a_niceness(), reason="sessions have no niceness here")
def test_a_detached_process_lowers_its_session_too(tmp_path):
    said = tmp_path / "said"
    os.mkfifo(said)  # reading waits for the process
    command = ["/bin/sh", "-c", '"$1" -c "$2" > "$3"', "sh", sys.executable, LOWERED, str(said)]
    start_command(command, ENVIRON, str(tmp_path))
    assert re.fullmatch(r"19 /autogroup-\d+ nice 19\n", said.read_text())


@pytest.mark.skipif(not SESSION.exists(), reason="sessions have no niceness here")
def test_the_session_of_others_stays_as_it_is():
    before = SESSION.read_text()
    command = [sys.executable, "-c", LOWERED]
    done = subprocess.run(command, env=ENVIRON, capture_output=True, text=True, check=True)
    assert done.stdout == f"19 {before}"
