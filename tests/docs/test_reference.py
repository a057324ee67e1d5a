"""The reference pages say what the code does."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REFERENCE = runpy.run_path(str(ROOT / "scripts/reference.py"))


@pytest.mark.parametrize("path", REFERENCE["PAGES"])
def test_a_reference_page_is_what_the_code_writes(path: str) -> None:
    written = (ROOT / path).read_text(encoding="utf-8")
    assert written == REFERENCE["PAGES"][path](), "run scripts/reference.py"
