"""Measure the MCP server as a client meets it: `python benchmarks/server.py [--words-only]`.

Runs `bin/pit-memory serve` of this checkout on a generated project, in a data folder of its own
(`--data DIR` keeps it, and the environment in it, for the next run). With the model it first waits
for the vectors. Prints, each with its bound: time to `initialize` + `tools/list` and resident
memory of the front, alone and beside two busy processes; the first call in a new process, at once
and after the time a model needs; latency of calls over stdio; memory of the server.
Absolute times depend on the machine and its load, which is printed too.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measuring import quantiles, resident_mb

PROJECT = Path(__file__).resolve().parents[1]
SECTIONS_A_PAGE = 20
WORDS_A_SECTION = 90
"""About one chunk."""
QUERIES = 300
STARTS = 20
FIRST_CALLS = 5
MODEL_SECONDS = 4.0
"""A model reads the tools and a question, and writes its first call."""
SYLLABLES = [a + b for a in "bcdfghklmnprstvw" for b in ("a", "e", "i", "o", "u", "an", "er")]


class Client:
    """A client of `bin/pit-memory serve`."""

    def __init__(self, root: Path, environ: dict[str, str]) -> None:
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            [PROJECT / "bin/pit-memory", "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=root,
            env=environ,
        )
        self.number = 0

    def send(self, message: dict[str, object]) -> None:
        """Send one message."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: dict[str, object]) -> dict[str, object]:
        """Send a request and wait for its result."""
        assert self.process.stdout
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        return dict(json.loads(self.process.stdout.readline())["result"])

    def greet(self) -> float:
        """Shake hands and list the tools; returns the seconds since the start of the process."""
        hello = {"name": "benchmark", "version": "1"}
        version = "2025-11-25"
        self.ask(
            "initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": hello}
        )
        self.send({"method": "notifications/initialized"})
        self.ask("tools/list", {})
        return time.perf_counter() - self.started

    def search(self, query: str) -> str:
        """Search; returns the text that the model reads."""
        answer = self.ask("tools/call", {"name": "docs_search", "arguments": {"query": query}})
        content = answer["content"]
        assert isinstance(content, list)
        return str(content[0]["text"])

    def search_when_built(self, query: str) -> str:
        """Search until the environment is there."""
        while True:
            text = self.search(query)
            if "set itself up" not in text and "installing" not in text:
                return text

    def leave(self) -> None:
        """Close our end and wait for the front to go."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def processor_seconds(process: int) -> float:
    """Processor time a process has used (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def child_of(process: int) -> int:
    """The one child of a process (Linux)."""
    return int(Path(f"/proc/{process}/task/{process}/children").read_text().split()[-1])


def make_project(root: Path, chunks: int) -> list[str]:
    """Write pages of invented words; returns questions about them."""
    dice = random.Random(7)  # noqa: S311 - the same project every time
    words = ["".join(dice.choices(SYLLABLES, k=dice.choice((1, 2, 2, 3)))) for _ in range(6000)]
    weights = [1 / (rank + 5) for rank in range(len(words))]
    questions = []
    for page in range(-(-chunks // SECTIONS_A_PAGE)):
        lines = [f"# {' '.join(dice.choices(words, k=3)).title()}"]
        for _ in range(min(SECTIONS_A_PAGE, chunks - page * SECTIONS_A_PAGE)):
            heading = " ".join(dice.choices(words, k=3))
            body = " ".join(dice.choices(words, weights, k=WORDS_A_SECTION))
            lines.append(f"\n## {heading.title()}\n\n{body}.")
            questions.append(f"how does {heading} work with {' '.join(dice.choices(words, k=2))}")
        folder = root / f"docs/part{page // 50:02}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"page{page:04}.md").write_text("\n".join(lines) + "\n")
    dice.shuffle(questions)
    return questions


def measure_front(root: Path, environ: dict[str, str]) -> None:
    """Time and memory of the front before any call."""
    for busy in (0, 2):
        load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(busy)]
        times, memory = [], []
        for _ in range(STARTS):
            client = Client(root, environ)
            times.append(client.greet())
            time.sleep(0.4)  # It looks for its environment in the first quiet moment.
            memory.append(resident_mb(client.process.pid))
            client.leave()
        for process in load:
            process.kill()
            process.wait()
        print(f"front, {busy} busy processes: {quantiles(times)} (bound 100 ms); ", end="")
        print(f"idle memory {max(memory):.1f} MB (bound 15)")


def wait_for_meaning(root: Path, environ: dict[str, str]) -> None:
    """Wait until the server that is open has given every chunk its vector: some two minutes."""
    status = [PROJECT / "bin/pit-memory", "status", "--json", "--root", root]
    while True:
        said = subprocess.run(status, env=environ, check=True, stdout=subprocess.PIPE).stdout
        meaning = json.loads(said)["meaning"]
        if meaning["built"] == meaning["total"]:
            return
        time.sleep(5)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--words-only", action="store_true", help="without the model")
    parser.add_argument("--data", type=Path, help="data folder to keep")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        data = (options.data or Path(scratch, "data")).resolve()
        environ = {**os.environ, "PIT_MEMORY_DATA": str(data)}
        if options.words_only:
            environ["PIT_MEMORY_EMBEDDING_PROVIDER"] = "none"
        root = Path(scratch, "project")
        questions = make_project(root, options.chunks)
        load = os.getloadavg()[0]
        print(f"{options.chunks} chunks, words only: {options.words_only}, load {load:.1f}")

        client = Client(root, environ)
        client.greet()
        client.search_when_built(questions[0])
        subprocess.run(
            [PROJECT / "bin/pit-memory", "sync", "--root", root], env=environ, check=True
        )
        if not options.words_only:
            wait_for_meaning(root, environ)
        client.leave()
        measure_front(root, environ)

        for pause in (0.0, MODEL_SECONDS):
            first, used_first = [], []
            for _ in range(FIRST_CALLS):
                client = Client(root, environ)
                client.greet()
                time.sleep(pause)
                begin = time.perf_counter()
                client.search(questions[0])
                first.append(time.perf_counter() - begin)
                used_first.append(processor_seconds(child_of(client.process.pid)))
                client.leave()
            print(f"first call {pause:.0f} s after the handshake: {quantiles(first)} ", end="")
            print("(bound 1500 ms); processor time ", end="")
            print(f"{statistics.median(used_first) * 1e3:.0f} ms")

        client = Client(root, environ)
        client.greet()
        for question in questions[:20]:
            client.search(question)
        server = child_of(client.process.pid)
        used = processor_seconds(server)
        later, texts = [], []
        for question in questions[20 : 20 + QUERIES]:
            begin = time.perf_counter()
            texts.append(client.search(question))
            later.append(time.perf_counter() - begin)
        cited = sum(".md#" in text for text in texts)
        print(f"calls: {quantiles(later)} (bounds 10, 30 ms); {cited} of {len(texts)} cited")
        used = processor_seconds(server) - used
        print(f"processor time of the server: {used / len(later) * 1e3:.1f} ms a call")
        memory = resident_mb(server)
        print(f"server memory {memory:.0f} MB (bound {150 if options.words_only else 350})")
        print(texts[-1])
        client.leave()


if __name__ == "__main__":
    main()
