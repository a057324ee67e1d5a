"""The path of a question, as people and agents write it."""

from pathlib import Path

import pytest

from pit_memory.operations.searching.search import SearchRequest
from pit_memory.wiring import open_services
from tests.builders import write_files

SETTINGS = '[[docs.sources]]\nname = "notes"\npath = "notes"\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    places = ("docs/ops/keys.md", "docs/keys.md", "notes/keys.md", "top.md")
    files = {path: f"# Keys\n\nThe signing key of {path}.\n" for path in places}
    return write_files(tmp_path.resolve() / "project", files | {".pit-memory.toml": SETTINGS})


EVERYWHERE = {"docs/ops/keys.md", "docs/keys.md", "notes::keys.md", "top.md"}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (".", EVERYWHERE),
        ("./", EVERYWHERE),
        ("{root}", EVERYWHERE),
        ("{root}/docs", {"docs/ops/keys.md", "docs/keys.md"}),
        ("{root}/docs/ops/", {"docs/ops/keys.md"}),
        ("{root}/docs/keys.md", {"docs/keys.md"}),
        ("{root}/docs/**/keys.md", {"docs/ops/keys.md", "docs/keys.md"}),
        ("{root}/notes", {"notes::keys.md"}),
        ("{root}/notes/keys.md", {"notes::keys.md"}),
        ("/elsewhere/docs", set()),
        ("docs/ops", {"docs/ops/keys.md"}),
    ],
)
def test_a_path_may_be_absolute_or_mean_everything(root: Path, path: str, expected: set[str]):
    request = SearchRequest("signing key", limit=10, path=path.format(root=root))
    with open_services(root, background="none") as services:
        answer = services.search(request)
    assert {hit.ref.rpartition("#")[0] for hit in answer.hits} == expected
