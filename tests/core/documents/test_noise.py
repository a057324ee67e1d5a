import pytest

from pit_memory.core.documents.noise import is_noise


@pytest.mark.parametrize(
    "path",
    [
        "CHANGELOG.md",
        "docs/changelog/index.md",
        "What is New/Change Log.md",
        "docs/release-notes/2.0.md",
        "RELEASE_NOTES-2.1.md",
        "docs/_archive/old.md",
        "archive/2019/plan.md",
        "blog/posts/hello.md",
        "HISTORY.md",
        "changes-v2.md",
        "docs/proposals/multiple-sources.md",
        "rfcs/0042-leases.md",
    ],
)
def test_logs_archives_blogs_and_proposals_are_noise(path):
    assert is_noise(path)


@pytest.mark.parametrize(
    "path",
    [
        "docs/setup/setting-up-a-blog.md",
        "docs/release-process.md",
        "commands/app_history.md",
        "docs/archiving.md",
        "docs/archive.md",
        "plugins/blog.md",
        "alerts/LeaderChanges.md",
        "blogging.md",
        "What is New/Breaking Changes.md",
        "docs/writing-a-proposal.md",
        "docs/reference/rfc-3339-dates.md",
    ],
)
def test_pages_about_them_are_not(path):
    assert not is_noise(path)
