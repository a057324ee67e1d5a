from pit_memory.core.documents.sections import split
from pit_memory.core.search.question_sets import (
    SourcePage,
    gold_line,
    query_line,
    questions_of,
    sample,
)

PAGES = {
    "docs/keys.md": "# Keys\n\n## Rotation\n\nNightly.\n\n## Who rotates them?\n\nThe job does.\n",
    "docs/start.md": (
        "# Start\n\nFirst install it. How the signing keys change is told in"
        " [key rotation](keys.md#rotation) at length. See [here](keys.md).\n\n"
        "* The page about [all keys](./keys.md) lists every key that the service has.\n\n"
        "Links to [the web](https://example.org/a), [nothing](gone.md) and [itself](#start).\n\n"
        "```\n[code](keys.md#rotation)\n```\n"
    ),
    "notes/day.md": "# Day\n\nToday I read in [[keys#Rotation]] that it happens every night.\n",
}


def made():
    pages = {path: SourcePage(path, text, split(text).sections) for path, text in PAGES.items()}
    return list(questions_of(pages))


def test_links_and_asking_headings_become_questions():
    assert [(it.type, it.query, it.path, it.anchor, it.exclude) for it in made()] == [
        ("faq", "Who rotates them?", "docs/keys.md", "who-rotates-them", ""),
        ("link-text", "key rotation", "docs/keys.md", "rotation", "docs/start.md"),
        (
            "link-sentence",
            "How the signing keys change is told in key rotation at length.",
            "docs/keys.md",
            "rotation",
            "docs/start.md",
        ),
        ("page-text", "all keys", "docs/keys.md", None, "docs/start.md"),
        (
            "page-sentence",
            "The page about all keys lists every key that the service has.",
            "docs/keys.md",
            None,
            "docs/start.md",
        ),
        (
            "link-sentence",
            "Today I read in keys#Rotation that it happens every night.",
            "docs/keys.md",
            "rotation",
            "notes/day.md",
        ),
    ]


def test_a_sample_is_the_same_each_time():
    questions = made()
    assert sample(questions, 3) == sample(questions[::-1], 3)
    assert len(sample(questions, 3)) == 3


def test_lines_are_those_that_a_run_and_a_scorer_take():
    question = made()[1]
    assert query_line(question) == (
        f'{{"id": "{question.id}", "query": "key rotation", "type": "link-text", '
        '"exclude": ["docs/start.md"]}'
    )
    assert gold_line(question) == (
        f'{{"query_id": "{question.id}", "path": "docs/keys.md", "anchor": "rotation", "rel": 1}}'
    )
