"""Two servers, writers on both, one killed again and again: what was acknowledged must be there.

    python benchmarks/team_writes.py [--seconds 60] [--writers 2] [--shared] [--whole] [--outages]

Real servers over HTTP, and a bare repository as the remote. A writer whose server dies, refuses or
says nothing asks the other one with the same text, as an agent would. Some texts have a title that
the other writers use in the same moment. At the end both servers start once more; then each
acknowledged text must be on the remote's drafts branch, and no text twice. One that was said to be
pushed must be there in that moment, too. Prints figures; exits 1 where one is lost or twice, or a
server did not come back to its work.
"""

# ruff: noqa: S311 -- chance decides what happens when, not who may do it

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import httpx

BRANCH = "pit-memory/drafts"
PORTS = (18_511, 18_512)
GIT = ("git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org")
RETRIES = 300


def git(folder: Path, *arguments: str) -> str:
    """Run git; returns what it prints."""
    return subprocess.run(
        [*GIT, *arguments], cwd=folder, check=True, capture_output=True, text=True
    ).stdout


def below(pid: int) -> list[int]:
    """The processes that a process has started, and theirs."""
    parents = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(place.parent.name)] = int(place.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found = [pid]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found[1:]


class Server:
    """One replica, started again after each kill."""

    def __init__(self, base: Path, top: Path, data: Path, number: int) -> None:
        self.url = f"http://127.0.0.1:{PORTS[number]}/mcp"
        self._log = (base / f"server{number}.log").open("ab")
        self._command = [sys.executable, "-m", "pit_memory.server", "--http"]
        self._command += ["--root", str(top), "--port", str(PORTS[number])]
        self._environ = os.environ | {
            "PIT_MEMORY_DATA": str(data),
            "PIT_MEMORY_EMBEDDING_PROVIDER": "none",
            "PIT_MEMORY_FETCH_DRAFTS": BRANCH,
            "PIT_MEMORY_FETCH_EVERY": "10",
            "PIT_MEMORY_SERVER_REQUESTS_A_MINUTE": "100000",
        }
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it."""
        self.process = subprocess.Popen(
            self._command, env=self._environ, stderr=self._log, stdin=subprocess.DEVNULL
        )

    def wait(self, until: float) -> None:
        """Wait till it answers, at most till then."""
        while time.monotonic() < until:
            try:
                httpx.get(self.url.replace("/mcp", "/health/live"), timeout=5.0)
            except httpx.HTTPError:
                time.sleep(0.1)
            else:
                return

    def kill(self, *, whole: bool) -> None:
        """End it at once; `whole` with every git that it has started, as a container ends."""
        if self.process is None:
            return
        others = below(self.process.pid) if whole else []
        self.process.kill()
        for pid in others:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.wait()

    def stop(self) -> None:
        """End it in order."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait()


class Writer(threading.Thread):
    """Writes one text after the other until it is told to stop; none is given up lightly."""

    def __init__(self, number: int, servers: list[Server], remote: Path, until: float) -> None:
        super().__init__()
        self._remote = remote
        self._number = number
        self._servers = servers
        self._until = until
        self.acknowledged: list[str] = []
        self.figures: Counter[str] = Counter()
        self.given_up: list[str] = []
        self.not_there: list[str] = []

    def run(self) -> None:
        """Write."""
        turn = 0
        while time.monotonic() < self._until:
            turn += 1
            word = f"zq{self._number}x{turn}x"
            moment = int(time.monotonic() / 5)
            title = f"Prime pump {moment}" if turn % 2 == 0 else f"Prime the {word} pump"
            self._write(word, title)

    def _write(self, word: str, title: str) -> None:
        text = f"Open the {word} valve first, then the other one."
        arguments = {"content": text, "kind": "reference", "title": title}
        for attempt in range(RETRIES):
            server = self._servers[(self._number + attempt) % len(self._servers)]
            said = self._ask(server, arguments)
            if said is None:
                self.figures["no answer"] += 1
                time.sleep(0.2)
            elif said.startswith("Pushed"):
                self.acknowledged.append(word)
                self.figures["pushed"] += 1
                if not self._is_pushed(word):
                    self.not_there.append(word)
                return
            elif "not pushed yet" in said:
                self.acknowledged.append(word)
                self.figures["kept on the server"] += 1
                return
            elif said.startswith("Not written"):
                self.figures["there already"] += 1
                return
            else:
                self.figures[said.partition("\n")[0][:120]] += 1
                time.sleep(0.2)
        self.given_up.append(word)

    def _is_pushed(self, word: str) -> bool:
        """Whether the remote has it this moment; one that is away can't be asked."""
        asked = ["git", "grep", "--quiet", word, BRANCH]
        try:
            return subprocess.run(asked, cwd=self._remote, check=False).returncode == 0
        except FileNotFoundError:
            return True

    def _ask(self, server: Server, arguments: dict[str, str]) -> str | None:
        call = {"name": "memory_write", "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        headers = {"accept": "application/json, text/event-stream"}
        try:
            answer = httpx.post(server.url, json=body, headers=headers, timeout=60.0)
            return str(answer.json()["result"]["content"][0]["text"])
        except (httpx.HTTPError, ValueError, KeyError):
            return None


def main() -> int:
    """Run everything for the time asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--writers", type=int, default=2, help="on each server")
    parser.add_argument("--shared", action="store_true", help="both servers have one clone")
    parser.add_argument("--whole", action="store_true", help="kill the server's git, too")
    parser.add_argument("--outages", action="store_true", help="the remote goes away now and then")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pit-memory-writes-") as folder:
        return run(asked, Path(folder))


def run(asked: argparse.Namespace, base: Path) -> int:
    """Make the repositories, let everybody work, judge."""
    team, remote = base / "team", base / "remote.git"
    (team / "docs").mkdir(parents=True)
    (team / "docs/a.md").write_text("# Alpha\n\nThe first page.\n")
    git(team, "init", "--quiet", "--initial-branch=main")
    git(team, "add", "--all")
    git(team, "commit", "--quiet", "--message=Alpha")
    git(base, "clone", "--quiet", "--bare", str(team), str(remote))
    tops = [base / "clone0"] * 2 if asked.shared else [base / "clone0", base / "clone1"]
    for top in dict.fromkeys(tops):
        git(base, "clone", "--quiet", str(remote), str(top))
        git(top, "config", "user.name", "Server")
        git(top, "config", "user.email", "server@example.org")
    servers = [
        Server(base, top, base / f"data-{top.name}", number) for number, top in enumerate(tops)
    ]
    for server in servers:
        server.start()
    until = time.monotonic() + asked.seconds
    writers = [Writer(number, servers, remote, until) for number in range(2 * asked.writers)]
    for writer in writers:
        writer.start()
    kills, pages = disturb(asked, servers, team, remote, until)
    for writer in writers:
        writer.join()
    mistakes = [f"given up: {word}" for writer in writers for word in writer.given_up]
    mistakes += [
        f"not there when it was said: {it}" for writer in writers for it in writer.not_there
    ]
    mistakes += settle(servers, writers[0])
    mistakes += judge(remote, {word for writer in writers for word in writer.acknowledged})
    for top in dict.fromkeys(tops):
        if left := git(top, "status", "--porcelain"):
            mistakes.append(f"{top.name} is not clean: {left!r}")
    figures = sum((writer.figures for writer in writers), Counter())
    print(f"{dict(figures)}, {kills} kills, {pages} pages pushed, {len(mistakes)} mistakes")
    for line in mistakes[:20]:
        print(line, file=sys.stderr)
    if mistakes:
        for number in range(2):
            log = (base / f"server{number}.log").read_text().splitlines()
            said = [line for line in log if '"level": "info"' not in line]
            print(f"server {number}:", *said[-5:], sep="\n", file=sys.stderr)
    return 1 if mistakes else 0


def disturb(
    asked: argparse.Namespace, servers: list[Server], team: Path, remote: Path, until: float
) -> tuple[int, int]:
    """Kill a server, push a page of the team, take the remote away, till the time is up."""
    kills = pages = 0
    away = remote.with_name("away.git")
    while time.monotonic() < until:
        victim = random.choice(servers)
        victim.wait(until)
        time.sleep(random.uniform(0.1, 4.0))
        victim.kill(whole=asked.whole)
        victim.start()
        kills += 1
        if random.random() < 0.5:
            pages += 1
            for number in range(50):
                (team / f"docs/page{pages}-{number}.md").write_text(f"# Page {pages}\n" * 200)
            git(team, "add", "--all")
            git(team, "commit", "--quiet", f"--message=Page {pages}")
            git(team, "push", "--quiet", str(remote), "main")
        if asked.outages and random.random() < 0.3:
            remote.rename(away)
            time.sleep(random.uniform(1.0, 5.0))
            away.rename(remote)
    return kills, pages


def settle(servers: list[Server], writer: Writer) -> list[str]:
    """Start both once more, see both write, and end them in order."""
    mistakes = []
    for number, server in enumerate(servers):
        server.kill(whole=True)
        server.start()
        ends = time.monotonic() + 120
        said: str | None = None
        while time.monotonic() < ends and not (said or "").startswith("Pushed"):
            time.sleep(0.5)
            last = {
                "content": f"The last word of server {number} at {time.monotonic()}.",
                "kind": "reference",
                "title": f"Last words {number} {time.monotonic_ns()}",
                "force": True,
            }
            said = writer._ask(server, last)
        if not (said or "").startswith("Pushed"):
            mistakes.append(f"server {number} writes no more: {said!r}")
    for server in servers:
        server.stop()
    return mistakes


def judge(remote: Path, acknowledged: set[str]) -> list[str]:
    """What is wrong on the drafts branch."""
    listed = git(remote, "ls-tree", "-r", "--name-only", BRANCH, "docs/_drafts").splitlines()
    found: Counter[str] = Counter()
    for path in listed:
        found.update(
            set(re.findall(r"zq\d+x\d+x(?= valve)", git(remote, "show", f"{BRANCH}:{path}")))
        )
    mistakes = [f"lost: {word}" for word in sorted(acknowledged - found.keys())]
    mistakes += [f"twice: {word}" for word, times in found.items() if times > 1]
    print(json.dumps({"acknowledged": len(acknowledged), "there": len(found)}))
    return mistakes


if __name__ == "__main__":
    sys.exit(main())
