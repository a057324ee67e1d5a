"""Measure how long a question takes that is pasted whole: a trace of 200 lines, a payload of 10 kB.

    python benchmarks/pasted.py SETS_DIR [--set NAME]... [--mode keyword|hybrid]

Takes the sets of `benchmarks/retrieval.py`. One process asks each question 40 times, every time
with other ids, numbers and times, as a server is asked; prints milliseconds of wall and of
processor time.
"""

import json
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from labelled_sets import set_options, unpack_corpus
from measuring import p95

from pit_memory.cli.sync import finish_index
from pit_memory.operations.searching.search import SearchRequest
from pit_memory.operations.services import Services
from pit_memory.wiring import open_services

ROUNDS = 40
TRACE_LINES = 200
PAYLOAD_BYTES = 10_000
CHANCE = random.Random(7)  # noqa: S311 -- test data


def main() -> None:
    """Print a row a set and kind of question."""
    options = set_options("Measure questions that are pasted whole.").parse_args()
    print("| set | question | wall p50 / p95 ms | processor p50 / p95 ms |")
    print("|---|---|--:|--:|")
    for name in options.set or ["postmortems"]:
        for row in rows(options.sets / name, options.mode):
            print(row)


def rows(folder: Path, mode: str) -> Iterator[str]:
    """The table's rows of a set."""
    with (
        tempfile.TemporaryDirectory(prefix="pit-memory-pasted-") as scratch,
        open_services(unpack_corpus(folder, scratch), background="none") as services,
    ):
        finish_index(services, meaning=mode == "hybrid")
        for what, make in (("trace of 200 lines", trace), ("payload of 10 kB", payload)):
            asked(services, make(), mode)  # what the first question loads
            taken = [asked(services, make(), mode) for _ in range(ROUNDS)]
            shown = " | ".join(_middle_and_end(times) for times in zip(*taken, strict=True))
            yield f"| {folder.name}, {mode} | {what} | {shown} |"


def asked(services: Services, question: str, mode: str) -> tuple[float, float]:
    """Milliseconds of wall and of processor time that an answer takes."""
    request = SearchRequest(
        question, collection="incidents", mode="keyword" if mode == "keyword" else None
    )
    began, worked = time.perf_counter(), time.process_time()
    services.search(request)
    return (time.perf_counter() - began) * 1000, (time.process_time() - worked) * 1000


def trace() -> str:
    """A trace of Java as a log has it, with frames nobody has had before."""
    frames = (
        f"\tat com.acme.shop.{_word()}.{_word()}({_word().title()}.java:{CHANCE.randrange(900)})"
        for _ in range(TRACE_LINES - 2)
    )
    first = f"2024-05-17T10:11:{CHANCE.randrange(60):02d}.123Z ERROR [req-{_hex()}] checkout failed"
    error = (
        "java.sql.SQLTransientConnectionException: pool - Connection is not available, timed out"
    )
    return "\n".join([first, error, *frames])


def payload() -> str:
    """What Alertmanager sends of many pods that can't reach their database."""
    alerts: list[object] = []
    body = {"version": "4", "status": "firing", "alerts": alerts}
    while len(json.dumps(body)) < PAYLOAD_BYTES:
        labels = {"alertname": "DatabaseUnreachable", "pod": f"api-{_hex()}", "severity": "page"}
        summary = f"api-{_hex()} has refused {CHANCE.randrange(900)} connections to the database"
        alerts.append(
            {"labels": labels, "annotations": {"summary": summary}, "fingerprint": _hex()}
        )
    return json.dumps(body, indent=1)


def _hex() -> str:
    return f"{CHANCE.getrandbits(64):016x}"


def _word() -> str:
    return CHANCE.choice(["checkout", "pool", "client", "handler", "filter", "proxy", "queue"])


def _middle_and_end(times: tuple[float, ...]) -> str:
    return f"{statistics.median(times):.1f} / {p95(times):.1f}"


if __name__ == "__main__":
    main()
