from threading import Event, Thread, active_count, get_ident

import pytest

from pit_memory.workspace.side_thread import SideThread


@pytest.fixture
def beside():
    thread = SideThread()
    yield thread
    thread.close()


def test_work_is_done_while_the_block_goes_on(beside: SideThread):
    reached = Event()

    def work() -> tuple[int, bool]:
        return get_ident(), reached.wait(timeout=60)

    with beside.doing(work) as result:
        reached.set()
        thread, met = result()
    assert met
    assert thread != get_ident()


def test_the_thread_stays_for_the_next_work(beside: SideThread):
    seen = set()
    for _ in range(3):
        with beside.doing(get_ident) as result:
            seen.add(result())
    assert len(seen) == 1


def test_what_the_work_raises_is_raised_where_its_result_is_wanted(beside: SideThread):
    def work() -> int:
        raise LookupError

    with beside.doing(work) as result, pytest.raises(LookupError):
        result()


def test_a_block_that_fails_is_left_after_the_work_and_with_its_own_error(beside: SideThread):
    done = []
    going_on = Event()

    def work() -> None:
        going_on.wait(timeout=60)
        done.append(1)

    def fail() -> None:
        with beside.doing(work):
            going_on.set()
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    assert done


def test_who_finds_the_thread_busy_works_alone(beside: SideThread):
    leave = Event()
    with beside.doing(lambda: leave.wait(timeout=60)):
        threads = []

        def another() -> None:
            with beside.doing(get_ident) as result:
                threads.append((result(), get_ident()))

        other = Thread(target=another)
        other.start()
        other.join()
        leave.set()
    assert threads[0][0] == threads[0][1]


def test_blocks_within_each_other_have_their_work_done_in_order(beside: SideThread):
    begun, order = Event(), []

    def first() -> None:
        begun.wait(timeout=60)
        order.append("first")

    with beside.doing(first), beside.doing(lambda: order.append("second")) as result:
        begun.set()
        result()
        assert order == ["first", "second"]


def test_no_thread_is_left_after_the_end_and_work_is_still_done():
    before = active_count()
    thread = SideThread()
    with thread.doing(get_ident) as result:
        assert result() != get_ident()
    thread.close()
    assert active_count() == before
    with thread.doing(get_ident) as result:
        assert result() == get_ident()
