"""What the setting `sections.corpora` takes; apart from the other settings, for the hooks' sake."""

from pit_memory.core.corpus.corpora import CorpusRule
from pit_memory.core.settings.setting_values import GLOBS, PATH, Takes, tables_of


def _read_index(value: object) -> str:
    path = PATH.read(value)
    if not path.endswith(".json"):  # it is overwritten, and a clone may name any file of the person
        raise ValueError(_INDEX_WORDS)
    return path


_INDEX_WORDS = "a path that ends in .json, relative to the root"
_INDEX: Takes[str] = Takes(_INDEX_WORDS, _read_index, str)

CORPORA: Takes[tuple[CorpusRule, ...]] = tables_of(
    CorpusRule, {"root": PATH, "files": GLOBS, "index": _INDEX, "prose": GLOBS}
)
