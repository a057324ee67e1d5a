"""What several benchmarks measure, and how they tell it."""

import os
import statistics
import time
from collections.abc import Iterable, Sequence
from pathlib import Path


def p95(values: Iterable[float]) -> float:
    """The value that 95 % of at least one are no larger than."""
    ordered = sorted(values)
    return ordered[int(len(ordered) * 0.95)]


def quantiles(seconds: Sequence[float]) -> str:
    """Median, 95th percentile and maximum in milliseconds."""
    middle, last = statistics.median(seconds), max(seconds)
    return f"p50 {middle * 1e3:.1f} ms, p95 {p95(seconds) * 1e3:.1f} ms, max {last * 1e3:.0f} ms"


def resident_mb(process: int | str = "self", field: str = "VmRSS") -> float:
    """Resident megabytes of a process: `VmRSS` now, `VmHWM` at most (Linux)."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(status.partition(f"{field}:")[2].split()[0]) / 1024


def fsync_seconds(folder: Path, count: int) -> list[float]:
    """What it costs, each time, to write 4 KiB so that a power cut doesn't lose it."""
    times = []
    for number in range(count):
        with (folder / f"fsync{number}").open("wb") as file:
            began = time.perf_counter()
            file.write(b"x" * 4_096)
            file.flush()
            os.fsync(file.fileno())
            times.append(time.perf_counter() - began)
    return times
