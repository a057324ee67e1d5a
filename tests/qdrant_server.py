"""Qdrant's REST interface on loopback over its own engine in memory.

Every request and every answer is held against Qdrant's OpenAPI document, and a filter on a field
without a payload index is refused, as a strict server does. It proves what goes over the wire, not
how well or fast a real server searches.
"""

import gzip
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any

from jsonschema import Draft202012Validator
from qdrant_client import QdrantClient, models
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from tests.loopback import serving

URN = "urn:qdrant"
Handler = Callable[["FakeQdrant", str, dict[str, Any]], Any]


class Interface:
    """The schemas of requests and answers."""

    def __init__(self, document: Path) -> None:
        with gzip.open(document) as file:
            self.spec = _as_json_schema(json.load(file))
        resource = Resource.from_contents(self.spec, default_specification=DRAFT202012)
        self._registry: Registry[Any] = Registry().with_resource(URN, resource)

    def check_request(self, method: str, route: str, body: Any) -> None:
        operation = self.spec["paths"][route][method]
        if "requestBody" in operation:
            self._check(operation["requestBody"], body)
        else:
            assert body == {}, f"{method} {route} takes no body"

    def check_answer(self, method: str, route: str, answer: Any) -> None:
        self._check(self.spec["paths"][route][method]["responses"]["200"], answer)

    def _check(self, described: dict[str, Any], value: Any) -> None:
        schema = described["content"]["application/json"]["schema"]
        errors = list(Draft202012Validator(schema, registry=self._registry).iter_errors(value))
        assert not errors, [f"{list(error.path)}: {error.message[:200]}" for error in errors[:3]]


class FakeQdrant:
    """What the server holds, and what goes wrong with it; tests change it while it runs."""

    def __init__(self, interface: Interface) -> None:
        self.interface = interface
        self.engine = QdrantClient(":memory:")
        self.indexes: dict[str, set[str]] = {}
        self.key: str | None = None
        self.away = False
        """Nothing answers at its address."""
        self.failures: list[int] = []
        """Statuses of the next answers."""
        self.broken: list[str] = []
        """What did not keep to the interface."""
        self.url = ""
        self.lock = RLock()

    def indexed(self, collection: str, filters: Any) -> None:
        keys = set(re.findall(r'"key": "([^"]+)"', json.dumps(filters)))
        unknown = keys - self.indexes.get(collection, set())
        if unknown:
            raise RefusedError(400, f"Index required but not found for {sorted(unknown)}")


class RefusedError(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def _exists(fake: FakeQdrant, name: str, _: dict[str, Any]) -> Any:
    return {"exists": fake.engine.collection_exists(name)}


def _info(fake: FakeQdrant, name: str, _: dict[str, Any]) -> Any:
    if not fake.engine.collection_exists(name):
        raise RefusedError(404, f"Not found: Collection `{name}` doesn't exist!")
    info = fake.engine.get_collection(name).model_dump(mode="json", exclude_none=True)
    info["payload_schema"] = {
        field: {"data_type": "keyword", "points": 0} for field in fake.indexes.get(name, ())
    }
    return info


def _create(fake: FakeQdrant, name: str, body: dict[str, Any]) -> Any:
    made = models.CreateCollection(**body)
    assert made.vectors is not None
    fake.engine.create_collection(name, made.vectors, metadata=made.metadata)
    fake.indexes[name] = set()
    return True


def _index(fake: FakeQdrant, name: str, body: dict[str, Any]) -> Any:
    fake.indexes[name].add(body["field_name"])
    return {"operation_id": 1, "status": "completed"}


def _aliases(fake: FakeQdrant, _: str, __: dict[str, Any]) -> Any:
    return fake.engine.get_aliases().model_dump(mode="json")


def _change_aliases(fake: FakeQdrant, _: str, body: dict[str, Any]) -> Any:
    made = models.ChangeAliasesOperation(**body)
    return fake.engine.update_collection_aliases(made.actions)


def _upsert(fake: FakeQdrant, name: str, body: dict[str, Any]) -> Any:
    _info(fake, name, {})
    points = [models.PointStruct(**point) for point in body["points"]]
    return fake.engine.upsert(name, points).model_dump(mode="json")


def _delete(fake: FakeQdrant, name: str, body: dict[str, Any]) -> Any:
    fake.indexed(name, body)
    selector = models.FilterSelector(**body)
    return fake.engine.delete(name, selector).model_dump(mode="json")


def _scroll(fake: FakeQdrant, name: str, body: dict[str, Any]) -> Any:
    fake.indexed(name, body.get("filter"))
    asked = models.ScrollRequest(**body)
    records, offset = fake.engine.scroll(
        name,
        scroll_filter=asked.filter,
        limit=asked.limit or 10,
        offset=asked.offset,
        with_payload=asked.with_payload or False,
    )
    points = [record.model_dump(mode="json", exclude_none=True) for record in records]
    return {"points": points, "next_page_offset": offset}


def _query(fake: FakeQdrant, name: str, body: dict[str, Any]) -> Any:
    _info(fake, name, {})
    fake.indexed(name, body.get("filter"))
    asked = models.QueryRequest(**body)
    answer = fake.engine.query_points(
        name,
        query=asked.query,
        using=asked.using,
        query_filter=asked.filter,
        limit=asked.limit or 10,
        with_payload=asked.with_payload or False,
    )
    return answer.model_dump(mode="json", exclude_none=True)


ROUTES: dict[tuple[str, str], Handler] = {
    ("get", "/collections/{collection_name}/exists"): _exists,
    ("get", "/collections/{collection_name}"): _info,
    ("put", "/collections/{collection_name}"): _create,
    ("put", "/collections/{collection_name}/index"): _index,
    ("get", "/aliases"): _aliases,
    ("post", "/collections/aliases"): _change_aliases,
    ("put", "/collections/{collection_name}/points"): _upsert,
    ("post", "/collections/{collection_name}/points/delete"): _delete,
    ("post", "/collections/{collection_name}/points/scroll"): _scroll,
    ("post", "/collections/{collection_name}/points/query"): _query,
}


@contextmanager
def running(fake: FakeQdrant) -> Iterator[FakeQdrant]:
    """The server, from here to the end of the block."""

    def answer(
        method: str, path: str, headers: Mapping[str, str], body: Any
    ) -> tuple[int, Any] | None:
        if fake.away:
            return None
        if fake.failures:
            return fake.failures.pop(0), {"status": {"error": "as asked for"}}
        if fake.key is not None and headers.get("api-key") != fake.key:
            return 403, {"status": {"error": "forbidden"}}
        return _answer(fake, method, path, body)

    with serving(answer) as fake.url:
        yield fake


def _answer(fake: FakeQdrant, method: str, path: str, body: Any) -> tuple[int, Any]:
    try:
        route, name = _route(method, path)
        fake.interface.check_request(method, route, body)
        with fake.lock:
            result = ROUTES[method, route](fake, name, body)
        answer = {"result": result, "status": "ok", "time": 0.001}
        fake.interface.check_answer(method, route, answer)
    except RefusedError as error:
        return error.status, {"status": {"error": str(error)}, "time": 0.0}
    except AssertionError as error:
        fake.broken.append(f"{method} {path}: {error}")
        return 400, {"status": {"error": str(error)}, "time": 0.0}
    return 200, answer


def _route(method: str, path: str) -> tuple[str, str]:
    """The route of a path and the collection it names; fixed names come before patterns."""
    for known_method, route in sorted(ROUTES, key=lambda it: "{" in it[1]):
        pattern = route.replace("{collection_name}", "(?P<name>[^/]+)")
        if known_method == method and (matched := re.fullmatch(pattern, path)):
            return route, matched.groupdict().get("name", "")
    raise AssertionError(f"{method} {path} is not expected")


def _as_json_schema(value: Any) -> Any:
    """OpenAPI 3.0 as JSON Schema: `nullable`, and references into the document by its URN."""
    if isinstance(value, list):
        return [_as_json_schema(item) for item in value]
    if not isinstance(value, dict):
        return value
    made = {
        key: f"{URN}{item}" if key == "$ref" else _as_json_schema(item)
        for key, item in value.items()
    }
    if made.pop("nullable", False) is True:
        return {"anyOf": [made, {"type": "null"}]}
    return made
