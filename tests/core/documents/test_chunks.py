"""Chunks: evenly filled parts of sections that keep together what belongs together."""

from hypothesis import given

from pit_memory.core.documents.chunks import CHUNK_TOKENS, EMBEDDED_CHARACTERS, chunk
from pit_memory.core.documents.documents import Chunk
from pit_memory.core.documents.sections import split
from pit_memory.core.tokens import estimate
from tests.markdown_texts import markdown_texts

SENTENCE = "Every line of this paragraph says the same thing about the weather in the north.\n"
"""About 16 word pieces."""


def chunks_of(text: str, title: str = "Page") -> tuple[Chunk, ...]:
    return chunk(split(text), title)


@given(markdown_texts)
def test_every_written_line_is_in_exactly_one_chunk(text: str) -> None:
    parsed = split(text)
    chunks = chunk(parsed, "Page")
    covered = [n for c in chunks for n in range(c.line_start, c.line_end + 1)]
    assert covered == sorted(set(covered))
    assert set(covered) <= set(range(parsed.body_start, parsed.line_count + 1))
    missing = set(range(parsed.body_start, parsed.line_count + 1)) - set(covered)
    assert not any(parsed.lines[n - 1].strip() for n in missing)
    for c in chunks:
        assert c.text == "\n".join(parsed.lines[c.line_start - 1 : c.line_end])


@given(markdown_texts)
def test_a_chunk_lies_in_its_section_and_is_far_over_the_limit_only_where_one_line_is(
    text: str,
) -> None:
    parsed = split(text)
    for c in chunk(parsed, "Page"):
        section = parsed.sections[c.section]
        assert section.line_start <= c.line_start <= c.line_end <= section.line_end
        plain = parsed.plain[c.line_start - 1 : c.line_end]
        longest = max(map(estimate, plain))
        assert estimate("\n".join(plain)) <= max(1.5 * CHUNK_TOKENS, longest + len(plain))


def test_a_short_section_is_one_chunk_with_its_heading() -> None:
    (only,) = chunks_of("# Title\n\nText.\n")
    assert (only.section, only.part, only.line_start, only.line_end) == (0, 0, 1, 3)
    assert only.text == "# Title\n\nText."
    assert only.embedding_text == "Page > Title\nText."


def test_the_embedded_text_is_what_a_reader_sees() -> None:
    text = (
        "# Page\n## Links\n"
        "See [the *docs*](https://example.org/a) and <b>bold</b> **text**, `code_here`.\n"
        "<!-- not this -->\n- [x] item\n\n| a | b |\n|---|---|\n| [c](d) | `e\\|f` |\n\n"
        "```py\nx = 1  # <kept> [as](is)\n```\n![Logo](logo.png) [[Other page|another]]\n"
    )
    assert chunks_of(text)[1].embedding_text == (
        "Page > Links\n"
        "See the docs and bold text, code_here.\n"
        "item\n"
        "a b \n"
        "c e|f \n"
        "x = 1  # <kept> [as](is)\n"
        "Logo another"
    )


def test_text_in_an_admonition_is_read_as_prose_and_stays_with_its_opener() -> None:
    filler = SENTENCE * 11
    text = f'{filler}\n!!! note "Mind"\n\n    See **the** [docs](a.md).\n\n{filler}'
    first, *rest = chunks_of(text)
    (with_note,) = [c for c in (first, *rest) if "!!!" in c.text]
    assert 'Mind"\n    See the docs.'.replace("    ", "") in with_note.embedding_text


def test_a_long_section_is_cut_evenly() -> None:
    paragraphs = "".join(f"{SENTENCE * 2}\n" for _ in range(7))
    sizes = [estimate(c.text) for c in chunks_of(f"# Title\n{paragraphs}")]
    assert len(sizes) == 2
    assert max(sizes) <= CHUNK_TOKENS
    assert max(sizes) - min(sizes) <= 40


def test_a_fence_is_kept_whole_where_it_fits_and_cut_between_its_paragraphs_where_not() -> None:
    fence = "```\n" + "".join(f"step_{n} = run(step, {n})\n" for n in range(12)) + "```\n"
    text = f"# Title\n{SENTENCE * 8}\n{fence}\n{SENTENCE * 8}"
    (with_fence,) = [c for c in chunks_of(text) if "step_" in c.text]
    assert fence.strip() in with_fence.text

    blocks = ["".join(f"x_{b}_{n} = f(x_{b}, {n})\n" for n in range(9)) for b in range(3)]
    parts = chunks_of("# Title\n```\n" + "\n".join(blocks) + "```\n")
    assert len(parts) > 1
    assert all(any(block.strip() in c.text for c in parts) for block in blocks)


def test_table_rows_and_list_items_are_kept_whole() -> None:
    items = "".join(f"- Item {n} of the list\n  goes on in a second line\n" for n in range(40))
    for part in chunks_of(f"# Title\n{items}"):
        assert part.text.removeprefix("# Title\n").startswith("- Item")

    rows = "".join(f"| key_{n} | what the key number {n} is for |\n" for n in range(60))
    parts = chunks_of(f"# Title\n\n| Key | Meaning |\n|---|---|\n{rows}")
    assert len(parts) > 2


def test_an_empty_section_embeds_the_headings_one_step_below() -> None:
    text = "# Page\n## Set up\n### Linux\ntext\n#### Deep\n### macOS\n## Use\n"
    embedded = {c.section: c.embedding_text for c in chunks_of(text)}
    assert embedded[0] == "Page\nSet up\nUse"
    assert embedded[1] == "Page > Set up\nLinux\nmacOS"
    assert embedded[5] == "Page > Use\n"


def test_front_matter_is_in_no_chunk_unless_it_is_only_text() -> None:
    assert [c.line_start for c in chunks_of("---\ntitle: A\n---\n\nText.\n")] == [4]
    assert chunks_of("---\ntitle: A\n---\n\n\n") == ()
    (only,) = chunks_of("---\nJust a sentence.\n---\n")
    assert "Just a sentence." in only.embedding_text


def test_blank_lines_around_a_long_one_are_no_chunks() -> None:
    long_line = "word " * 400
    spans = [(c.line_start, c.line_end) for c in chunks_of(f"# A\n\n{long_line}\n\n# B\n")]
    assert spans == [(1, 4), (5, 5)]


def test_a_line_of_a_megabyte_is_one_chunk_whose_embedded_text_is_cut() -> None:
    (only,) = chunks_of("word " * 200_000)
    assert len(only.text) == 1_000_000
    assert len(only.embedding_text) <= EMBEDDED_CHARACTERS + len("Page\n")


def test_many_empty_sections_cost_linear_time() -> None:
    assert len(chunks_of("# A\n## B\n### C\n" * 5_000)) == 15_000
