"""The folders of this machine that clients of a server are not told of."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from pit_memory.core.serving.server_folders import ServerFolders
from pit_memory.core.settings.settings import Settings
from pit_memory.wiring.facts import facts_home
from pit_memory.workspace.places import places


def server_folders(
    root: Path, settings: Settings, environ: Mapping[str, str] = os.environ
) -> ServerFolders:
    """Name the folders of a server, each as it is written and without its symlinks.

    Args:
        root: the project, absolute.
        settings: of the project.
        environ: where its other folders are.
    """
    where = places(environ)
    others = {
        environ.get("HOME", ""): "the server's home",
        sys.prefix: "the installation",
        str(where.config): "the server's settings",
        str(where.data): "the data folder",
        str(facts_home(settings, where, environ).root): "the home of facts",
    }
    return ServerFolders(
        _names(str(root)), {name: word for path, word in others.items() for name in _names(path)}
    )


def _names(folder: str) -> tuple[str, ...]:
    """By which it may be called; none for the root of all folders, which says nothing."""
    names = dict.fromkeys((folder.rstrip("/"), os.path.realpath(folder))) if folder else ()
    return tuple(name for name in names if name.count("/") and name != "/")
