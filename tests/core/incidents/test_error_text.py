"""Pasted error text: what tells of it stays, what never comes back goes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.incidents.error_message import MAX_MESSAGE
from pit_memory.core.incidents.error_text import is_alert_name, read_error_text
from pit_memory.core.incidents.incident_question import read_question
from pit_memory.core.text.log_noise import without_noise

ALERT = {
    "labels": {
        "alertname": "KubePodCrashLooping",
        "namespace": "shop",
        "pod": "checkout-7d9f8b6c5d-x2x4q",
        "container": "checkout",
        "severity": "warning",
    },
    "annotations": {
        "description": "Pod shop/checkout-7d9f8b6c5d-x2x4q (checkout) is crash looping.",
        "runbook_url": "https://runbooks.example.org/KubePodCrashLooping",
    },
    "startsAt": "2024-05-17T10:11:12.123Z",
    "fingerprint": "ab12cd34ef56ab78",
}
WEBHOOK = {"version": "4", "status": "firing", "alerts": [ALERT], "commonLabels": {}}
JAVA = """\
2024-05-17 10:11:12,345 ERROR [http-nio-8080-exec-7] c.s.Checkout - Request 8f14e45f-ceea-467f-a9d2-1d1f9d5b4f1e failed
org.springframework.dao.DataAccessException: could not obtain connection
\tat com.shop.db.Pool.get(Pool.java:88)
\tat com.shop.Cart.add(Cart.java:12)
\tat java.lang.Thread.run(Thread.java:750)
Caused by: java.net.ConnectException: Connection refused: db-1/10.0.0.7:5432
\t... 23 more
"""  # noqa: E501 -- as it is logged
PYTHON = """\
Traceback (most recent call last):
  File "/app/shop/cart.py", line 12, in add
    self.pool.get()
  File "/usr/lib/python3.11/site-packages/pool.py", line 3, in get
    raise PoolError
sqlalchemy.exc.TimeoutError: QueuePool limit of size 5 overflow 10 reached
"""
GO = """\
panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x4a1f3b]

goroutine 1 [running]:
main.(*Server).handle(0xc000010000, 0x1)
\t/app/main.go:42 +0x1d
main.main()
\t/app/main.go:12 +0x2a
"""
JAVASCRIPT = """\
TypeError: Cannot read properties of undefined (reading 'price')
    at Cart.total (/app/src/cart.js:14:20)
    at async handler (/app/node_modules/express/lib/router.js:3:1)
    at /app/src/server.js:9:3
"""


@pytest.mark.parametrize("around", ["{}", "```json\n{}\n```", "we got this one again: {}", "[{}]"])
def test_an_alert_is_its_name_and_what_its_annotations_say_without_template_values(around):
    read = read_error_text(around.replace("{}", json.dumps(WEBHOOK, indent=1)))
    assert (read.kind, read.names) == ("alert", ("KubePodCrashLooping",))
    assert read.message == "KubePodCrashLooping\nPod / (checkout) is crash looping."


def test_an_alert_that_was_cut_off_is_read_as_far_as_it_goes():
    read = read_error_text(json.dumps(WEBHOOK)[:330])
    assert read.kind == "alert"
    assert read.message.startswith("KubePodCrashLooping\nPod ")


def test_an_alert_as_mail_and_chat_show_it():
    read = read_error_text(
        "[FIRING:1] DiskFull\nLabels:\n - alertname = NodeFilesystemAlmostOutOfSpace\n"
        " - instance = 10.0.0.7:9100\nAnnotations:\n"
        " - description = Filesystem at 10.0.0.7:9100 has only 2.34% available space left.\n"
    )
    assert read.kind == "alert"
    assert read.message == (
        "NodeFilesystemAlmostOutOfSpace\nFilesystem at has only % available space left."
    )


@pytest.mark.parametrize(
    ("trace", "first", "name"),
    [
        (
            JAVA,
            "Caused by: java.net.ConnectException: Connection refused: db-1/",
            "ConnectException",
        ),
        (PYTHON, "sqlalchemy.exc.TimeoutError: QueuePool limit of size 5", "TimeoutError"),
        (GO, "panic: runtime error: invalid memory address", ""),
        (JAVASCRIPT, "TypeError: Cannot read properties of undefined", "TypeError"),
    ],
    ids=["java", "python", "go", "javascript"],
)
def test_a_trace_is_its_errors_the_cause_first_and_not_its_frames(trace, first, name):
    read = read_error_text(trace)
    assert read.kind == "trace"
    assert read.message.startswith(first)
    assert (read.names or ("",))[0] == name
    for noise in ("site-packages", "Thread.java", "more", "goroutine", "node_modules", "0x"):
        assert noise not in read.message


def test_a_trace_keeps_a_few_functions_of_the_program_itself():
    assert read_error_text(JAVA).message.endswith("com.shop.db.Pool.get\ncom.shop.Cart.add")


LOGS = [
    (
        "May 17 10:11:12 web-1 nginx[1234]: upstream timed out, client: 10.1.2.3, request id=ab12",
        "nginx[1234]: upstream timed out, client: ,",
    ),
    (
        'level=error ts=2024-05-17T10:11:12.123Z caller=main.go:12 msg="opening storage failed"',
        'msg="opening storage failed"',
    ),
    (
        "E0517 10:11:12.123456       1 reflector.go:138] Failed to watch the nodes",
        "Failed to watch the nodes",
    ),
    (
        '{"level":"error","msg":"opening storage failed","err":"lock"}\n{"msg":"exiting"}',
        "opening storage failed\nlock\nexiting",
    ),
    (
        "2024-05-17 10:11:12 INFO start 1\n2024-05-17 10:11:13 ERROR no room\nINFO start 2",
        "no room\nstart 1",
    ),
]


@pytest.mark.parametrize(("log", "message"), LOGS)
def test_a_log_is_its_messages_the_errors_first_each_once(log, message):
    read = read_error_text(log)
    assert (read.kind, read.message) == ("log", message)


@pytest.mark.parametrize(
    "noise",
    [
        "8f14e45f-ceea-467f-a9d2-1d1f9d5b4f1e",
        "10.0.0.7:5432",
        "fe80::1ff:fe23:4567:890a",
        "00:1a:2b:3c:4d:5e",
        "0x7ffee4b2",
        "trace_id=4bf92f3577b34da6a3ce929d0e0e4736",
        '"request_id": "abc-123"',
        "2024-05-17T10:11:12.123Z",
        "1715940000123",
        "0.9734523",
        "{{ $labels.pod }}",
        "\x1b[31m",
    ],
)
def test_times_ids_addresses_and_counters_are_noise(noise):
    assert without_noise(f"pool exhausted {noise} for the db") == "pool exhausted for the db"


@pytest.mark.parametrize(
    "question",
    [
        "why does checkout return 502 {sometimes}",
        "10.0.0.7:5432",
        "what does ERROR 1205 mean",
        "less than 5% inodes left within 24 hours",
        "% of the targets in namespace are down.",
        "KubePodCrashLooping",
    ],
)
def test_a_plain_question_stays_as_it_was_asked(question):
    read = read_error_text(question)
    assert (read.kind, read.message) == ("question", question)


def test_dates_of_a_question_are_asked_for_apart_and_those_of_a_log_are_not():
    asked = read_question("what broke on 17 May 2024 in checkout")
    assert asked.query.dates == ("2024-05-17",)
    assert "2024" not in asked.query.text
    assert "date:2024-05-17" in asked.query.record_terms.exact
    assert read_question(JAVA).query.dates == ()


def test_alerts_are_known_by_payload_and_by_name():
    assert read_question(json.dumps(WEBHOOK)).is_alert
    assert read_question("KubePodCrashLooping").is_alert
    assert not read_question(JAVA).is_alert
    assert [is_alert_name(it) for it in ("etcdMembersDown", "NodeRAIDDegraded")] == [True, True]
    assert not any(map(is_alert_name, ("getUser", "checkout", "502", "is it slow", "")))


def test_what_a_pasted_text_lacks_is_no_reason_to_find_nothing():
    query = read_question(JAVA).query
    assert set(query.literals.values()) <= {"ConnectException", "DataAccessException"}
    assert not query.alone


@given(st.text(max_size=400))
def test_no_text_breaks_the_reader_and_words_remain(text):
    read = read_error_text(text)
    assert len(read.message) <= max(MAX_MESSAGE, len(text))
    if any(character.isalpha() for character in text):
        assert read.message


@pytest.mark.parametrize(
    "text",
    ["{" * 50_000, "[" * 50_000, '{"a":' * 20_000, "at " * 50_000, "a.b(" * 20_000, "\\" * 50_000],
)
def test_no_text_takes_for_ever(text):
    read_error_text(text)
