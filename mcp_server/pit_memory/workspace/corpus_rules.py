"""Which corpora a project's settings name. Without the markdown parser: a hook asks this first."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from pit_memory.core.corpora import CorpusRule
from pit_memory.workspace.places import places
from pit_memory.workspace.settings_files import LoadedSettings, load


def load_settings(root: Path, environ: Mapping[str, str]) -> LoadedSettings:
    """Read the settings of a project, also where the environment does not say who asks.

    Raises:
        SettingsError: a file can't be read or says something unknown.
    """
    known = {"HOME": os.path.expanduser("~"), **environ}  # noqa: PTH111 - git hooks may lack HOME
    return load(root, places(known), known)


def project_rules(root: Path, environ: Mapping[str, str]) -> Sequence[CorpusRule]:
    """Return the corpora that the settings of a project name. Raises like `load_settings`."""
    return load_settings(root, environ).settings.sections.corpora
