"""The estimate of word pieces, measured against the real ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.documents.sections import split
from pit_memory.core.text.decoding import decode
from pit_memory.core.tokens import estimate
from tests.eval_corpora import corpus_files
from tests.shared_material import shared

ENGLISH_SETS = (
    "argocd-docs",
    "mkdocs-material-docs",
    "obsidian-tasks-vault",
    "agent-plugin-docs",
    "k8s-alerts",
    "postmortems",
    "dfds-postmortems",
    "locomo",
)
WORTH_MEASURING = 20
"""Pieces: below, one piece is more than the tolerance."""
EVERY = 4
"""Files that are measured: one in so many; all of them give the same figures."""


@pytest.mark.timeout(60)
def test_95_of_100_sections_of_english_docs_are_estimated_within_20_percent() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    vocabulary = str(shared("model/minilm-vocab.txt"))
    tokenizer = tokenizers.BertWordPieceTokenizer(vocabulary, lowercase=True)
    raw, plain = [], []
    for eval_set in ENGLISH_SETS:
        for data in list(corpus_files(eval_set).values())[::EVERY]:
            parsed = split(decode(data).text)
            for s in parsed.sections:
                raw.append("\n".join(parsed.lines[s.line_start - 1 : s.line_end]))
                plain.append("\n".join(parsed.plain[s.line_start - 1 : s.line_end]))
    for texts, at_least in ((raw, 1), (plain, WORTH_MEASURING)):
        encoded = tokenizer.encode_batch(texts, add_special_tokens=False)
        errors = sorted(
            abs(estimate(text) - len(pieces.ids)) / len(pieces.ids)
            for text, pieces in zip(texts, encoded, strict=True)
            if len(pieces.ids) >= at_least
        )
        assert len(errors) > 2_000
        assert errors[int(len(errors) * 0.95)] <= 0.20


CYRILLIC = (
    "Ключ подписи меняют раз в квартал; старый ещё неделю принимается для проверки. Резервная "
    "копия снимается ночью, и восстановление проверяют по понедельникам. Если очередь растёт, "
    "добавьте ещё один обработчик и посмотрите в журнал."
)
PIECES_OF_CL100K = 98


def test_cyrillic_text_is_estimated_as_a_reader_is_charged() -> None:
    assert abs(estimate(CYRILLIC) - PIECES_OF_CL100K) <= 0.16 * PIECES_OF_CL100K


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_words_have_pieces_and_no_more_than_two_a_character(text: str) -> None:
    pieces = estimate(text)
    assert 0 <= pieces <= 2 * len(text)
    assert pieces > 0 or not any(map(str.isalnum, text))


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\t \n"])
def test_blank_text_has_no_pieces(text: str) -> None:
    assert estimate(text) == 0


def test_more_text_has_more_pieces() -> None:
    assert (
        1 <= estimate("a") < estimate("a sentence of words") < estimate("a sentence of words" * 2)
    )


def test_words_are_not_cut_where_chunks_are_joined() -> None:
    assert estimate("one two three four") == estimate("one two\nthree four")
