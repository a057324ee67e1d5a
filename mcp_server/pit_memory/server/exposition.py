"""Metrics as Prometheus reads them."""

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from pit_memory.core.serving.metrics import METRICS
from pit_memory.operations.gauges import Gauges
from pit_memory.operations.meter import Meter

CONTENT_TYPE = CONTENT_TYPE_LATEST


class _Values(Collector):
    """What a meter has counted and how things are now."""

    def __init__(self, meter: Meter, gauges: Gauges) -> None:
        self._counts = meter.counts()
        self._histograms = meter.histograms()
        self._gauges = gauges

    def collect(self) -> Iterable[Metric]:
        for metric in METRICS.values():
            if metric.type == "histogram":
                histogram = HistogramMetricFamily(metric.name, metric.doc, labels=metric.labels)
                for (name, labels), values in sorted(self._histograms.items()):
                    if name == metric.name:
                        histogram.add_metric(labels, values.cumulative(), values.sum)
                yield histogram
                continue
            family = GaugeMetricFamily if metric.type == "gauge" else CounterMetricFamily
            made = family(metric.name, metric.doc, labels=metric.labels)
            numbers = self._gauges if metric.type == "gauge" else self._counts
            found = [
                (labels, value) for (name, labels), value in numbers.items() if name == metric.name
            ]
            if not found and metric.type == "counter" and not metric.labels:
                found = [((), 0.0)]  # an alert on its rate needs the zero it grows from
            for labels, value in sorted(found):
                made.add_metric(labels, value)
            yield made


def exposition(meter: Meter, gauges: Gauges) -> bytes:
    """The text of `/metrics`."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Values(meter, gauges))
    return generate_latest(registry)
