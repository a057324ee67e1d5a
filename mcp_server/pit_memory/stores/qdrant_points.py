"""Qdrant: the one owner of its client. Points in, ids out, and errors that say what to do."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TypeVar
from uuid import uuid4

from pit_memory.core.indexing.vector_server import LAYOUT, VECTOR, ServerOptions
from pit_memory.errors import StoreError
from pit_memory.stores.keyword_filters import FILTER_FIELDS
from pit_memory.workspace.outage import Outage

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models

    from pit_memory.stores.vector_table import Floats

NAMESPACE: Final = "store"
"""Payload field: whose point it is; several projects share a collection."""
DOCUMENT: Final = "document"
PLACE: Final = "at"
"""Payload field that isn't searched: source, path, section, part, hash."""
_TENANT: Final = "assignment"
_INDEXED: Final = (NAMESPACE, DOCUMENT, *FILTER_FIELDS)
_OVERSAMPLING: Final = 2.0
"""Candidates by quantized vectors, for each one that is asked for; then the full ones decide."""
_READ_TRIES: Final = 2
_WRITE_TRIES: Final = 5
_FIRST_PAUSE: Final = 0.1
_UPSERT_POINTS: Final = 256
"""About 2 MB of JSON for vectors of 384 numbers."""
_SCROLLED: Final = 10_000
_REFUSED: Final = frozenset({401, 403})
_BUSY: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
_MISSING: Final = 404

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Point:
    """What is kept of a chunk."""

    id: str
    vector: "Floats"
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Term:
    """One of these values must stand in a payload field (or, negated, none of them)."""

    field: str
    values: tuple[str, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """A point that was found."""

    score: float
    payload: Mapping[str, Any]


class QdrantPoints:
    """One collection of one server; safe to use from several threads.

    Every method raises StoreError where the server can't be asked, with what to do.
    """

    def __init__(
        self,
        connect: Callable[[int], "QdrantClient"],
        place: str,
        collection: str,
        fingerprint: str,
        dimension: int,
        options: ServerOptions,
    ) -> None:
        """Name the parts; nothing is asked yet.

        Args:
            connect: makes a client that waits for so many seconds.
            place: the server's address, for messages.
            collection: its name.
            fingerprint: of the model whose vectors it holds.
            dimension: length of a vector.
            options: for a collection that has to be made.
        """
        self._connect = connect
        self._place = place
        self.collection = collection
        self._fingerprint = fingerprint
        self._dimension = dimension
        self._options = options
        self._beginning = Lock()
        self._born = ""
        self._outage = Outage(f"Qdrant at {place}")

    @cached_property
    def _reader(self) -> "QdrantClient":
        return self._connect(2)

    @cached_property
    def _writer(self) -> "QdrantClient":
        return self._connect(60)

    def close(self) -> None:
        """Close the connections."""
        for name in ("_reader", "_writer"):
            if client := self.__dict__.pop(name, None):
                client.close()

    # ---- the collection ----------------------------------------------------------------------

    def born(self) -> str:
        """What tells this collection from another one of its name; it is made where it is missing.

        A follower that recorded another birth begins anew: somebody emptied the server.
        """
        with self._beginning:
            if not self._born:
                self._born = self._ensure()
            return self._born

    def _ensure(self) -> str:
        if not self._ask(lambda: self._reader.collection_exists(self.collection)):
            self._create()
        info = self._ask(lambda: self._reader.get_collection(self.collection))
        about = (info.config.metadata or {}).get("pit_memory")
        vectors = info.config.params.vectors
        ours = isinstance(about, dict) and about.get("fingerprint") == self._fingerprint
        size = vectors[VECTOR].size if isinstance(vectors, dict) and VECTOR in vectors else None
        if not ours or size != self._dimension:
            found = f"vectors of {size} numbers" if ours else "no vectors of this model"
            raise StoreError(
                f"the collection {self.collection} of {self._place} holds {found} "
                f"({self._dimension} numbers are needed): it is not pit-memory's; remove it, or "
                "set vectors.prefix to another name"
            )
        for field in _INDEXED:  # also after a kill between the collection and its indexes
            if field not in (info.payload_schema or {}):
                self._create_index(field)
        return str(about["born"]) if isinstance(about, dict) else ""

    def _create(self) -> None:
        from qdrant_client import models

        options = self._options
        about = {"fingerprint": self._fingerprint, "layout": LAYOUT, "born": uuid4().hex}
        self._ask(
            lambda: self._writer.create_collection(
                self.collection,
                vectors_config={
                    VECTOR: models.VectorParams(
                        size=self._dimension,
                        distance=models.Distance.COSINE,
                        on_disk=options.on_disk,
                    )
                },
                shard_number=options.shards,
                replication_factor=options.replicas,
                on_disk_payload=options.on_disk,
                quantization_config=_quantization(options),
                metadata={"pit_memory": about},
            )
        )

    def _create_index(self, field: str) -> None:
        from qdrant_client import models

        kind = models.KeywordIndexType.KEYWORD
        tenant = True if field == _TENANT else None
        schema = models.KeywordIndexParams(type=kind, is_tenant=tenant)
        self._ask(lambda: self._writer.create_payload_index(self.collection, field, schema))

    def make_current(self, alias: str) -> bool:
        """Let an alias name this collection, in one step; False where it did already."""
        from qdrant_client import models

        known = self._ask(self._reader.get_aliases).aliases
        target = next((it.collection_name for it in known if it.alias_name == alias), None)
        if target == self.collection:
            return False
        steps: list[Any] = []
        if target is not None:
            steps.append(
                models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=alias))
            )
        create = models.CreateAlias(collection_name=self.collection, alias_name=alias)
        steps.append(models.CreateAliasOperation(create_alias=create))
        self._ask(lambda: self._writer.update_collection_aliases(steps))
        return True

    # ---- points ------------------------------------------------------------------------------

    def upsert(self, points: Sequence[Point]) -> None:
        """Put points in; those of the same ids are replaced."""
        from qdrant_client import models

        for begin in range(0, len(points), _UPSERT_POINTS):
            batch = [
                models.PointStruct(
                    id=point.id,
                    vector={VECTOR: point.vector.tolist()},
                    payload=dict(point.payload),
                )
                for point in points[begin : begin + _UPSERT_POINTS]
            ]
            self._write(partial(self._writer.upsert, self.collection, batch))

    def delete(self, namespace: str, documents: Sequence[str], but: Sequence[str] = ()) -> None:
        """Take out the points of some documents, but for those of some ids."""
        from qdrant_client import models

        selected = _filter([Term(NAMESPACE, (namespace,)), Term(DOCUMENT, tuple(documents))])
        if but:
            selected.must_not = [models.HasIdCondition(has_id=list(but))]
        selector = models.FilterSelector(filter=selected)
        self._write(lambda: self._writer.delete(self.collection, selector))

    def documents(self, namespace: str) -> set[str]:
        """The keys of all documents that have points."""
        found: set[str] = set()
        for payload in self._scroll(namespace):
            found.add(payload[DOCUMENT])
        return found

    def _scroll(self, namespace: str) -> Iterator[Mapping[str, Any]]:
        wanted = _filter([Term(NAMESPACE, (namespace,))])
        offset: Any = None
        while True:
            records, offset = self._ask(
                partial(
                    self._writer.scroll,
                    self.collection,
                    scroll_filter=wanted,
                    limit=_SCROLLED,
                    offset=offset,
                    with_payload=[DOCUMENT],
                )
            )
            yield from (record.payload or {} for record in records)
            if offset is None:
                return

    def search(self, vector: "Floats", terms: Iterable[Term], limit: int) -> list[Found]:
        """The nearest points that meet all terms, best first, with their places."""
        from qdrant_client import models

        wanted = _filter(terms)
        quantization = None
        if self._options.quantization != "none":
            quantization = models.QuantizationSearchParams(rescore=True, oversampling=_OVERSAMPLING)
        answer = self._ask(
            lambda: self._reader.query_points(
                self.collection,
                query=vector.tolist(),
                using=VECTOR,
                query_filter=wanted,
                limit=limit,
                search_params=models.SearchParams(quantization=quantization),
                with_payload=[PLACE],
            )
        )
        return [Found(point.score, point.payload or {}) for point in answer.points]

    # ---- asking ------------------------------------------------------------------------------

    def _write(self, call: Callable[[], object]) -> None:
        self._ask(call, _WRITE_TRIES)

    def _ask(self, call: Callable[[], T], tries: int = _READ_TRIES) -> T:
        """Ask the server, again after a pause where that may help.

        Raises:
            StoreError: it gave no answer, or refused.
        """
        from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

        if not self._outage.is_asked:
            raise StoreError(str(self._outage))
        pause, left = _FIRST_PAUSE, tries
        while True:
            left -= 1
            try:
                answer = call()
            except UnexpectedResponse as error:
                if error.status_code not in _BUSY or not left:
                    raise self._refusal(error.status_code or 0, str(error.reason_phrase)) from error
            except ResponseHandlingException as error:
                if not left:
                    self._outage.failed(_first_line(error.source))
                    raise StoreError(str(self._outage)) from error
            except ValueError as error:  # what the client's own engine says in place of a server
                message = f"{self._place}: {_first_line(error)}"
                raise StoreError(message) from error
            else:
                self._outage.answered()
                return answer
            time.sleep(pause)
            pause *= 2

    def _refusal(self, status: int, phrase: str) -> StoreError:
        if status in _REFUSED:
            return StoreError(f"Qdrant at {self._place} refuses the key: set vectors.api_key")
        if status == _MISSING:
            self._born = ""  # the next call makes the collection anew, and it is filled again
            return StoreError(f"Qdrant at {self._place} has lost the collection {self.collection}")
        return StoreError(f"Qdrant at {self._place} answers {status} {phrase}")


def qdrant_client(url: str, api_key: str) -> Callable[[int], "QdrantClient"]:
    """What connects to a server; the library is imported at the first call."""

    def connect(seconds: int) -> "QdrantClient":
        from qdrant_client import QdrantClient

        return QdrantClient(
            url=url, api_key=api_key or None, timeout=seconds, check_compatibility=False
        )

    return connect


def _filter(terms: Iterable[Term]) -> "models.Filter":
    from qdrant_client import models

    must: list[Any] = []
    must_not: list[Any] = []
    for term in terms:
        match = models.MatchAny(any=list(term.values))
        condition = models.FieldCondition(key=term.field, match=match)
        (must_not if term.negated else must).append(condition)
    return models.Filter(must=must or None, must_not=must_not or None)


def _quantization(options: ServerOptions) -> Any:  # noqa: ANN401 -- one of the client's records
    from qdrant_client import models

    if options.quantization == "int8":
        scalar = models.ScalarQuantizationConfig(
            type=models.ScalarType.INT8, quantile=0.99, always_ram=True
        )
        return models.ScalarQuantization(scalar=scalar)
    if options.quantization == "binary":
        binary = models.BinaryQuantizationConfig(always_ram=True)
        return models.BinaryQuantization(binary=binary)
    return None


def _first_line(error: object) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
