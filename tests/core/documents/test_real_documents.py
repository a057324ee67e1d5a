"""Sections of real documents: the nastiest that could be found, and the corpora of the evaluation.

`golden/real_documents.json` pins what was read by eye once. After a change that is meant,
`python -m tests.core.documents.test_real_documents` writes it anew from `../shared`: look at the
outlines.
"""

import hashlib
import json
from pathlib import Path
from urllib.parse import unquote

import pytest

from pit_memory.core.documents.documents import Document
from pit_memory.core.documents.sections import find_section
from pit_memory.sources.formats import RawFile
from pit_memory.sources.markdown import read
from tests.eval_corpora import archived_files, corpus_files, json_lines

PINNED = Path(__file__).parents[2] / "golden" / "real_documents.json"
ANCHORED_SETS = (
    "argocd-docs",
    "mkdocs-material-docs",
    "obsidian-tasks-vault",
    "agent-plugin-docs",
    "locomo",
    "xquad",
)
GOLD_THAT_GITHUB_DOES_NOT_HAVE = {
    # The heading is one code span; the gold's own tool took its `<string>` for a tag.
    ("Advanced/Tasks Api.md", "edittasklinemodaltaskline-string-promise"),
}


def outline(document: Document) -> str:
    return "\n".join(
        f"L{s.line_start}-{s.line_end} {'#' * s.level or '-'} {s.heading} #{s.anchor}"
        for s in document.sections
    )


def pin(document: Document) -> dict[str, object]:
    """What is compared: small enough to review, and different for any other outline."""
    text = outline(document)
    return {
        "sections": len(document.sections),
        "chunks": len(document.chunks),
        "problems": [f"{problem.rule}:{problem.line}" for problem in document.problems],
        "outline": hashlib.sha256(text.encode()).hexdigest()[:16],
    }


def nasty_documents() -> dict[str, Document]:
    files = sorted(archived_files("eval/markdown-nasty/files.tar.gz"))
    return {
        name: read(RawFile(name, data)).document for name, data in files if name != "LICENCES.txt"
    }


@pytest.mark.timeout(120)
def test_nasty_files_have_the_sections_that_were_read_by_eye() -> None:
    documents = nasty_documents()
    assert len(documents) == 55
    pinned = json.loads(PINNED.read_text(encoding="utf-8"))
    assert {name: pin(document) for name, document in documents.items()} == pinned
    for document in documents.values():
        lines = [n for s in document.sections for n in range(s.line_start, s.line_end + 1)]
        assert lines == list(range(1, document.line_count + 1))


@pytest.mark.timeout(120)
@pytest.mark.parametrize("eval_set", ANCHORED_SETS)
def test_every_gold_anchor_names_a_section(eval_set: str) -> None:
    wanted = {
        (row["path"], row["anchor"], row.get("line"))
        for row in json_lines(f"eval/{eval_set}/qrels.jsonl")
        if row["anchor"] is not None
    }
    files = corpus_files(eval_set)
    documents = {path: read(RawFile(path, files[path])).document for path, _, _ in wanted}
    missed = set()
    for path, anchor, line in wanted:
        section = find_section(documents[path].sections, unquote(anchor))
        if section is None or line not in (None, section.line_start):
            missed.add((path, anchor))
    assert wanted
    assert missed == GOLD_THAT_GITHUB_DOES_NOT_HAVE & {(path, anchor) for path, anchor, _ in wanted}


if __name__ == "__main__":
    pins = {name: pin(document) for name, document in nasty_documents().items()}
    PINNED.write_text(json.dumps(pins, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
