"""Leave in the store what its documents are about, for the hooks that start a session."""

import json
from dataclasses import asdict

from pit_memory.core.indexing.domain_map import areas
from pit_memory.stores.store import Store
from pit_memory.workspace.files import write_atomic
from pit_memory.workspace.places import SESSION_FILE


def write_domain_map(store: Store) -> None:
    """Write `session.json` where it says something else now; the same documents, the same bytes."""
    found = [asdict(area) for area in areas(store.catalogue.outline())]
    data = json.dumps({"areas": found}, ensure_ascii=False, indent=1).encode() + b"\n"
    place = store.folder / SESSION_FILE
    if not place.exists() or place.read_bytes() != data:
        write_atomic(place, data)
