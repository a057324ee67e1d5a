"""A client of the front: a process over a tiny server in the place of the real one."""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NEVER = 3600.0
"""Seconds: longer than any test."""


class Session:
    """One client's side of a front."""

    def __init__(self, folder, *, built=True, python=sys.executable, cwd=None, **limits):
        self.folder = folder
        self.python = python
        if built:
            self.finish_build()
        # Most stories are about what a call does: it alone starts the server there.
        limits = {"warm": NEVER, **limits}
        with (folder / "stderr").open("wb") as stderr:
            self.process = subprocess.Popen(
                front_command(folder, **limits),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                cwd=cwd or folder,
            )
        assert self.process.stdin
        assert self.process.stdout
        self.stdin, self.stdout = self.process.stdin, self.process.stdout

    def finish_build(self):
        (self.folder / "python.new").write_text(self.python)
        (self.folder / "python.new").rename(self.folder / "python")

    def send(self, message):
        raw = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.stdin.write(raw + b"\n")
        self.stdin.flush()

    def request(self, request_id, method, params=None):
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}})

    def call(self, request_id, tool, **params):
        self.request(request_id, "tools/call", {"name": tool, "arguments": {}, **params})

    def notify(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def line(self):
        return self.stdout.readline().rstrip(b"\n")

    def receive(self):
        return json.loads(self.line())

    def text(self):
        return self.receive()["result"]["content"][0]["text"]

    def greet(self, **hello):
        params = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }
        self.request("hello", "initialize", {**params, **hello})
        answer = self.receive()["result"]
        self.notify("notifications/initialized", {})
        return answer

    def servers(self):
        """Process ids of the servers that ran, in order."""
        started = self.folder / "servers"
        return [int(pid) for pid in started.read_text().split()] if started.exists() else []

    def stderr(self):
        return (self.folder / "stderr").read_text()


def front_command(folder, **limits):
    """Runs a front whose environment is a folder."""
    options = json.dumps({"folder": str(folder), "limits": limits})
    return [sys.executable, "-S", str(HERE / "front_runner.py"), options]


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A dead process that nobody has waited for still has its number.
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (
        FileNotFoundError,
        ProcessLookupError,
    ):  # it was waited for a moment ago, or there is no such file system
        return not Path("/proc/self/stat").exists()
    return status.rpartition(")")[2].split()[0] != "Z"
