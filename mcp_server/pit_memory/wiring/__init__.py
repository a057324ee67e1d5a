"""The only place that names concrete classes: settings in, a project's services out."""

from pit_memory.wiring.facts import facts_home, fill_facts_behind, open_facts
from pit_memory.wiring.meaning import meaning_is_pending
from pit_memory.wiring.project import (
    all_stores,
    plugin_folder,
    project_root,
    project_settings,
    settings_watch,
)
from pit_memory.wiring.reading import address_of, read_ref, reading
from pit_memory.wiring.server_folders import server_folders
from pit_memory.wiring.services import (
    catch_up_behind,
    doctors_room,
    draft_desk,
    import_services,
    open_services,
)
from pit_memory.wiring.sources import desk, known_notes, remove_source
from pit_memory.wiring.who_asks import local_access, who_asks_here

__all__ = [
    "address_of",
    "all_stores",
    "catch_up_behind",
    "desk",
    "doctors_room",
    "draft_desk",
    "facts_home",
    "fill_facts_behind",
    "import_services",
    "known_notes",
    "local_access",
    "meaning_is_pending",
    "open_facts",
    "open_services",
    "plugin_folder",
    "project_root",
    "project_settings",
    "read_ref",
    "reading",
    "remove_source",
    "server_folders",
    "settings_watch",
    "who_asks_here",
]
