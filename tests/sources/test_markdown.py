"""Markdown files become documents, whatever is in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.documents.documents import Document
from pit_memory.core.text.identity import content_hash
from pit_memory.sources.formats import RawFile, read_contents
from tests.index_builders import markdown
from tests.markdown_texts import markdown_texts


def read(text: str | bytes, path: str = "docs/guide.md") -> Document:
    return markdown(path, text)


def test_a_document_says_what_its_file_says() -> None:
    data = (
        b"---\ntitle: Set  up\ndescription: How to\n  begin\ntags: [a, b, a]\n"
        b"aliases: Install, Begin\ndraft: true\naudience: customer\nweight: 3\n---\n"
        b"# Start\n\nText.\n"
    )
    document = read_contents(RawFile("docs/setup.md", data, kind="reference")).document
    assert document.title == "Set up"
    assert document.description == "How to begin"
    assert document.tags == ("a", "b")
    assert document.aliases == ("Install", "Begin")
    assert (document.status, document.audience) == ("draft", "customer")
    assert (document.kind, document.collection, document.assignment) == ("reference", "docs", None)
    assert document.front_matter["weight"] == 3
    assert document.content_hash == content_hash(data)
    assert document.line_count == 13
    assert [s.heading for s in document.sections] == ["", "Start"]
    assert [c.embedding_text for c in document.chunks] == ["Set up > Start\nText."]
    assert document.problems == ()


@pytest.mark.parametrize(
    ("path", "text", "title"),
    [
        ("a/b.md", "---\ntitle: T\n---\n# H\n", "T"),
        ("a/b.md", "---\ntitle: 2026\n---\n# H\n", "2026"),
        ("a/b.md", "---\ntitle: [no]\n---\n## Two\n# H\n", "H"),
        ("a/b.md", "---\ntitle: ''\n---\n# H\n", "H"),
        ("a/my notes.v2.md", "## Two\n", "my notes.v2"),
        ("setup/index.md", "text\n", "setup"),
        ("setup/README.md", "text\n", "setup"),
        ("README.md", "text\n", "README"),
    ],
)
def test_the_title_is_the_front_matters_else_the_first_h1_else_the_files(
    path: str, text: str, title: str
) -> None:
    assert read(text, path).title == title


@pytest.mark.parametrize(
    ("written", "tags"),
    [
        ("tags: [a, 2, true, null]", ("a", "2")),
        ("tags: a, b c", ("a", "b c")),
        ("tags: a b", ("a", "b")),
        ("tags: '#a #b'", ("a", "b")),
        ("tag: one", ("one",)),
        ("tags:\n  nested: map", ()),
        ("tags:", ()),
    ],
)
def test_tags_are_read_however_they_are_written(written: str, tags: tuple[str, ...]) -> None:
    assert read(f"---\n{written}\n---\n").tags == tags


@pytest.mark.parametrize(
    ("written", "status"),
    [
        ("draft: true", "draft"),
        ("draft: 'yes'", "draft"),
        ("draft: false", "published"),
        ("draft: maybe", "published"),
        ("other: 1", "published"),
    ],
)
def test_a_draft_says_so_in_its_front_matter(written: str, status: str) -> None:
    assert read(f"---\n{written}\n---\n").status == status


def test_broken_front_matter_is_reported_and_the_body_is_indexed() -> None:
    document = read("---\ntitle: A\nargs: [x] [y]\n---\n# Heading\n\nBody.\n")
    (problem,) = document.problems
    assert (problem.path, problem.line, problem.rule) == ("docs/guide.md", 3, "front-matter")
    assert document.title == "A"
    assert [s.heading for s in document.sections] == ["", "Heading"]
    assert document.chunks[-1].text == "# Heading\n\nBody."


def test_a_rule_at_the_top_is_no_front_matter_and_nothing_is_lost() -> None:
    document = read("---\n\nA note.\n\n---\n\nMore of it.\n")
    assert document.problems == ()
    assert "A note." in document.chunks[0].text
    assert "More of it." in document.chunks[0].text


def test_bytes_that_are_no_utf_8_are_reported_and_read() -> None:
    document = read("# Größe\n\nText.\n".encode("latin-1"))
    (problem,) = document.problems
    assert (problem.line, problem.rule) == (0, "encoding")
    assert document.title == "Größe"


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"\xef\xbb\xbf", b"\0\0\0", b"\xff\xfe", b"---\n---\n", b"\r\r\r"]
)
def test_files_without_text_are_documents_too(data: bytes) -> None:
    document = read(data)
    assert document.title == "guide"
    assert document.sections == () or document.sections[0].level == 0


@given(markdown_texts, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "latin-1"]))
def test_every_text_in_every_encoding_becomes_a_document(text: str, encoding: str) -> None:
    document = read(f"---\ntags: x\n---\n{text}".encode(encoding, errors="replace"))
    assert document.tags == ("x",)
    lines = [n for s in document.sections for n in range(s.line_start, s.line_end + 1)]
    assert lines == list(range(1, document.line_count + 1))


@given(st.binary(max_size=400))
def test_any_bytes_become_a_document(data: bytes) -> None:
    assert read(data).content_hash == content_hash(data)


@pytest.mark.timeout(120)
def test_ten_megabytes_are_read() -> None:
    text = b"A paragraph with *some* [markup](link.md) in it, line after line of it.\n" * 40
    page = b"# Heading\n\n" + text + b"\n- one\n- two\n\n"
    data = page * (10_000_000 // len(page))
    document = read(data)
    assert document.line_count == data.count(b"\n")
    assert len(document.sections) == data.count(b"# Heading")
