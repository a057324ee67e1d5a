"""What the setting `sections.corpora` takes; apart from the other settings, for the hooks' sake."""

from pit_memory.core.corpora import CorpusRule
from pit_memory.core.setting_values import GLOBS, PATH, Takes, tables_of

CORPORA: Takes[tuple[CorpusRule, ...]] = tables_of(
    CorpusRule, {"root": PATH, "files": GLOBS, "index": PATH, "prose": GLOBS}
)
