"""Readers beside markdown: what becomes a section, what is left out, how it is cited."""

import itertools
import os
import signal
from pathlib import Path

import pytest

from pit_memory.core.documents.citations import format_ref
from pit_memory.core.documents.documents import Problem
from pit_memory.core.documents.passages import passage_at
from pit_memory.core.source import Source
from pit_memory.errors import DocumentError
from pit_memory.operations.reading.read import read
from pit_memory.sources.formats import ENDINGS, RawFile, read_contents
from pit_memory.sources.reading import ReadFile, read_source_file
from tests.builders import write_files
from tests.machine import children
from tests.pdf_builder import Text, make_pdf


def contents(path: str, data: str | bytes):
    return read_contents(RawFile(path, data if isinstance(data, bytes) else data.encode()))


def headings(found) -> list[tuple[str, str]]:
    return [(section.anchor, section.heading) for section in found.document.sections]


@pytest.mark.parametrize("ending", ENDINGS)
def test_each_format_covers_its_lines_once(ending):
    page = b"# A\n\nfirst text\n\n## B\n\nsecond text\n"
    if ending == ".pdf":
        page = make_pdf([["first text"], ["second text"]])
    found = contents(f"a{ending}", page)
    spans = [(section.line_start, section.line_end) for section in found.document.sections]
    assert spans[0][0] == 1
    assert spans[-1][1] == len(found.lines) == found.document.line_count
    assert all(end + 1 == start for (_, end), (start, _) in itertools.pairwise(spans))
    text = "\n".join(chunk.text for chunk in found.document.chunks)
    assert "first text" in text
    assert "second text" in text


# Plain text


def test_underlined_headings_of_a_text_open_sections():
    text = "Apes\n====\n\nThey climb.\n\nGibbons\n-------\n\nThey sing.\n\n---\nno heading\n"
    found = contents("a.txt", text)
    assert headings(found) == [("apes", "Apes"), ("gibbons", "Gibbons")]
    assert found.document.title == "Apes"
    assert found.document.sections[1].breadcrumb == ("Apes", "Gibbons")


def test_a_text_without_headings_is_cited_a_screenful_at_a_time():
    text = "".join(f"line {n}\n" + ("\n" if n % 10 == 9 else "") for n in range(200))
    sections = contents("notes.txt", text).document.sections
    assert len(sections) > 2
    assert all(section.line_end - section.line_start < 80 for section in sections)
    assert {section.anchor for section in sections} == {""}


def test_a_text_in_an_old_encoding_is_read_and_said():
    found = contents("a.txt", "Bär\n".encode("cp1252"))
    assert found.lines == ["Bär"]
    assert found.document.problems[0].rule == "encoding"


# Web pages

PAGE = """\
<!doctype html><html><head><title>Apes - Zoo</title><meta name="description" content="On apes">
<meta name="keywords" content="apes, zoo"><style>p { color: red }</style>
<script>document.write("<h2>never</h2>")</script></head>
<body><nav><a href="/">Home never</a></nav>
<main><h1>Apes</h1><p>They <b>climb</b> trees<br>every day &amp; night.</p>
<section id="diet"><h2>What they eat<a class="headerlink" href="#diet">\u00b6</a></h2>
<ul><li>figs</li><li>nuts</li></ul>
<table><tr><th>ape</th><th>food</th></tr><tr><td>gibbon</td><td>fig</td></tr></table></section>
<h2 id="songs">Songs</h2><pre>la
  la la</pre><!-- <p>never a comment</p> --></main>
<footer>never the footer</footer></body></html>
"""


def test_the_main_text_of_a_page_is_read_and_nothing_runs():
    found = contents("zoo/apes.html", PAGE)
    text = "\n".join(found.lines)
    assert "never" not in text
    assert "They climb trees\n\nevery day & night." in text
    assert "- figs\n- nuts" in text
    assert "gibbon | fig" in text
    assert "la\n  la la" in text
    assert found.document.title == "Apes - Zoo"
    assert found.document.description == "On apes"
    assert found.document.tags == ("apes", "zoo")


def test_headings_of_a_page_are_cited_by_their_ids():
    found = contents("a.html", PAGE)
    assert headings(found) == [("apes", "Apes"), ("diet", "What they eat"), ("songs", "Songs")]
    by_slug = passage_at(found.document, found.lines, RefTo("what-they-eat"))
    assert by_slug is not None
    assert format_ref(by_slug.ref).startswith("a.html#diet@")


def RefTo(anchor: str):  # noqa: N802 -- reads as the record it makes
    from pit_memory.core.documents.citations import Ref

    return Ref("a.html", anchor=anchor)


@pytest.mark.parametrize(
    "page",
    [
        "<p>open <b>text <div>more <h2>Heading",
        "<script>" * 20_000,
        "<!--" * 50_000 + "text",
        "<a " * 100_000,
        "<div>" * 50_000 + "deep",
        "&" * 100_000,
        "<![CDATA[" * 50_000,
        "",
        "no tags at all",
        "\0\0\0\0",
    ],
)
def test_hostile_pages_are_read_in_linear_time(page):
    assert contents("a.html", page).document.path == "a.html"


def test_a_page_of_scripts_alone_is_reported():
    found = contents("app.html", "<html><body><script src=app.js></script></body></html>")
    assert [problem.rule for problem in found.document.problems] == ["no-text"]


def test_a_page_says_its_encoding():
    found = contents("a.html", '<meta charset="iso-8859-2"><p>\xb1</p>'.encode("latin-1"))
    assert found.lines == ["ą"]


# MDX


def test_imports_and_comments_of_mdx_are_no_text():
    text = (
        "import Tabs from '@theme/Tabs'\nimport {\n  never\n} from 'x'\n\n# Apes\n\n"
        "export const never = 1\n\nThey climb. {/* never said */}\n\n"
        "```js\nimport kept from 'y'\n```\n"
        "Import duties are paid.\n"
    )
    found = contents("a.mdx", text)
    chunks = "\n".join(chunk.text for chunk in found.document.chunks)
    assert "never" not in chunks
    assert "import kept" in chunks
    assert "Import duties" in chunks
    assert "They climb. …\n" in chunks
    assert list(found.lines) == text.splitlines()


# PDFs


def test_a_page_of_a_pdf_is_a_section_with_its_label_and_its_chapter():
    pdf = make_pdf(
        [["Preface to apes."], ["Gibbons sing."], ["They eat figs."]],
        outline=[("Preface", 0), ("On gibbons", 1)],
        labels="<< /S /r >> 1 << /S /D /St 1 >>",
    )
    found = contents("apes.pdf", pdf)
    sections = found.document.sections
    assert [section.anchor for section in sections] == ["p1", "p2", "p3"]
    assert [section.breadcrumb for section in sections] == [
        ("Preface", "page 1, i"),
        ("On gibbons", "page 2, 1"),
        ("On gibbons", "page 3, 2"),
    ]
    assert found.lines[sections[1].line_start - 1 : sections[1].line_end - 1] == [
        "[page 2, 1]",
        "Gibbons sing.",
    ]


def test_pages_are_cited_by_number_and_found_by_label_and_chapter(tmp_path):
    pdf = make_pdf(
        [[f"Page number {n} of the book."] for n in range(1, 51)],
        outline=[("Gibbons", 11)],
        labels="<< /S /r >> 4 << /S /D /St 1 >>",
    )
    source = Source("book", str(write_files(tmp_path / "b", {"b.pdf": pdf})), endings=ENDINGS)
    for number in range(1, 51):
        answer = read(f"book::b.pdf#p{number}", [source])
        assert answer.ref.startswith(f"book::b.pdf#p{number}@")
        assert answer.lines[1].text == f"Page number {number} of the book."
    assert read("book::b.pdf#page-iii", [source]).lines[1].text == "Page number 3 of the book."
    assert read("book::b.pdf#gibbons", [source]).lines[1].text == "Page number 12 of the book."


def test_what_a_pdf_says_of_itself_is_its_title_author_and_year():
    about = {"Title": "On Apes", "Author": "A. Turing", "CreationDate": "D:19360528120000Z"}
    document = contents("x.pdf", make_pdf([["Apes."]], about=about)).document
    assert (document.title, document.description) == ("On Apes", "A. Turing, 1936")
    assert document.date == "1936-05-28"
    about = {"Title": "Microsoft Word - draft7.doc"}
    assert contents("my paper.pdf", make_pdf([["A."]], about=about)).document.title == "my paper"


def test_words_divided_by_line_ends_are_whole_and_compounds_stay():
    pdf = make_pdf(
        [["The gib-", "bon is a well-", "known ape.", "Its well-known song goes", "semi-", "Tone."]]
    )
    text = "\n".join(contents("a.pdf", pdf).lines)
    assert "The gibbon\n" in text
    assert "a well-known\n" in text
    assert "semi-\nTone" in text
    assert "semiTone" not in text


@pytest.mark.parametrize("by_rows", [False, True])
def test_columns_are_read_one_after_another(by_rows):
    left = [Text(60, 740 - 14 * n, f"left {n} speaks of apes") for n in range(20)]
    right = [Text(330, 740 - 14 * n, f"right {n} speaks of bears") for n in range(20)]
    rows = [piece for pair in zip(left, right, strict=True) for piece in pair]
    lines = contents("a.pdf", make_pdf([rows if by_rows else left + right])).lines
    assert lines[1:21] == [piece.text for piece in left]
    assert lines[21:41] == [piece.text for piece in right]


def test_a_table_over_the_page_is_read_row_by_row():
    rows = [
        Text(60 + 130 * column, 740 - 14 * row, f"cell {row}.{column}")
        for row in range(20)
        for column in range(4)
    ]
    lines = contents("a.pdf", make_pdf([rows])).lines
    assert lines[1].startswith("cell 0.0 cell 0.1")


def test_the_list_of_references_has_a_heading_of_its_own():
    pages = [["Gibbons sing."], ["They eat figs."], ["More of them."], ["References", "[1] Turing"]]
    pages += [["[2] Gibbons and Apes"], ["Appendix A", "Gibbon songs."]]
    found = contents("a.pdf", make_pdf(pages))
    assert [section.heading for section in found.document.sections[2:]] == [
        "page 3",
        "References",
        "References",
        "page 6",
    ]


def test_pages_of_pictures_are_reported():
    found = contents("scan.pdf", make_pdf([["Text."], None, None]))
    assert [section.anchor for section in found.document.sections] == ["p1"]
    (problem,) = found.document.problems
    assert problem.rule == "no-text"
    assert "pages 2, 3 hold pictures and no text" in problem.message


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (make_pdf([["Text."]], password="secret"), "encrypted"),  # noqa: S106
        (b"%PDF-1.7\nnonsense", "broken"),
    ],
)
def test_a_pdf_that_can_not_be_read_is_a_problem_of_the_file(tmp_path, data, said):
    source = Source("b", str(write_files(tmp_path / "b", {"b.pdf": data})), endings=ENDINGS)
    problem = read_source_file(source, "b.pdf")
    assert isinstance(problem, Problem)
    assert problem.rule == "unreadable"
    assert said in problem.message


def test_a_pdf_without_a_byte_is_empty_not_broken():
    found = contents("b.pdf", b"")
    assert (found.document.title, found.document.sections, found.lines) == ("b", (), [])
    (problem,) = found.document.problems
    assert (problem.rule, problem.message.partition(";")[0]) == (
        "no-text",
        "the file is empty: it has 0 bytes",
    )


def test_a_pdf_that_takes_too_long_is_given_up_and_the_next_one_is_read(monkeypatch):
    from pit_memory.sources import pdf_process

    many = make_pdf([["Some words of text."] * 40] * 2_000)
    monkeypatch.setattr(pdf_process, "FILE_SECONDS", -pdf_process._START_SECONDS)
    pdf_process.PDF_PROCESS.end()
    with pytest.raises(DocumentError, match="took longer"):
        contents("bomb.pdf", many)
    monkeypatch.undo()
    assert contents("next.pdf", make_pdf([["Next."]])).lines[1] == "Next."


def test_a_pdf_that_kills_its_reader_is_reported_and_the_next_one_is_read(monkeypatch):
    from pit_memory.sources import pdf_process

    pdf_process.PDF_PROCESS.end()
    monkeypatch.setattr(pdf_process, "_START", "import os; {path!r}; os._exit(139)")
    with pytest.raises(DocumentError, match="crashed the reader"):
        contents("bomb.pdf", make_pdf([["Text."]]))
    monkeypatch.undo()
    assert contents("next.pdf", make_pdf([["Next."]])).lines[1] == "Next."


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="asks /proc for children")
def test_a_reader_that_was_killed_between_two_files_is_no_fault_of_the_next():
    from pit_memory.sources import pdf_process

    pdf_process.PDF_PROCESS.end()
    before = children()
    contents("first.pdf", make_pdf([["First."]]))
    (reader,) = children() - before
    os.kill(reader, signal.SIGKILL)
    os.waitid(os.P_PID, reader, os.WEXITED | os.WNOWAIT)
    assert contents("next.pdf", make_pdf([["Next."]])).lines[1] == "Next."


def test_more_pages_than_the_cap_are_said(monkeypatch):
    from pit_memory.sources import pdf_process

    pdf_process.PDF_PROCESS.end()
    capped = pdf_process._START.replace(
        "serve()", "import pit_memory.sources.pdf_child as child; child.MOST_PAGES = 3; serve()"
    )
    monkeypatch.setattr(pdf_process, "_START", capped)
    found = contents("long.pdf", make_pdf([[f"Page {n}."] for n in range(5)]))
    pdf_process.PDF_PROCESS.end()
    assert len(found.document.sections) == 3
    assert "only the first 3 of 5 pages" in found.document.problems[0].message


def test_a_project_reads_other_formats_where_its_settings_name_them(tmp_path):
    files = {"a.txt": "Plain.\n", "b.html": "<p>Page.</p>"}
    root = write_files(tmp_path / "p", files)
    for path in files:
        source = Source("", str(root), endings=ENDINGS)
        assert isinstance(read_source_file(source, path), ReadFile)
