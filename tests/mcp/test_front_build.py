"""Calls that come while the front's environment is being built."""

from tests.patience import comes_true


def test_a_build_is_asked_for_before_the_first_call(start):
    session = start(built=False)
    session.greet()
    assert comes_true((session.folder / "asked").exists)


def test_a_call_waits_for_a_build_that_is_nearly_done_and_tells_how_far_it_is(start):
    session = start(built=False)
    session.call(1, "pid", _meta={"progressToken": "p"})
    progress = session.receive()
    assert progress["method"] == "notifications/progress"
    assert progress["params"]["message"] == "step 2 of 3, about 7 s left"
    session.finish_build()
    answer = session.receive()
    while "method" in answer:
        answer = session.receive()
    assert int(answer["result"]["content"][0]["text"]) > 0


def test_a_call_that_would_wait_too_long_is_told_the_step_and_later_ones_work(start):
    session = start(built=False, build_wait=1.0)
    session.call(1, "pid")
    refused = session.receive()["result"]
    assert refused["isError"] is True
    assert refused["content"][0]["text"] == (
        "step 2 of 3, about 7 s left. Use grep meanwhile, and call again later in this session."
    )
    session.finish_build()
    session.call(2, "pid")
    assert int(session.text()) > 0


def test_a_call_whose_progress_is_shown_waits_longer(start):
    session = start(built=False, build_wait=0.0, watched_build_wait=600.0)
    session.call(1, "pid", _meta={"progressToken": "p"})
    assert session.receive()["method"] == "notifications/progress"
    session.call(2, "pid")
    answer = session.receive()
    while "method" in answer:
        answer = session.receive()
    assert (answer["id"], answer["result"]["isError"]) == (2, True)
    session.finish_build()
    answer = session.receive()
    while "method" in answer:
        answer = session.receive()
    assert answer["id"] == 1


def test_a_build_that_failed_names_its_log(start):
    session = start(built=False)
    (session.folder / "failed").touch()
    session.call(1, "pid")
    refused = session.receive()["result"]
    assert refused["isError"] is True
    assert "build.log" in refused["content"][0]["text"]
