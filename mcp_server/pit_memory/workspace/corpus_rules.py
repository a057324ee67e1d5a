"""Which corpora the settings of a project name.

Light, because a hook asks this before it knows whether there is anything to do.
"""

from collections.abc import Mapping
from pathlib import Path

from pit_memory.core.corpus.corpora import DEFAULT_RULES, CorpusRule
from pit_memory.workspace.places import person_settings, project_settings
from pit_memory.workspace.project import places_of
from pit_memory.workspace.settings_tables import tables_naming

TYPE_CHECKING = False  # `typing` itself costs a hook more than it may
if TYPE_CHECKING:
    from pit_memory.workspace.settings_files import LoadedSettings


def load_settings(root: Path, environ: Mapping[str, str]) -> "LoadedSettings":
    """Read the settings of a project, also where the environment does not say who asks.

    Raises:
        SettingsError: a file can't be read or says something unknown.
    """
    from pit_memory.workspace.settings_files import load

    return load(root, places_of(environ), environ)


def project_rules(root: Path, environ: Mapping[str, str]) -> tuple[CorpusRule, ...]:
    """Return the corpora that the settings of a project name.

    As `load_settings` would, without reading any other setting: a hook must be quick.

    Raises:
        SettingsError: a file can't be read, or does not say what a corpus is.
    """
    try:
        return _named_rules(root, environ)
    except (OSError, ValueError):  # says what is wrong, and where
        return load_settings(root, environ).settings.sections.corpora


def _named_rules(root: Path, environ: Mapping[str, str]) -> tuple[CorpusRule, ...]:
    for file in (project_settings(root), person_settings(places_of(environ))):
        sections = tables_naming(file, "sections").get("sections", {})
        said = sections.get("corpora") if isinstance(sections, dict) else None
        if said is None:
            continue
        from pit_memory.core.settings.corpus_setting import CORPORA
        from pit_memory.core.settings.setting_values import OutsideError

        try:
            return CORPORA.read(said)
        except OutsideError:
            continue
    return DEFAULT_RULES
