"""Measure what the index hooks cost: `PIT_MEMORY_DATA=DIR python benchmarks/hooks.py REPOSITORY`.

REPOSITORY is a git work tree with a section index (`pit-memory sections build`); a scratch copy, as
a file of it is edited. DIR holds an environment of this checkout; `bin/pit-memory status` makes it.
Prints processor time with all child processes beside that of a bare interpreter.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
RUNS = 15
COMMANDS = ("ls", "git status", "git log --grep commit", "git commit -m x")


def processor_ms(argv: list[str], payload: str, root: Path) -> float:
    """Processor time of a process and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environ = {**os.environ, "CLAUDE_PROJECT_DIR": str(root)}
    subprocess.run(
        argv, input=payload.encode(), cwd=root, env=environ, capture_output=True, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3


def show(name: str, costs: list[float]) -> None:
    """Print a row."""
    print(f"{name:32} min {min(costs):6.1f}, median {statistics.median(costs):6.1f} ms")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("repository", type=Path)
    root: Path = parser.parse_args().repository.resolve()
    data = Path(os.environ["PIT_MEMORY_DATA"]).resolve()
    pointer = Path(f"{data}/roots{PROJECT}/.environment")
    python = pointer.read_text(encoding="utf-8").splitlines()[0]
    show(
        "bare interpreter",
        [processor_ms([python, "-I", "-S", "-c", ""], "", root) for _ in range(RUNS)],
    )
    launch = ["sh", str(PROJECT / "hooks/launch")]
    files = sorted(root.rglob("*.md"), key=lambda file: file.stat().st_size)
    edited = files[len(files) // 2]
    written = edited.read_text(encoding="utf-8")
    event = {"tool_name": "Edit", "tool_input": {"file_path": str(edited)}, "cwd": str(root)}
    costs = []
    for number in range(RUNS):
        edited.write_text(f"{written}\n## Heading {number}\n\nA sentence.\n", encoding="utf-8")
        costs.append(processor_ms([*launch, "edit"], json.dumps(event), root))
    edited.write_text(written, encoding="utf-8")
    processor_ms([*launch, "edit"], json.dumps(event), root)
    show(f"edit, {len(written):,} characters", costs)
    for line in COMMANDS:
        call = {"tool_name": "Bash", "tool_input": {"command": line}, "cwd": str(root)}
        argv = [*launch, "before_call"]
        show(line, [processor_ms(argv, json.dumps(call), root) for _ in range(RUNS)])
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
