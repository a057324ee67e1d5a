"""What a process has counted since it began; safe to use from several threads."""

from threading import Lock

from pit_memory.core.answers.answers import SearchAnswer
from pit_memory.core.facts.fact_answers import RecallAnswer
from pit_memory.core.serving.metrics import METRICS, TOOLS, Histogram, Labels


class Meter:
    """Counters and histograms of `core.serving.metrics`, by name and label values."""

    def __init__(self) -> None:
        """Count from zero."""
        self._counts: dict[tuple[str, Labels], float] = {}
        self._histograms: dict[tuple[str, Labels], Histogram] = {}
        self._changing = Lock()

    def count(self, name: str, *labels: str) -> None:
        """Add one to a counter."""
        key = _key(name, labels)
        with self._changing:
            self._counts[key] = self._counts.get(key, 0.0) + 1

    def observe(self, name: str, seconds: float, *labels: str) -> None:
        """Add a value to a histogram."""
        key = _key(name, labels)
        with self._changing:
            self._histograms[key] = self._histograms.get(key, Histogram()).with_value(seconds)

    def searched(self, collection: str, answer: SearchAnswer, seconds: float) -> None:
        """Count one search by what its answer says.

        Args:
            collection: that was asked.
            answer: what it answered.
            seconds: it took, the look at the files included.
        """
        tool = TOOLS[collection]
        if collection == "canary":
            return  # nobody asked
        self._answered(tool, answer, seconds, found=not answer.abstained)
        if collection == "incidents":
            self.count("pit_memory_incident_searches_total")

    def recalled(self, answer: RecallAnswer, seconds: float) -> None:
        """Count one recall by what its answer says.

        Args:
            answer: what it answered.
            seconds: it took, the look at the files included.
        """
        self._answered(TOOLS["facts"], answer, seconds, found=bool(answer.facts))

    def _answered(
        self, tool: str, answer: SearchAnswer | RecallAnswer, seconds: float, *, found: bool
    ) -> None:
        self.count("pit_memory_searches_total", tool, answer.mode)
        self.observe("pit_memory_search_seconds", seconds, tool, "all")
        for leg, report in (("words", answer.keyword), ("meaning", answer.semantic)):
            if report.state != "skipped":
                self.observe("pit_memory_search_seconds", report.seconds, tool, leg)
        if answer.semantic.failed:
            self.count("pit_memory_semantic_errors_total")
        if "degraded" in (answer.keyword.state, answer.semantic.state):
            self.count("pit_memory_degraded_answers_total", tool)
        if not found:
            self.count("pit_memory_abstentions_total", tool)

    def counts(self) -> dict[tuple[str, Labels], float]:
        """Counters as they stand."""
        with self._changing:
            return dict(self._counts)

    def histograms(self) -> dict[tuple[str, Labels], Histogram]:
        """Histograms as they stand."""
        with self._changing:
            return dict(self._histograms)


def _key(name: str, labels: Labels) -> tuple[str, Labels]:
    if len(METRICS[name].labels) != len(labels):
        raise ValueError(name, labels)
    return name, labels
