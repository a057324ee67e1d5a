import pytest

from pit_memory.core.text.nearest import nearest, nearest_path

PATHS = (
    "docs/index.md",
    "docs/ops/index.md",
    "docs/ops/health.md",
    "docs/ops/secret-management.md",
    "docs/upgrades/3.1-3.2.md",
    "docs/use/health.md",
    "docs/use/sync-waves.md",
)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("docs/operator-manual/sync-waves.md", "docs/use/sync-waves.md"),
        ("docs/user/health.md", "docs/use/health.md"),
        ("docs/use/sync-wave.md", "docs/use/sync-waves.md"),
        ("docs/opps/index.md", "docs/ops/index.md"),
        ("docs/use/sync_waves.md", "docs/use/sync-waves.md"),
        ("docs/use/hewlth.md", "docs/use/health.md"),
        ("docs/user-guide/commands/app_set.md", None),
        ("docs/understand_the_basics.md", None),
        ("docs/ops/user-management/index.md", None),
        ("sync-waves", "docs/use/sync-waves.md"),
    ],
)
def test_the_path_that_is_meant_has_the_name_or_one_like_it(path, found):
    assert nearest_path(path, PATHS) == found


def test_a_dotted_name_is_known_by_its_last_part():
    assert nearest("limit", ["search.limit", "search.budget"]) == "search.limit"
