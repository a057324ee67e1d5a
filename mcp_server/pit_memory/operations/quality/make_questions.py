"""Make a question set from a project's own documents, for `eval run`."""

from collections.abc import Mapping
from pathlib import Path

from pit_memory.core.search.question_sets import LabelledQuestion, SourcePage, questions_of, sample
from pit_memory.core.source import MARKDOWN_ENDINGS
from pit_memory.core.text.decoding import decode
from pit_memory.operations.quality.lint import DEFAULT_DOCS_FOLDER
from pit_memory.sources.sites import find_site
from pit_memory.stores.catalogue import Catalogue


def make_questions(catalogue: Catalogue, root: Path, limit: int) -> list[LabelledQuestion]:
    """Questions from the links and headings of a project's indexed documents.

    Args:
        catalogue: of the project's store; its sections are those that answers cite.
        root: of the project's own documents.
        limit: questions at most.
    """
    site = find_site(root)
    docs_folder = site.docs_folder if site else DEFAULT_DOCS_FOLDER
    return sample(questions_of(_pages(catalogue, root), docs_folder), limit)


def _pages(catalogue: Catalogue, root: Path) -> Mapping[str, SourcePage]:
    pages = {}
    for document, (_, path) in sorted(catalogue.paths("").items(), key=lambda row: row[1]):
        if not path.endswith(MARKDOWN_ENDINGS):
            continue
        try:
            text = decode((root / path).read_bytes()).text
        except OSError:  # gone since it was indexed
            continue
        pages[path] = SourcePage(path, text, catalogue.sections_of(document))
    return pages
