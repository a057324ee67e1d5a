"""Services and dates of incidents: asked inside each engine, and answered alike."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pit_memory.core.search.legs import SearchFilters
from pit_memory.core.source import Source
from pit_memory.operations.indexing.sync import sync
from pit_memory.stores.store import Store
from tests.builders import write_files
from tests.index_builders import found, terms


def record(date: str, services: str) -> str:
    return (
        f"---\ndate: {date}\nservices: [{services}]\n---\n# Outage\n\nThe outage of {services}.\n"
    )


FILES = {
    "docs/incidents/a.md": record("2023-12-31", "checkout"),
    "docs/incidents/b.md": record("2024-05-17", "Payment_Gateway, checkout"),
    "docs/incidents/c.md": record("2024-06", "search"),
    "docs/incidents/undated.md": "# Outage of checkout\n\nThe outage.\n",
    "docs/incidents/README.md": "# Outage records\n\nHow we write down an outage.\n",
    "docs/incidents/_template.md": "# Outage of SERVICE\n",
    "docs/howto.md": "# After an outage\n\nWrite a record.\n",
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store.open(tmp_path / "store")
    root = write_files(tmp_path / "tree", FILES)
    sync(store, [Source("", str(root), incidents=("docs/incidents/**",))])
    yield store
    store.close()


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, "a b c undated"),
        ({"services": ("CHECKOUT",)}, "a b"),
        ({"services": ("payment-gateway",)}, "b"),
        ({"services": ("nobody",)}, ""),
        ({"since": "2024-05-17"}, "b c"),
        ({"since": "2024-06-15"}, "c"),
        ({"since": "2024-07-01"}, ""),
        ({"services": ("checkout",), "since": "2024-01-01"}, "b"),
    ],
)
def test_both_engines_pass_the_same_incidents(store: Store, filters, expected: str):
    wanted = SearchFilters(collections=("incidents",), **filters)
    paths = {f"docs/incidents/{name}.md" for name in expected.split()}

    matching = store.catalogue.matching_documents(wanted) or ()
    assert {row.path for row in store.catalogue.documents(matching).values()} == paths
    assert set(found(store, "outage", wanted)) == paths
    pages = store.keywords.rank_pages(terms("outage"), wanted, 10)
    rows = store.catalogue.chunks([row_id for row_id, _ in pages])
    assert {row.document.path for row in rows.values()} == paths


def test_records_are_incidents_and_the_pages_of_their_folder_are_docs(store: Store):
    docs = found(store, "outage", SearchFilters(collections=("docs",)))
    assert set(docs) == {
        "docs/howto.md",
        "docs/incidents/README.md",
        "docs/incidents/_template.md",
    }


def test_a_record_is_ranked_as_a_whole_and_only_records_are(store: Store):
    ranked = store.keywords.rank_pages(terms("outage of the payment gateway"), SearchFilters(), 10)
    rows = store.catalogue.chunks([row_id for row_id, _ in ranked])
    assert rows[ranked[0][0]].document.path == "docs/incidents/b.md"
    assert len(ranked) == 4


def test_what_a_record_says_comes_back_from_the_catalogue(store: Store):
    row = store.catalogue.document("", "docs/incidents/b.md")
    assert row
    assert row.incident
    assert (row.incident.date, row.incident.services) == (
        "2024-05-17",
        ("Payment_Gateway", "checkout"),
    )
    plain = store.catalogue.document("", "docs/howto.md")
    assert plain
    assert plain.incident is None


def test_files_are_taken_anew_when_the_settings_call_them_something_else(tmp_path: Path):
    store = Store.open(tmp_path / "store")
    root = str(write_files(tmp_path / "tree", {"rcas/a.md": record("2024-01-01", "search")}))
    sync(store, [Source("", root)])
    assert found(store, "outage", SearchFilters(collections=("incidents",))) == []

    sync(store, [Source("", root, incidents=("rcas/**",))])
    assert found(store, "outage", SearchFilters(collections=("incidents",))) == ["rcas/a.md"]
    assert found(store, "outage", SearchFilters(collections=("docs",))) == []

    report = sync(store, [Source("", root, incidents=("rcas/**",))])
    assert (report.changed, report.unchanged) == (0, 1)
    store.close()


def test_a_record_without_a_body_is_found_by_its_front_matter(tmp_path: Path):
    only = "---\ndate: 2024-01-01\nsymptom: the zanzibar queue grew\ncause: a dead worker\n---\n"
    store = Store.open(tmp_path / "store")
    root = write_files(tmp_path / "tree", {"incidents/a.md": only})
    sync(store, [Source("", str(root), incidents=("incidents/**",))])
    assert found(store, "zanzibar") == ["incidents/a.md"]
    store.close()
