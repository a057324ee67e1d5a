"""Writing things down: where they land, who can see them, what is refused, what is found."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pit_memory.core.serving.write_request import WriteRequest
from pit_memory.core.writing.receipts import WriteReceipt
from pit_memory.errors import PitMemoryError, StorageFullError, UsageError, WriteRefusedError
from pit_memory.operations.searching.search import SearchRequest
from pit_memory.operations.services import Services
from pit_memory.wiring import open_services
from tests.builders import git, make_repository, write_files
from tests.machine import open_folder, without_privileges

GATEWAY = "The gateway listens on port 8443 and restarts nightly at 03:10."
TOKEN = "ghp_" + "9aB3" * 9

Write = Callable[..., WriteReceipt]

pytestmark = pytest.mark.usefixtures("words_only")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {"docs/x.md": "# X\n\n## Old\n\nold\n", "mine.txt": "a\n"}
    return make_repository(tmp_path.resolve() / "project", files)


@pytest.fixture
def write(services: Services) -> Write:
    def write(content: str, kind: str = "reference", **more) -> WriteReceipt:
        return services.write(WriteRequest(content, kind, **more))

    return write


def found(services: Services, query: str, **more) -> list[str]:
    return [hit.path for hit in services.search(SearchRequest(query, **more)).hits]


def test_a_reference_becomes_a_committed_draft_that_a_search_finds(root, services, write):
    receipt = write(GATEWAY, title="Gateway port and restart")
    assert receipt.is_written
    assert receipt.place == "docs/_drafts/gateway-port-and-restart.md"
    assert (root / receipt.place).read_text().split("\n", 5)[:4] == [
        "---",
        "title: Gateway port and restart",
        "draft: true",
        "author: Ada Example",
    ]
    assert (
        (root / receipt.place)
        .read_text()
        .endswith(f"\n---\n\n# Gateway port and restart\n\n{GATEWAY}\n")
    )
    assert receipt.commit.state == "committed"
    assert git(root, "show", "--name-only", "--format=%an", "HEAD").split("\n") == [
        "Ada Example",
        "",
        receipt.place,
        "",
    ]
    assert receipt.is_retrievable
    assert receipt.ref.startswith(f"{receipt.place}#gateway-port-and-restart@")
    (hit,) = services.search(SearchRequest("when does the gateway restart")).hits
    assert (hit.status, hit.ref) == ("draft", receipt.ref)


def test_what_the_person_has_staged_and_changed_stays_theirs(root, write):
    write_files(root, {"mine.txt": "staged\n"})
    git(root, "add", "mine.txt")
    write_files(root, {"mine.txt": "changed\n", "docs/x.md": "# X\n", "new.md": "# New\n"})
    before = git(root, "status", "--porcelain")
    assert write(GATEWAY).commit.state == "committed"
    assert git(root, "status", "--porcelain") == before


def test_a_gotcha_is_an_entry_that_hooks_know_at_once(root, write, home):
    text = "Clear uploads/, never remove it."
    fields = {"trigger_tool": "Bash", "trigger_pattern": "rm .*uploads"}
    receipt = write(text, "feedback", title="Clear uploads", fields=fields)
    assert receipt.place == "memory/gotcha_clear-uploads.md"
    assert "nobody would search for it" in receipt.route
    assert receipt.is_retrievable
    compiled = (home / f"data/projects{root}/.push").read_text()
    assert compiled.startswith("Bash\n")
    assert text in json.loads(compiled.split("\n")[-1])["session"]


def test_the_first_entry_of_a_new_folder_of_settings_is_found_at_once(root, monkeypatch, tmp_path):
    for folder in ("before", "now"):
        monkeypatch.setenv("PIT_MEMORY_CONFIG", str(tmp_path.resolve() / folder))
        with open_services(root, background="none") as services:
            receipt = services.write(WriteRequest(f"Speaks of {folder}.", "preference"))
            assert receipt.is_retrievable
            assert len(found(services, f"speaks of {folder}")) == 1


def test_a_preference_is_the_persons_alone_and_found_at_once(root, services, write, home):
    receipt = write("Answers in British English.", "preference", title="British English")
    assert receipt.is_retrievable
    assert receipt.visible.startswith("Visible to you alone")
    assert receipt.place == str(home.resolve() / "config/memory/preference_british-english.md")
    assert receipt.commit.state == "waiting"
    assert receipt.ref.startswith("personal-memory::preference_british-english.md")
    assert services.read(receipt.ref, 500).lines
    assert found(services, "British English") == ["preference_british-english.md"]
    assert git(root, "status", "--porcelain") == ""


def test_scope_moves_push_memory_between_person_and_project(write):
    assert write("Tabs.", "preference", scope="project").place == "memory/preference_tabs.md"
    assert write("Late is late.", "rule", scope="personal").visible.startswith("Visible to you")
    with pytest.raises(UsageError, match="a reference is written to project only"):
        write(GATEWAY, scope="personal")
    with pytest.raises(UsageError, match="scope: there is no 'persnal'; did you mean personal"):
        write("x", "rule", scope="persnal")


def test_without_a_repository_it_is_written_and_said(tmp_path: Path):
    root = write_files(tmp_path / "plain", {"docs/x.md": "# X\n"})
    with open_services(root, background="none") as services:
        receipt = services.write(WriteRequest(GATEWAY, "reference", title="Gateway"))
    assert (receipt.commit.state, receipt.is_retrievable) == ("no repository", True)
    assert "no git repository" in receipt.visible


def test_the_same_again_is_shown_before_it_is_written(root, write):
    first = write(GATEWAY, title="Gateway")
    again = write("The gateway restarts nightly at 03:10, and listens on port 8443.")
    assert not again.is_written
    assert [near.ref for near in again.near] == [first.ref]
    assert len(list((root / "docs/_drafts").iterdir())) == 1
    assert write("The gateway restarts nightly at 03:10; port 8443.", force=True).is_written


def test_other_numbers_are_another_fact_and_told(write):
    first = write("Writer 1 keeps note 1 about the nightly backup.", title="Note 1")
    other = write("Writer 2 keeps note 2 about the nightly backup.", title="Note 2")
    assert other.is_written
    assert other.notes == (f"{first.ref} says nearly the same with other numbers",)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The gateway restarts nightly at 04:20 and listens on port 9443.", True),
        ("It is written in Go.\n\nThe gateway listens on port 9443, and restarts\nnightly.", True),
        ("The proxy listens on port 9443. It is never restarted.", False),
        ("The gateway restarts nightly at 03:10. Its logs go to Loki in eu-2.", False),
    ],
)
def test_a_sentence_that_says_the_same_with_other_numbers_is_told(write, text: str, names: bool):
    first = write(f"Everybody uses it. {GATEWAY} Ask the platform team.", title="Gateway")
    second = write(text, title="What we run")
    assert second.is_written
    told = f"{first.ref} says nearly the same with other numbers: {GATEWAY}"
    assert second.notes == ((told,) if names else ())


def test_a_name_that_is_taken_is_told_and_never_replaced(root, write):
    write_files(root, {"docs/_drafts/gateway.md": "# Gateway\n\nOurs.\n"})
    taken = write("Something else altogether.", title="Gateway")
    assert [near.why for near in taken.near] == ["has this name"]
    forced = write("Something else altogether.", title="Gateway", force=True)
    assert forced.place == "docs/_drafts/gateway-2.md"
    assert (root / "docs/_drafts/gateway.md").read_text() == "# Gateway\n\nOurs.\n"


def test_a_slug_that_another_entry_has_is_told_as_only_one_would_count(write):
    write("Never remove it.", "gotcha", title="Uploads")
    taken = write("Back it up every day.", "rule", title="Uploads")
    assert [(near.ref, near.why) for near in taken.near] == [
        ("memory/gotcha_uploads.md", "has this slug")
    ]


@pytest.mark.parametrize(
    ("content", "more", "line"),
    [
        ("", {}, "content: it is empty"),
        (" \n\n", {}, "content: it is empty"),
        ("---\ntitle: X\n---\n", {}, "content: it is empty"),
        ("x" * 1_000_000, {}, "content: 1,000,000 characters, and at most 100,000"),
        ("a\0b", {}, r"content: U\+0000 in line 1: it is no text"),
        ("a\n\x1b[31mred", {}, r"content: U\+001B in line 2"),
        ("x", {"kind": "gotchya"}, "kind: there is no 'gotchya'; did you mean gotcha"),
        ("x", {"kind": "zzz"}, r"kind: there is no 'zzz'\. There are reference, rule"),
        ("---\ndate: soon\n---\nx", {"kind": "incident"}, "date: 'soon' is no date"),
        ("x", {"kind": "fact"}, "no assignment is resolved here"),
        ("x", {"kind": "document"}, "kind: document can't be written: "),
        ("x", {"title": "!!!"}, "title: '!!!' has no letter or digit"),
        ("x", {"title": "a\nb"}, "title: it must be one line"),
        ("x", {"title": "a" * 121}, "title: 121 characters, and at most 120"),
        ('---\ntitle: "a\\0b"\n---\nx', {}, r"front matter: title holds U\+0000"),
        ('---\ntags: [{"a\\e": x}]\n---\nx', {}, r"front matter: tags holds U\+001B"),
        ('---\ndescription: "\\a"\n---\nx', {"kind": "rule"}, r"description holds U\+0007"),
        ("---\ntitle: [\n---\nx", {}, "content: line 3: front matter is not valid YAML"),
        (
            "x",
            {"kind": "gotcha", "fields": {"trigger_tool": "Bash", "trigger_pattern": "(a+)+$"}},
            "may take for ever",
        ),
        ("x", {"kind": "gotcha", "fields": {"trigger_tool": "a b"}}, "trigger_tool is 'a b'"),
        ("---\nservice: x\n---\ny", {"kind": "rule"}, "service has no place in a rule"),
    ],
)
def test_what_is_wrong_is_told_in_one_line_and_nothing_is_written(root, write, content, more, line):
    with pytest.raises(UsageError, match=line) as told:
        write(content, **more)
    assert "\n" not in str(told.value)
    assert git(root, "status", "--porcelain", "--ignored") == ""


@pytest.mark.parametrize(
    "more",
    [
        {"content": f"the token {TOKEN}"},
        {"content": "x", "title": f"Token {TOKEN}"},
        {"content": f'---\ntags: ["gh\\x70{TOKEN[3:]}"]\n---\nx'},
    ],
)
def test_a_secret_is_refused_by_the_rules_name_before_it_reaches_the_disk(root, home, write, more):
    with pytest.raises(WriteRefusedError, match="github-token") as told:
        write(**more)
    assert TOKEN not in str(told.value)
    assert git(root, "status", "--porcelain", "--ignored") == ""
    files = [path for path in home.rglob("*") if path.is_file()]
    assert not any(TOKEN.encode() in path.read_bytes() for path in files)


@pytest.mark.parametrize(
    "title", ["../../etc/passwd", "/etc/passwd", "..\\..\\x", "a/../../b", "~"]
)
def test_no_title_leads_out_of_the_home(root, write, title: str):
    if title == "~":
        with pytest.raises(UsageError):
            write("x y z", title=title)
        return
    receipt = write("Words of their own.", title=title)
    assert (root / receipt.place).parent == root / "docs/_drafts"


@pytest.mark.parametrize("title", ["Con", "NUL", "com1", "LPT9"])
def test_no_draft_is_named_like_a_device_of_windows(write, title: str):
    assert write("Words about it.", title=title).place == f"docs/_drafts/{title.lower()}-note.md"


def test_a_memory_folder_that_is_a_file_is_told(root, write):
    write_files(root, {"memory": "not a folder\n"})
    with pytest.raises(StorageFullError, match="a file is where a folder should be"):
        write("Never do it.", "gotcha")
    assert (root / "memory").read_text() == "not a folder\n"


def test_a_home_that_leads_out_of_the_project_is_refused(root, write, tmp_path: Path):
    (root / "memory").symlink_to(write_files(tmp_path / "outside", {}))
    with pytest.raises(PitMemoryError, match="symlink out of"):
        write("Never do it.", "gotcha")
    assert not list((tmp_path / "outside").iterdir())


def test_a_home_in_gits_own_folder_is_refused(root, write):
    (root / "docs/_drafts").symlink_to(root / ".git/hooks")
    with pytest.raises(PitMemoryError, match="git's own folder"):
        write("Words.", title="post-commit")
    assert not list((root / ".git/hooks").glob("*.md"))


def test_a_home_behind_a_link_within_the_project_is_committed_where_it_really_is(root, write):
    write_files(root, {"pages/keep.md": "# Keep\n"})
    (root / "docs/_drafts").symlink_to("../pages")
    receipt = write(GATEWAY, title="Gateway")
    assert (receipt.place, receipt.commit.state) == ("pages/gateway.md", "committed")
    assert receipt.is_retrievable


def test_front_matter_that_the_content_brings_is_kept(root, write):
    text = (
        "---\ntitle: Gateway\ntags: [ops, 'a: b']\nsince: 2026-05-03\ndraft: false\n---\n" + GATEWAY
    )
    written = (root / write(text).place).read_text()
    head = written.split("---\n")[1].split("\n")
    assert head[0] == "title: Gateway"
    assert 'tags: ["ops", "a: b"]' in head
    assert "since: 2026-05-03" in head
    assert "draft: true" in head
    assert written.count("draft:") == 1


def test_a_text_that_begins_with_a_rule_stays_whole(root, write):
    text = "---\n\nA line.\n\n---\n\nAnother one."
    assert (root / write(text, title="Rules").place).read_text().endswith(f"{text}\n")


def test_a_second_heading_of_the_first_level_is_not_made(root, write):
    written = (root / write("# The gateway\r\n\r\nListens.\r\n").place).read_text()
    assert written.count("# The gateway") == 1
    assert "title: The gateway\n" in written
    assert "\r" not in written


def test_what_the_settings_leave_out_is_written_and_said_not_to_be_found(tmp_path: Path):
    settings = '[docs]\nexclude = ["docs/_drafts/"]\n'
    root = make_repository(tmp_path / "p", {".pit-memory.toml": settings, "docs/x.md": "# X\n"})
    with open_services(root, background="none") as services:
        receipt = services.write(WriteRequest(GATEWAY, "reference", title="Gateway"))
    assert (receipt.is_written, receipt.is_retrievable) == (True, False)
    assert "docs.exclude" in receipt.why_not_retrievable


def test_what_git_ignores_is_written_and_said_to_be_neither_found_nor_committed(tmp_path: Path):
    root = make_repository(tmp_path / "p", {".gitignore": "_drafts/\n", "docs/x.md": "# X\n"})
    with open_services(root, background="none") as services:
        receipt = services.write(WriteRequest(GATEWAY, "reference", title="Gateway"))
    assert receipt.is_written
    assert not receipt.is_retrievable
    assert receipt.commit.reason == "git ignores docs/_drafts/gateway.md"


@pytest.mark.parametrize("policy", ["wrapup", "never"])
def test_the_settings_leave_the_commit_to_the_person(tmp_path: Path, policy: str):
    settings = f'[commit]\nreference = "{policy}"\n'
    root = make_repository(tmp_path / "p", {".pit-memory.toml": settings})
    with open_services(root, background="none") as services:
        receipt = services.write(WriteRequest(GATEWAY, "reference", title="Gateway"))
    assert receipt.commit.state == "waiting"
    assert git(root, "status", "--porcelain") == "?? docs/\n"


def test_an_entry_that_no_session_has_room_for_is_told(tmp_path: Path):
    settings = "[push]\nbudget = 100\n"
    root = make_repository(tmp_path / "p", {".pit-memory.toml": settings})
    with open_services(root, background="none") as services:
        long = "Never do it, as " + "it breaks the queue of the region, " * 20
        receipt = services.write(WriteRequest(long, "gotcha", title="Queue"))
    assert receipt.is_retrievable
    assert "push.budget (100 tokens) is used up" in receipt.notes[0]


def test_a_read_only_memory_folder_is_told_and_nothing_is_left_in_it(monkeypatch):
    with open_folder() as folder:
        root = make_repository(folder.resolve() / "p", {"docs/x.md": "# X\n"})
        monkeypatch.setenv("HOME", str(folder))
        for name in ("DATA", "CONFIG"):
            monkeypatch.setenv(f"PIT_MEMORY_{name}", str(folder / name))
        with open_services(root, background="none") as services:
            services.write(WriteRequest("Late is late.", "rule", title="Late"))
            for path in (folder, *folder.rglob("*")):
                path.chmod(0o777)
            (root / "memory").chmod(0o555)
            with (
                without_privileges(),
                pytest.raises(StorageFullError, match=r"memory.*permission denied"),
            ):
                services.write(WriteRequest("Never do it.", "gotcha"))
        assert [path.name for path in (root / "memory").iterdir()] == ["rule_late.md"]


def test_a_project_whose_folder_is_gone_is_not_made_again(root, services, write):
    found(services, "old")
    shutil.move(root, root.with_name("elsewhere"))
    with pytest.raises(WriteRefusedError, match="is not there"):
        write(GATEWAY)
    assert not root.exists()


@pytest.mark.timeout(120)
def test_beside_ten_thousand_entries_one_more_is_written_found_and_told_of(root, write):
    entries = {f"memory/rule_r{at}.md": f"Rule {at} holds.\n" for at in range(10_000)}
    write_files(root, entries)
    receipt = write("Clear uploads/, never remove it.", "gotcha", title="Uploads")
    assert receipt.is_retrievable
    assert receipt.commit.state == "committed"
    assert "files not indexed yet, so not compared with" in receipt.notes[0]
