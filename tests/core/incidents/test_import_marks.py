"""Whether anybody has changed a record since an import wrote it."""

import pytest

from pit_memory.core.incidents.import_marks import is_as_imported, marked

LONG = "".join(f"key{number}: x\n" for number in range(100))
RECORDS = {
    "plain": "---\ntitle: Disk\n---\n\n# Disk\n\nFull.\n",
    "log": "---\ntitle: Disk\n---\n\n# Disk\n\nThe log said\nimported: 5 rows\n",
    "long head": f"---\n{LONG}---\n\n# Disk\n",
}


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_a_record_is_as_imported_until_somebody_changes_it(record: str):
    assert is_as_imported(marked(record))
    assert not is_as_imported(record)
    assert not is_as_imported(marked(record).replace("# Disk", "# Disks"))
    assert not is_as_imported(marked(record).replace("---\n", "---\nmore: x\n", 1))
