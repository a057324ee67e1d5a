"""Write what pit-memory is made of, from the hash locks: `scripts/sbom.py [FILE]` (CycloneDX)."""

import json
import re
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LOCKS = {
    "requirements.lock": "required",
    "requirements-model.lock": "optional",
    "requirements-team.lock": "optional",
}
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)\s*(?:;\s*([^\\]+?))?\s*\\?$")
_HASH = re.compile(r"^\s+--hash=sha256:([0-9a-f]{64})")


def components(lock: Path, scope: str) -> Iterator[dict[str, Any]]:
    """One component a pinned package, in the order of the lock."""
    found: dict[str, Any] | None = None
    for line in lock.read_text(encoding="utf-8").splitlines():
        if pin := _PIN.match(line):
            if found:
                yield found
            name, version, marker = pin.groups()
            purl = f"pkg:pypi/{re.sub('[-_.]+', '-', name).lower()}@{version}"
            found = {
                "type": "library",
                "bom-ref": f"{purl}#{marker}" if marker else purl,
                "name": name,
                "version": version,
                "purl": purl,
                "scope": scope,
                "properties": [{"name": "pit-memory:lock", "value": lock.name}],
                "hashes": [],
            }
            if marker:
                found["properties"].append({"name": "pit-memory:marker", "value": marker})
        elif found and (matched := _HASH.match(line)):
            found["hashes"].append({"alg": "SHA-256", "content": matched[1]})
    if found:
        yield found


def bill_of_materials() -> dict[str, Any]:
    """The whole document; the same locks give the same bytes."""
    found: dict[str, dict[str, Any]] = {}
    for lock, scope in LOCKS.items():
        for component in components(ROOT / lock, scope):
            found.setdefault(component["bom-ref"], component)  # two locks may share a package
    version = runpy.run_path(str(ROOT / "mcp_server/pit_memory/__init__.py"))["__version__"]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "pit-memory",
                "name": "pit-memory",
                "version": version,
                "licenses": [{"license": {"id": "MIT"}}],
            }
        },
        "components": list(found.values()),
    }


if __name__ == "__main__":
    text = json.dumps(bill_of_materials(), indent=1) + "\n"
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(text, encoding="utf-8")
    else:
        print(text, end="")
