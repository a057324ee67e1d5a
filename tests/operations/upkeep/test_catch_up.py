"""The process that goes on after a command: what it finishes, and how anybody hears of its end."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from pit_memory.core.source import Source
from pit_memory.errors import EmbedderError
from pit_memory.operations.indexing.background import ProcessBackground
from pit_memory.operations.searching.opened_store import Meaning
from pit_memory.operations.upkeep.catch_up import catch_up, trouble_of
from pit_memory.stores.semantic_leg import StoreMeaning
from pit_memory.stores.store import Store
from pit_memory.stores.vector_cache import VectorCache
from pit_memory.stores.vectors import LocalVectors
from tests.builders import write_files
from tests.vector_builders import DIMENSION, unit_vectors


class Model:
    """A model that can break."""

    fingerprint = "a model that can break"
    dimension = DIMENSION
    languages = None
    is_broken = False

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.is_broken:
            raise EmbedderError("the model is truncated;\nbuild it again")
        return unit_vectors(len(texts))

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return np.asarray(self.embed_documents([text])[0], dtype=np.float32)


@pytest.fixture(autouse=True)
def keep_our_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes a process to itself and gives it the lowest priority: here that would be ours."""
    monkeypatch.setattr(
        "pit_memory.operations.indexing.meaning.lower_process_priority", lambda: None
    )


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return Source("", str(write_files(tmp_path / "tree", {"a.md": "# Keys\n\nRotate them.\n"})))


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def meaning(tmp_path: Path, store: Store, model: Model) -> Iterator[Meaning]:
    cache = VectorCache.open(tmp_path / "vectors.sqlite")
    vectors = LocalVectors(store, cache, fingerprint=model.fingerprint, dimension=DIMENSION)
    yield Meaning(model, cache, vectors, StoreMeaning(model, vectors))
    cache.close()


def test_words_and_meaning_are_finished(store: Store, source: Source, meaning: Meaning):
    catch_up(store, [source], meaning)
    assert store.keywords.chunk_count() == 1
    assert meaning.vectors.coverage().built == 1
    assert trouble_of(store) == ""


def test_without_a_model_words_are_finished(store: Store, source: Source):
    catch_up(store, [source], None)
    assert store.keywords.chunk_count() == 1


def test_why_it_ended_early_is_told_by_the_next_answers_until_it_succeeds(
    store: Store, source: Source, meaning: Meaning, model: Model
):
    answering = ProcessBackground(lambda: None, lambda: False, lambda: trouble_of(store))
    model.is_broken = True
    with pytest.raises(EmbedderError):
        catch_up(store, [source], meaning)
    assert answering.trouble == (
        "indexing in the background ended early: the model is truncated; build it again"
    )
    assert store.keywords.chunk_count() == 1

    model.is_broken = False
    catch_up(store, [source], meaning)
    assert answering.trouble == ""


def test_a_process_is_started_only_where_none_runs():
    started: list[str] = []
    for runs in (False, True):
        ProcessBackground(lambda: started.append("x"), lambda runs=runs: runs, str).wake()
    assert started == ["x"]
