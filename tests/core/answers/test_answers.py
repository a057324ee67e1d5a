"""Answers as text and JSON, within their budget."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.answers.answer_budget import fit
from pit_memory.core.answers.answer_json import answer_json
from pit_memory.core.answers.answer_text import answer_text
from pit_memory.core.answers.answers import Hit, LegReport, SearchAnswer, SnippetLine
from pit_memory.core.tokens import estimate

RAN = LegReport("ran", "")
HIT = Hit(
    ref="docs/reference/qdrant.md#pinning-the-client@3fa9c1d2",
    source="",
    path="docs/reference/qdrant.md",
    anchor="pinning-the-client",
    title="Qdrant",
    breadcrumb=("Qdrant", "Upgrades", "Pinning the client"),
    lines=(40, 58),
    collection="docs",
    kind="document",
    status="draft",
    band="strong",
    url=None,
    snippet=(
        SnippetLine(44, "use .query_points()"),
        SnippetLine(41, "qdrant-client is pinned since .search() was removed"),
    ),
)
ANSWER = SearchAnswer(
    query="pin the client",
    mode="hybrid",
    abstained=False,
    hits=(HIT,),
    keyword=RAN,
    semantic=RAN,
    used_tokens=0,
    budget=800,
    more=9,
    pending_files=0,
)


def test_an_answer_reads_as_the_design_shows_it():
    fitted = fit(ANSWER)
    assert (
        answer_text(fitted)
        == f"""\
1. docs/reference/qdrant.md#pinning-the-client@3fa9c1d2  L40-58  Qdrant > Upgrades > Pinning the \
client · draft
   41: qdrant-client is pinned since .search() was removed
   44: use .query_points()
9 more · {fitted.used_tokens} of 800 tokens"""
    )


def test_where_all_is_shown_and_well_there_is_no_tail():
    assert "of 800 tokens" not in answer_text(fit(replace(ANSWER, more=0)))


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"pending_files": 212}, "212 files not indexed yet"),
        ({"pending_files": 1}, "1 file not indexed yet"),
        ({"notes": ("docs: its root is gone",)}, "docs: its root is gone"),
        ({"semantic": LegReport("degraded", "43 % built")}, "meaning: 43 % built"),
        (
            {"mode": "keyword", "semantic": LegReport("degraded", "the model file is missing")},
            "by words only: the model file is missing",
        ),
    ],
)
def test_the_tail_says_what_is_wrong(change, line):
    assert line in answer_text(fit(replace(ANSWER, **change))).split("\n")


def test_a_leg_that_was_not_asked_for_is_no_trouble():
    skipped = replace(ANSWER, mode="keyword", semantic=LegReport("skipped", "asked for words only"))
    assert "words" not in answer_text(fit(skipped))


def test_weak_hits_and_rules_are_marked():
    rule = replace(HIT, band="weak", status="published", collection="memory", kind="gotcha")
    header = answer_text(replace(ANSWER, hits=(rule,))).split("\n")[0]
    assert header.endswith(" · gotcha · weak")


def test_an_answer_whose_files_all_changed_or_went_says_so():
    changed = replace(ANSWER, hits=(), more=0, notes=("left out, its file just changed: a.md",))
    assert answer_text(fit(changed)).startswith("nothing to show: the files that answer have")
    behind = answer_text(fit(replace(changed, is_behind=True)))
    assert behind.startswith("nothing to show: the files that answer can't be read now")


def test_nothing_found_names_the_nearest_headings():
    nothing = replace(ANSWER, abstained=True, hits=(), more=0, nearest=("a.md#one@0", "b.md@1"))
    assert answer_text(fit(nothing)) == (
        "nothing found: the documents do not seem to cover this\n"
        "nearest: a.md#one@0\nnearest: b.md@1"
    )


@pytest.mark.parametrize(
    "unseen",
    [
        {"semantic": LegReport("degraded", "15 % built")},
        {"pending_files": 3},
    ],
)
def test_nothing_found_is_not_said_of_what_could_not_be_searched(unseen):
    nothing = replace(ANSWER, abstained=True, hits=(), more=0, **unseen)
    first, *rest = answer_text(fit(nothing)).split("\n")
    assert first == "nothing found so far, and not all could be searched"
    assert rest, "what could not be searched"


def test_the_json_contract():
    value = json.loads(json.dumps(answer_json(fit(ANSWER))))
    assert value["hits"][0] == {
        "ref": HIT.ref,
        "source": "",
        "path": HIT.path,
        "anchor": HIT.anchor,
        "title": "Qdrant",
        "breadcrumb": ["Qdrant", "Upgrades", "Pinning the client"],
        "lines": [40, 58],
        "collection": "docs",
        "kind": "document",
        "status": "draft",
        "band": "strong",
        "url": None,
        "snippet": [
            {"line": 41, "text": "qdrant-client is pinned since .search() was removed"},
            {"line": 44, "text": "use .query_points()"},
        ],
    }
    assert value["legs"] == {
        "keyword": {"state": "ran", "reason": ""},
        "semantic": {"state": "ran", "reason": ""},
    }
    assert list(value) == [
        *("query", "mode", "abstained", "hits", "legs", "used_tokens", "budget", "more"),
        *("pending_files", "nearest", "notes"),
    ]


def many(count: int, lines: int = 3) -> SearchAnswer:
    snippet = tuple(SnippetLine(10 + n, f"line {n} says something of it") for n in range(lines))
    hits = [
        replace(HIT, ref=f"docs/page{n}.md#pin@00000000", snippet=snippet) for n in range(count)
    ]
    return replace(ANSWER, hits=tuple(hits), more=0)


def test_every_hit_gets_its_best_line_before_any_gets_a_third():
    fitted = fit(replace(many(5), budget=260))
    counts = [len(hit.snippet) for hit in fitted.hits]
    assert min(counts) >= 1
    assert max(counts) - min(counts) <= 1


def test_what_the_budget_cuts_is_counted():
    fitted = fit(replace(many(9), budget=120, more=4))
    assert 1 <= len(fitted.hits) < 9
    assert fitted.more == 4 + 9 - len(fitted.hits)


def test_where_no_hit_fits_the_answer_says_so():
    wide = replace(HIT, ref=f"{'docs/' * 60}keys.md#rotation@5d41c0aa")
    text = answer_text(fit(replace(many(1), hits=(wide,), budget=50)))
    assert text.startswith("nothing fits into 50 tokens; ask with a larger budget\n1 more")


def test_many_notes_leave_room_for_an_answer():
    noisy = replace(many(3), budget=200, notes=tuple(f"note {n} of trouble" for n in range(60)))
    fitted = fit(noisy)
    assert fitted.hits
    assert fitted.notes[-1].endswith("more notes: pit-memory status")


@given(
    budget=st.integers(50, 1500),
    count=st.integers(0, 12),
    text=st.text(max_size=160).map(lambda text: " ".join(text.split())),
    notes=st.lists(st.text("abc ", max_size=60), max_size=5).map(tuple),
    more=st.integers(0, 999),
)
def test_an_answer_never_overflows_its_budget(budget, count, text, notes, more):
    snippet = tuple(SnippetLine(number, text) for number in (3, 1, 2))
    hits = (replace(HIT, snippet=snippet),) * count
    fitted = fit(replace(ANSWER, budget=budget, hits=hits, notes=notes, more=more))
    assert estimate(answer_text(fitted)) <= budget
    assert 0 <= fitted.used_tokens - estimate(answer_text(fitted)) <= 2  # its own digits
    assert len(fitted.hits) + fitted.more == count + more


@given(budget=st.integers(50, 300), refs=st.lists(st.text("ab/#@", max_size=90), max_size=3))
def test_nearest_headings_are_cut_by_the_budget_as_well(budget, refs):
    nothing = replace(ANSWER, budget=budget, abstained=True, hits=(), more=0, nearest=tuple(refs))
    fitted = fit(nothing)
    assert estimate(answer_text(fitted)) <= budget
    assert fitted.nearest == nothing.nearest[: len(fitted.nearest)]
