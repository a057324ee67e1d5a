"""How many requests somebody may make: a bucket of permits that fills at a steady rate."""

from dataclasses import dataclass

_SECONDS_A_MINUTE = 60.0
_BURST_SECONDS = 10.0
"""A bucket holds what comes in so long: a burst at the start of a turn passes at once."""
_FORGET_ABOVE = 1_000
"""Names; with more, those whose buckets are full again are forgotten."""


@dataclass(slots=True)
class Bucket:
    """The permits of one name."""

    permits_a_minute: int
    filled_at: float
    """Time it was last filled, in seconds from any start."""
    permits: float = -1.0

    def __post_init__(self) -> None:
        """Begin full."""
        self.permits = self.size

    @property
    def size(self) -> float:
        """Permits it holds at most."""
        return max(1.0, self.permits_a_minute * _BURST_SECONDS / _SECONDS_A_MINUTE)

    @property
    def permits_a_second(self) -> float:
        """How fast it fills."""
        return self.permits_a_minute / _SECONDS_A_MINUTE

    def fill(self, now: float) -> None:
        """Put in what came since it was filled last; a clock that goes back adds nothing."""
        passed = max(0.0, now - self.filled_at)
        self.permits = min(self.size, self.permits + passed * self.permits_a_second)
        self.filled_at = now

    def wait(self) -> float:
        """Seconds until a permit is there; 0 where one is."""
        return max(0.0, (1.0 - self.permits) / self.permits_a_second)

    @property
    def is_full(self) -> bool:
        """Whether it can be forgotten: a new one would be the same."""
        return self.permits >= self.size


class Buckets:
    """One bucket a name; not safe to use from several threads."""

    def __init__(self, permits_a_minute: int) -> None:
        """Take the rate of every name."""
        self._permits_a_minute = permits_a_minute
        self._buckets: dict[str, Bucket] = {}

    def get(self, name: str, now: float) -> Bucket:
        """The bucket of a name, filled; those that are full again are forgotten now and then."""
        bucket = self._buckets.get(name)
        if bucket is None:
            if len(self._buckets) >= _FORGET_ABOVE:
                self._forget_full(now)
            bucket = self._buckets[name] = Bucket(self._permits_a_minute, now)
        bucket.fill(now)
        return bucket

    def _forget_full(self, now: float) -> None:
        for bucket in self._buckets.values():
            bucket.fill(now)
        self._buckets = {
            name: bucket for name, bucket in self._buckets.items() if not bucket.is_full
        }


def permit(buckets: list[tuple[Buckets, str]], now: float) -> tuple[int, float] | None:
    """Take one permit from each of several buckets, or from none of them.

    Args:
        buckets: each with the name that asks.
        now: seconds from any start.

    Returns:
        None where it was given; else the place of the bucket that has none, and the seconds until
        it has.
    """
    asked = [each.get(name, now) for each, name in buckets]
    for place, bucket in enumerate(asked):
        if wait := bucket.wait():
            return place, wait
    for bucket in asked:
        bucket.permits -= 1
    return None
