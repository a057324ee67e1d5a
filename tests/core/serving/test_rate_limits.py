from pit_memory.core.serving.rate_limits import Buckets, permit


def given(buckets, name, now):
    return permit([(buckets, name)], now) is None


def test_a_burst_passes_and_then_the_steady_rate_holds():
    buckets = Buckets(60)  # one a second, ten at once

    assert [given(buckets, "a", 0.0) for _ in range(11)] == [True] * 10 + [False]
    assert permit([(buckets, "a")], 0.0) == (0, 1.0)
    assert [given(buckets, "a", 2.0) for _ in range(3)] == [True, True, False]
    assert given(buckets, "b", 0.0)


def test_what_one_bucket_refuses_costs_the_others_nothing():
    wide, narrow = Buckets(60), Buckets(6)
    assert permit([(wide, "a"), (narrow, "x")], 0.0) is None

    assert permit([(wide, "a"), (narrow, "x")], 0.0) == (1, 10.0)

    assert sum(given(wide, "a", 0.0) for _ in range(20)) == 9


def test_a_clock_that_goes_back_gives_nothing_away():
    buckets = Buckets(6)
    assert given(buckets, "a", 100.0)
    assert not given(buckets, "a", 50.0)
    assert given(buckets, "a", 60.0)


def test_names_that_have_not_asked_for_long_are_forgotten():
    buckets = Buckets(60)
    for number in range(1_000):
        given(buckets, str(number), 0.0)
    given(buckets, "late", 1_000.0)
    assert len(buckets._buckets) == 1
