"""Which command lines commit, and what each does to git's index first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.host.commit_command import Commit, Place, Step, find_commits

HERE = "/project"
AT_HERE = Place(HERE)


def commits(
    command_line: str, *, aliases: dict[str, str] | None = None, **variables: str
) -> tuple[Commit, ...]:
    known = aliases or {}
    return find_commits(command_line, HERE, variables, lambda name, _directory: known.get(name))


COMMITTING = [
    "git commit",
    "git commit -m x",
    "git  commit   -m 'two  spaces'",
    'git com""mit',
    "busybox sh -c 'git commit'",
    "busybox ash -c 'git commit'",
    "busybox env A=b git commit",
    "coproc git commit",
    "coproc { git commit; }",
    "coproc save { git commit; }",
    "coproc save (git commit)",
    "coproc while true; do git commit; done",
    "coproc save while true; do git commit; done",
    "git -C . commit -m x",
    "git -c user.name=x commit -m x",
    "git -c a=b -c c=d --no-pager commit",
    "git --git-dir=.git --work-tree . commit",
    "git --git-dir .git --work-tree=. commit",
    "git --literal-pathspecs -p commit",
    "git --exec-path=/usr/lib/git-core commit",
    "/usr/bin/git commit -m x",
    "./bin/git commit -m x",
    "\\git commit",
    "'git' \"commit\" -m x",
    "g\"i\"t com'mit'",
    "git \\\n  commit -m x",
    "GIT_AUTHOR_NAME=me git commit",
    "env FOO=1 git commit",
    "env -i PATH=/bin git commit",
    "env -u HOME -- git commit",
    "env -S 'git commit -m x'",
    "true && git commit",
    "cd x && git commit",
    "false || git commit",
    "git status; git commit",
    "git status\ngit commit",
    "git commit &",
    "git commit -m x && git push",
    "git commit -m x | tee log",
    "true | git commit",
    "(git commit)",
    "(cd x; git commit)",
    "{ git commit; }",
    "! git commit",
    "if true; then git commit; fi",
    "for f in a b; do git commit -m $f; done",
    "while true; do git commit; break; done",
    "case $x in a|b) git commit;; *) ;; esac",
    "(case x in a) git commit;; esac)",
    "save() { git commit -m x; }; save",
    "function save { git commit -m x; }",
    "echo $(git commit -m x)",
    'echo "done: $(git commit -m x)"',
    "echo `git commit -m x`",
    "diff <(git commit) x",
    "echo ${x:-$(git commit)}",
    "[[ -f x && -f y ]] && git commit",
    'bash -c "git commit"',
    "bash -c 'cd x && git commit -m \"a b\"'",
    "sh -lc 'git commit'",
    "bash -e -o pipefail -c 'git commit'",
    "/bin/bash --norc -ec 'git commit'",
    "zsh -c 'bash -c \"git commit\"'",
    "bash <<'EOF'\ngit commit -m x\nEOF",
    "bash -s <<EOF\ngit commit\nEOF",
    "bash <<< 'git commit'",
    "cat <<EOF\n$(git commit)\nEOF",
    "eval 'git commit -m x'",
    "eval git commit",
    "time git commit",
    "time -p git commit",
    "nohup git commit",
    "nice -n 5 git commit",
    "sudo -u me git commit",
    "sudo -E A=b git commit",
    "command git commit",
    "exec git commit",
    "timeout -k 5 10s git commit",
    "stdbuf -oL git commit",
    "setsid git commit",
    "flock /tmp/lock git commit",
    "flock /tmp/lock -c 'git commit'",
    "echo x | xargs git commit -m",
    "echo x | xargs -I{} -n 1 git commit -m {}",
    "sudo nohup env A=b nice git commit",
    "git commit -a",
    "git commit -am x",
    "git commit --amend --no-edit",
    "git commit -m x -- path",
    "git commit -m -n",
    "git commit -m --no-verify",
    "git commit -F -n",
    "git commit -unormal",
    "git commit -Sno",
    "git commit --message --dry-run",
    "git commit --no-verify --verify",
    "git commit -m x -- --no-verify",
    "git commit -F - <<'EOF'\nit's a (message\nEOF",
    'git commit -m "$(cat <<\'EOF\'\nIt\'s a "message" (with\n\nparts)\nEOF\n)"',
    "$GIT commit -m x",
    "G=git; $G commit",
    "cmd='git commit -m x'; $cmd",
    "git commit -m x # a comment",
    "2>/dev/null git commit",
    "git commit >log 2>&1 </dev/null",
    "git -c alias.save=commit save",
]

NOT_COMMITTING = [
    "",
    "git",
    "git status",
    "git log --grep commit",
    "git log --grep 'git commit'",
    "git commit-tree HEAD^{tree} -m x",
    "git commit-graph write",
    "git help commit",
    "git show commit",
    "git config alias.commit x",
    "git checkout commit",
    "git -c commit.gpgsign=false log",
    "echo 'git commit'",
    'echo "git commit"',
    "echo git commit",
    "echo '$(git commit)'",
    "grep -r 'git commit' .",
    "# git commit",
    "true # && git commit",
    "true 'x\ngit commit\n'",
    "cat <<'EOF'\ngit commit\nEOF",
    "cat <<EOF\ngit commit\nEOF",
    "cat <<'EOF' > hook.sh\n$(git commit)\nEOF",
    "cat <<-EOF\n\tgit commit\n\tEOF",
    "git log -1 --format=%B <<EOF\nbash -c 'git commit'\nEOF",
    "git tag commit",
    "gitk commit",
    "agit commit",
    "commit",
    "npm run commit",
    "command -v git commit",
    "bash commit.sh",
    "bash -n git-commit",
    "files=(git commit)",
    "for git in commit; do echo $git; done",
    "git commit --no-verify",
    "git commit -n",
    "git commit -nm x",
    "git commit -anm x",
    "git commit --no-veri -m x",
    "git commit --dry-run",
    "git commit --help",
    "git commit -h",
    "git commit --short",
    "echo $((git commit))",
]


@pytest.mark.parametrize("command_line", COMMITTING)
def test_a_commit_is_found_however_it_is_spelled(command_line: str):
    assert len(commits(command_line)) == 1


@pytest.mark.parametrize("command_line", NOT_COMMITTING)
def test_what_only_looks_like_a_commit_or_skips_hooks_is_none(command_line: str):
    assert commits(command_line) == ()


@pytest.mark.parametrize(
    ("command_line", "alias"),
    [
        ("git ci -m x", "commit"),
        ("git -C x ci", "commit -v"),
        ("git ci", "-c user.name=x commit"),
        ("git ci -m x", "!git commit"),
        ("git ci x", '!f() { git commit -m "$1"; }; f'),
        ("git ci", "!sh -c 'git commit'"),
        ("bash -c 'git ci'", "commit"),
    ],
)
def test_an_alias_of_git_is_read_as_what_it_stands_for(command_line: str, alias: str):
    assert len(commits(command_line, aliases={"ci": alias})) == 1


def test_an_alias_that_skips_hooks_skips_the_gate():
    assert commits("git wip", aliases={"wip": "commit --no-verify -am wip"}) == ()


def test_an_alias_that_names_itself_ends():
    assert commits("git loop", aliases={"loop": "loop"}) == ()
    assert commits("git loop", aliases={"loop": "!git loop"}) == ()


def test_an_alias_is_looked_up_where_the_command_works():
    asked: list[tuple[str, str]] = []

    def lookup(name: str, directory: str) -> str | None:
        asked.append((name, directory))
        return None

    find_commits("cd /other && git -C sub ci", HERE, {}, lookup)
    assert asked == [("ci", "/other/sub")]


def test_git_s_own_commands_are_not_looked_up():
    def lookup(name: str, _directory: str) -> str | None:
        raise AssertionError(name)

    find_commits("git status && git log && git add . && git stash", HERE, {}, lookup)


@pytest.mark.parametrize(
    ("command_line", "place"),
    [
        ("git commit", Place("/project")),
        ("git -C sub commit", Place("/project/sub")),
        ("git -C sub -C deep commit", Place("/project/sub/deep")),
        ("git -C /abs -C sub commit", Place("/abs/sub")),
        ("cd sub && git commit", Place("/project/sub")),
        ("cd sub && cd ../other && git commit", Place("/project/sub/../other")),
        ("cd /abs; git commit", Place("/abs")),
        ("cd -- 'a b' && git commit", Place("/project/a b")),
        ("pushd sub && git commit", Place("/project/sub")),
        ("(cd sub && true); git commit", Place("/project")),
        ("bash -c 'cd sub'; git commit", Place("/project")),
        ("bash -c 'cd sub && git commit'", Place("/project/sub")),
        ("eval 'cd sub'; git commit", Place("/project/sub")),
        ("env -C sub git commit", Place("/project/sub")),
        ("env -C sub true; git commit", Place("/project")),
        ("cd && git commit", Place("/home/ada")),
        ("cd ~/x && git commit", Place("/home/ada/x")),
        ('cd "$HOME/x" && git commit', Place("/home/ada/x")),
        ('cd "$(git rev-parse --show-toplevel)" && git commit', Place("/project")),
        ('cd "$(pwd)/sub" && git commit', Place("/project/sub")),
        ("D=sub; cd $D && git commit", Place("/project/sub")),
        ("git --git-dir=x/.git --work-tree=x commit", Place("/project", "x/.git", "x")),
        ("git --git-dir x/.git commit", Place("/project", "x/.git")),
        ("GIT_DIR=x/.git GIT_WORK_TREE=x git commit", Place("/project", "x/.git", "x")),
        ("export GIT_DIR=x/.git; git commit", Place("/project", "x/.git")),
        ("env GIT_DIR=x/.git git commit", Place("/project", "x/.git")),
    ],
)
def test_the_place_of_a_commit_follows_the_shell(command_line: str, place: Place):
    (commit,) = commits(command_line, HOME="/home/ada")
    assert (commit.place, commit.unclear) == (place, "")


@pytest.mark.parametrize(
    "command_line",
    [
        'cd "$UNKNOWN" && git commit',
        "cd - && git commit",
        "popd && git commit",
        'git -C "$(mktemp -d)" commit',
        'git --git-dir "$X" commit',
        "for d in a b; do cd $d; git commit; done",
    ],
)
def test_a_place_that_only_the_shell_knows_is_said_to_be_unclear(command_line: str):
    (commit,) = commits(command_line)
    assert commit.place == AT_HERE
    assert "directory" in commit.unclear


STEPS = [
    ("git add a.md && git commit", [Step("add", AT_HERE, ("a.md",))]),
    ("git add -A && git commit", [Step("add", AT_HERE)]),
    ("git add --all . && git commit", [Step("add", AT_HERE, (".",))]),
    ("git add . -A && git commit", [Step("add", AT_HERE, (".",))]),
    ("git stage a && git commit", [Step("add", AT_HERE, ("a",))]),
    ("git add -u && git commit", [Step("update", AT_HERE)]),
    ("git add -f a && git commit", [Step("add", AT_HERE, ("a",), ignored_too=True)]),
    ("git add -- -f && git commit", [Step("add", AT_HERE, ("-f",))]),
    ("git add *.md && git commit", [Step("add", AT_HERE, (":(glob)*.md", ":(glob)*.md/**"))]),
    ("git add */ && git commit", [Step("add", AT_HERE, (":(glob)*/", ":(glob)*/**"))]),
    ("git add '*.md' && git commit", [Step("add", AT_HERE, ("*.md",))]),
    ("git add k/{a,b}.md && git commit", [Step("add", AT_HERE, ("k/a.md", "k/b.md"))]),
    ("git --literal-pathspecs add 'a*' && git commit", [Step("add", AT_HERE, (":(literal)a*",))]),
    ("git -C sub add a && git commit", [Step("add", Place("/project/sub"), ("a",))]),
    ("cd sub && git add a; cd .. ; git commit", [Step("add", Place("/project/sub"), ("a",))]),
    ("(git add a) && git commit", [Step("add", AT_HERE, ("a",))]),
    ("git rm -rf a b && git commit", [Step("remove", AT_HERE, ("a", "b"))]),
    ("git rm -r --cached a && git commit", [Step("forget", AT_HERE, ("a",))]),
    ("git mv a b && git commit", [Step("move", AT_HERE, ("a", "b"))]),
    ("git add -n a && git commit", []),
    ("git add -N a && git commit", []),
    ("git add && git commit", []),
    ("git rm -n a && git commit", []),
    ("git commit -a", [Step("update", AT_HERE)]),
    ("git commit -i a -m x", [Step("update", AT_HERE, ("a",))]),
    ("git add a && git commit -am x", [Step("add", AT_HERE, ("a",)), Step("update", AT_HERE)]),
    ("pit-memory sections build && git commit", [Step("rebuild", AT_HERE)]),
    ("uv run pit-memory sections build && git commit", [Step("rebuild", AT_HERE)]),
    ("bin/pit-memory sections build; git commit", [Step("rebuild", AT_HERE)]),
    ("python -m pit_memory sections build; git commit", [Step("rebuild", AT_HERE)]),
    ("echo pit-memory sections build; git commit", []),
    ("pit-memory sections check && git commit", []),
]


@pytest.mark.parametrize(("command_line", "steps"), STEPS)
def test_what_precedes_a_commit_is_kept_in_order(command_line: str, steps: list[Step]):
    (commit,) = commits(command_line)
    assert (list(commit.steps), commit.only, commit.unclear) == (steps, (), "")


@pytest.mark.parametrize(
    ("command_line", "only"),
    [
        ("git commit -m x -- a b", ("a", "b")),
        ("git commit a -m x", ("a",)),
        ("git commit --only a", ("a",)),
        ("git commit -o -m x -- *.md", (":(glob)*.md", ":(glob)*.md/**")),
        ("git commit -m x --author 'A <a@b>' a", ("a",)),
    ],
)
def test_a_commit_of_paths_takes_them_alone(command_line: str, only: tuple[str, ...]):
    (commit,) = commits(command_line)
    assert commit.only == only


@pytest.mark.parametrize(
    ("command_line", "reason"),
    [
        ("git commit -p", "interactively"),
        ("git commit --interactive", "interactively"),
        ("git add -p && git commit", "interactive"),
        ("git add $(git diff --name-only) && git commit", "only when it runs"),
        ("for f in a b; do git add $f; done; git commit", "only when it runs"),
        ("git ls-files -m | xargs git add; git commit", "only when it runs"),
        ("git commit --pathspec-from-file=list", "only when it runs"),
        ("git stash && git commit", "git stash"),
        ("git reset -q && git commit", "git reset"),
        ("git checkout -- . && git commit", "git checkout"),
    ],
)
def test_what_cannot_be_replayed_is_said(command_line: str, reason: str):
    (commit,) = commits(command_line)
    assert reason in commit.unclear


def test_each_commit_of_a_line_sees_what_came_before_it():
    first, second = commits("git add a && git commit -m 1 && git add b && git commit -m 2")
    assert [step.paths for step in first.steps] == [("a",)]
    assert [step.paths for step in second.steps] == [("a",), ("b",)]


@given(st.text(alphabet=" \n\t;&|()<>$`'\"\\{}#=-abcgit commit", max_size=60))
def test_no_text_breaks_the_reading(text: str):
    commits(text)


@given(st.text(max_size=40), st.text(max_size=40))
def test_single_quotes_hide_everything(before: str, after: str):
    inside = (before + "git commit" + after).replace("'", "")
    assert commits(f"echo '{inside}'") == ()
