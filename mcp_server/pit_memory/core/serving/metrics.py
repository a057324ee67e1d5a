"""The metrics: one table, from which counters, `/metrics`, `status` and the reference page come."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Labels = tuple[str, ...]
"""Values of a metric's labels, in their order."""
SECONDS_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the histograms' buckets, in seconds."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A row: what is measured."""

    name: str
    type: Literal["counter", "gauge", "histogram"]
    """Counters and histograms grow since the process began; a gauge is how things are now."""
    doc: str
    labels: tuple[str, ...] = ()


METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("pit_memory_info", "gauge", "Always 1; the version is a label.", ("version",)),
        Metric("pit_memory_documents_indexed", "gauge", "Documents of the index."),
        Metric("pit_memory_chunks_indexed", "gauge", "Chunks of the index."),
        Metric("pit_memory_generation", "gauge", "Number of the index's last change."),
        Metric(
            "pit_memory_index_age_seconds",
            "gauge",
            "Seconds since the index was last known to hold what the files hold; where the server "
            "fetches, since its last fetch if that is longer ago.",
        ),
        Metric("pit_memory_pending_files", "gauge", "Changed files that aren't indexed yet."),
        Metric("pit_memory_embedding_queue", "gauge", "Chunks that have no vector yet."),
        Metric(
            "pit_memory_embedding_failing",
            "gauge",
            "1 where the last work in the background (indexing, embedding) failed.",
        ),
        Metric("pit_memory_sync_problems", "gauge", "Problems in files, as `status` lists them."),
        Metric(
            "pit_memory_canary",
            "gauge",
            "1 where a document of the server's own is found by a leg (words, meaning, filters).",
            ("leg",),
        ),
        Metric(
            "pit_memory_fetch_failing",
            "gauge",
            "1 where the last round of fetching and indexing failed.",
        ),
        Metric(
            "pit_memory_search_processes",
            "gauge",
            "Processes that answer the server's searches now; 0 where it answers them itself.",
        ),
        Metric(
            "pit_memory_search_process_ends_total",
            "counter",
            "Processes for searches that ended or could not be started; each is replaced.",
        ),
        Metric(
            "pit_memory_searches_total",
            "counter",
            "Searches, by tool and the legs that answered (hybrid, keyword, semantic).",
            ("tool", "mode"),
        ),
        Metric("pit_memory_incident_searches_total", "counter", "Searches of incidents."),
        Metric(
            "pit_memory_search_seconds",
            "histogram",
            "Time of a search, by tool and leg (words, meaning; all is the whole answer).",
            ("tool", "leg"),
        ),
        Metric(
            "pit_memory_semantic_errors_total",
            "counter",
            "Searches whose question could not be asked by meaning: embedder or vectors failed.",
        ),
        Metric(
            "pit_memory_degraded_answers_total",
            "counter",
            "Answers that said a leg was missing or not complete.",
            ("tool",),
        ),
        Metric(
            "pit_memory_abstentions_total",
            "counter",
            "Answers that found nothing near enough.",
            ("tool",),
        ),
        Metric(
            "pit_memory_tool_calls_total",
            "counter",
            "Calls of tools, by outcome: ok, refused (told to the agent), defect (ours).",
            ("tool", "outcome"),
        ),
        Metric(
            "pit_memory_requests_total",
            "counter",
            "Requests over HTTP, by route and status.",
            ("route", "status"),
        ),
        Metric(
            "pit_memory_token_rejections_total",
            "counter",
            "Requests refused for their token: missing, malformed, oversized, unknown, expired, "
            "revoked, invalid.",
            ("reason",),
        ),
        Metric(
            "pit_memory_pushes_total",
            "counter",
            "Push events of a forge, by outcome: accepted, ignored (other branch or event), "
            "refused.",
            ("outcome",),
        ),
        Metric(
            "pit_memory_limited_requests_total",
            "counter",
            "Requests refused by a limit: token, assignment, size.",
            ("limit",),
        ),
    )
}
"""Every metric by name, in the order of the reference page."""

TOOLS: Mapping[str, str] = {
    "docs": "docs_search",
    "memory": "docs_search",
    "incidents": "incidents_search",
    "facts": "kb_memory_recall",
    "canary": "canary",
}
"""The tool that searches a collection; the command line's searches count for it, too."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """How often a value lay within each bound."""

    counts: tuple[int, ...] = (0,) * (len(SECONDS_BOUNDS) + 1)
    """For each of `SECONDS_BOUNDS`, then for all larger values; not summed up."""
    sum: float = 0.0

    def with_value(self, seconds: float) -> "Histogram":
        """This and one more value."""
        place = next(
            (place for place, bound in enumerate(SECONDS_BOUNDS) if seconds <= bound),
            len(SECONDS_BOUNDS),
        )
        counts = (*self.counts[:place], self.counts[place] + 1, *self.counts[place + 1 :])
        return Histogram(counts, self.sum + seconds)

    def cumulative(self) -> Sequence[tuple[str, int]]:
        """(upper bound as text, values up to it), as the exposition format wants it."""
        bounds = [*map(str, SECONDS_BOUNDS), "+Inf"]
        total, rows = 0, []
        for bound, count in zip(bounds, self.counts, strict=True):
            total += count
            rows.append((bound, total))
        return rows
