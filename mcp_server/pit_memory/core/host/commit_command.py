"""Which commits a command line would make, and what it does to git's index before them.

A pure reading of the text: aliases are asked of the caller, nothing is run. What no reading can
foresee (a script that commits) is left to the gates behind this one.
"""

from collections.abc import Callable, Mapping, Sequence

from pit_memory.core.host.commit_options import commit_options
from pit_memory.core.host.shell_calls import Argument, Call, calls, joined, split_options
from pit_memory.core.host.shell_words import Command, parse
from pit_memory.core.records import NamedTuple

AliasLookup = Callable[[str, str], str | None]
"""(name, directory) -> what git's configuration there has for `alias.<name>`; None for nothing."""


class Place(NamedTuple):
    """Where a git command works."""

    directory: str
    git_dir: str | None = None
    """`--git-dir` or GIT_DIR, relative to `directory`."""
    work_tree: str | None = None
    """`--work-tree` or GIT_WORK_TREE, relative to `directory`."""


class Step(NamedTuple):
    """One change of git's index."""

    action: str
    """`add`: files as they are in the working tree; `update`: only those git knows; `remove`:
    from disk as well; `forget`: not from disk; `move`: all but the last path go to the last one;
    `rebuild`: the section index is built anew, which changes a file and not git's index.
    """
    place: Place
    paths: tuple[str, ...] = ()
    """Pathspecs, relative to the place; empty means the whole working tree."""
    ignored_too: bool = False
    """`git add --force`."""


class Commit(NamedTuple):
    """One commit that a command line would make."""

    place: Place
    steps: tuple[Step, ...]
    """What comes before it in the command line, and its own `-a` or `--include`, in order."""
    only: tuple[str, ...]
    """Pathspecs of a commit that takes these alone, on top of HEAD; empty: it takes the index."""
    unclear: str
    """Why the tree can't be told from the text; empty where it can."""


def find_commits(
    command_line: str, directory: str, variables: Mapping[str, str], alias: AliasLookup
) -> tuple[Commit, ...]:
    """Find the commits a command line would make, those with `--no-verify` or `--dry-run` left out.

    Args:
        command_line: as given to `bash -c`.
        directory: absolute path of the directory it starts in.
        variables: environment, as far as it is known.
        alias: asked for git commands that git itself does not have.
    """
    reader = _GitReader(directory, alias)
    for call in calls(command_line, directory, variables):
        reader.read(call, nesting=0)
    return tuple(reader.commits)


_GIT_VALUED_LONG = (
    "--attr-source",
    "--config-env",
    "--git-dir",
    "--namespace",
    "--super-prefix",
    "--work-tree",
)
"""Global options of git whose value may be the next word."""
_GIT_HARMLESS = (
    "archive bisect blame branch bundle cat-file check-ignore clone commit-tree config "
    "count-objects describe diff diff-files diff-index diff-tree fetch format-patch fsck gc "
    "grep help hash-object init log ls-files ls-remote ls-tree maintenance merge-base mktree "
    "name-rev notes pack-refs prune push range-diff reflog remote repack replace rev-list "
    "rev-parse shortlog show show-ref status symbolic-ref tag update-ref var verify-commit "
    "version whatchanged worktree write-tree"
)
"""Git's own commands, which no alias can replace, that leave the index alone."""
_GIT_CHANGING = (
    "am apply checkout checkout-index cherry-pick clean filter-branch merge pull read-tree "
    "rebase reset restore revert sparse-checkout stash submodule subtree switch update-index"
)
"""Git's own commands that may change index or files in ways not replayed here."""
_MAX_NESTING = 20
"""Aliases inside aliases; deeper is a loop."""


class _GitReader:
    """Reads git commands one after the other and collects what they do to the index."""

    def __init__(self, start: str, alias: AliasLookup) -> None:
        self.start = start
        self.alias = alias
        self.commits: list[Commit] = []
        self.steps: list[Step] = []
        self.unclear = ""

    def read(self, call: Call, *, nesting: int) -> None:
        """Read one call of any program."""
        # A program only the shell knows, told to "commit": `$GIT commit`.
        unnamed = call.name is None and call.arguments[:1] == (Argument("commit"),)
        if call.name == "git" or unnamed:
            self._git(call, nesting)
        elif _rebuilds_index(call):
            self.steps.append(Step("rebuild", Place(call.directory or self.start)))

    def _git(self, call: Call, nesting: int) -> None:
        """Read the global options, then the command."""
        options, left = _global_options(call)
        place = options.place
        if place is None:
            place = Place(self.start)
            self._unclear("its directory is known only when it runs")
        if not left or not (name := left[0].text):
            return
        git = _GitCall(place, options.literal, left[1:])
        if not self._index_command(name, git) and name not in _GIT_HARMLESS.split():
            expansion = options.aliases.get(name) or self.alias(name, place.directory)
            self._alias(expansion or "", git, call, nesting + 1)

    def _index_command(self, name: str, git: "_GitCall") -> bool:
        """Read a command that commits or changes the index; say whether it is one."""
        if name == "commit":
            self._commit(git)
        elif name in {"add", "stage"}:
            self._add(git)
        elif name in {"rm", "mv"}:
            options, operands = split_options(
                git.arguments, valued_long=("--pathspec-from-file",), anywhere=True
            )
            removing = "forget" if "--cached" in options else "remove"
            if not options.keys() & {"-n", "--dry-run"}:
                self._step("move" if name == "mv" else removing, operands, git, options)
        elif name in _GIT_CHANGING.split():
            self._unclear(f"`git {name}` comes before it")
        else:
            return False
        return True

    def _alias(self, expansion: str, git: "_GitCall", call: Call, nesting: int) -> None:
        """Read what an alias stands for."""
        if not expansion or nesting > _MAX_NESTING:
            return
        trees = {"GIT_DIR": git.place.git_dir, "GIT_WORK_TREE": git.place.work_tree}
        variables = {**call.variables, **{k: tree for k, tree in trees.items() if tree is not None}}
        if expansion.startswith("!"):
            arguments = " ".join(_shell_quoted(argument.text or "") for argument in git.arguments)
            for inner in calls(f"{expansion[1:]} {arguments}", git.place.directory, variables):
                self.read(inner, nesting=nesting)
            return
        commands = [node for node in parse(expansion) if isinstance(node, Command)]
        words = [Argument(word.literal) for command in commands for word in command.words]
        self._git(Call("git", (*words, *git.arguments), git.place.directory, variables), nesting)

    def _add(self, git: "_GitCall") -> None:
        options, operands = split_options(
            git.arguments, valued_long=("--chmod", "--pathspec-from-file"), anywhere=True
        )
        given = options.keys()
        if given & {"-n", "--dry-run", "-N", "--intent-to-add", "--refresh"}:
            return
        if given & {"-p", "--patch", "-i", "--interactive", "-e", "--edit"}:
            self._unclear("an interactive `git add` comes before it")
            return
        update = bool(given & {"-u", "--update"})
        if (
            operands
            or update
            or given & {"-A", "--all", "--no-ignore-removal", "--pathspec-from-file"}
        ):
            self._step("update" if update else "add", operands, git, options)

    def _step(
        self, action: str, operands: Sequence[Argument], git: "_GitCall", options: Mapping[str, str]
    ) -> None:
        paths = _pathspecs(operands, literal=git.literal)
        if paths is None or "--pathspec-from-file" in options:
            self._unclear("paths of a command before it are known only when it runs")
        else:
            forced = action == "add" and bool(options.keys() & {"-f", "--force"})
            self.steps.append(Step(action, git.place, paths, forced))

    def _commit(self, git: "_GitCall") -> None:
        options, operands = commit_options(git.arguments)
        if options & {
            "--dry-run",
            "--no-verify",
            "--short",
            "--porcelain",
            "--long",
            "-h",
            "--help",
        }:
            return
        unclear = self.unclear
        only = _pathspecs(operands, literal=git.literal)
        if options & {"--patch", "--interactive"}:
            unclear = unclear or "it picks its changes interactively"
        elif only is None or "--pathspec-from-file" in options:
            unclear = unclear or "its paths are known only when it runs"
        only = only or ()
        whole = "--all" in options
        own = [Step("update", git.place, () if whole else only)] if whole or only else []
        if own and (whole or "--include" in options):
            self.steps += own
            only, own = (), []
        self.commits.append(Commit(git.place, tuple(self.steps), only, unclear))
        self.steps += own

    def _unclear(self, reason: str) -> None:
        self.unclear = self.unclear or reason


class _GlobalOptions(NamedTuple):
    place: Place | None
    """None where only the running shell knows."""
    literal: bool
    """Pathspecs are plain paths."""
    aliases: Mapping[str, str]
    """Those that the call defines itself."""


def _global_options(call: Call) -> tuple[_GlobalOptions, tuple[Argument, ...]]:
    """Read what stands between `git` and the command's name."""
    directory: str | None = call.directory
    trees: dict[str, str | None] = {
        "--git-dir": call.variables.get("GIT_DIR"),
        "--work-tree": call.variables.get("GIT_WORK_TREE"),
    }
    literal = "GIT_LITERAL_PATHSPECS" in call.variables
    aliases: dict[str, str] = {}
    left = list(reversed(call.arguments))
    while left and (left[-1].text or "").startswith("-"):
        option, equals, rest = (left.pop().text or "").partition("=")
        value: str | None = rest
        if option in {"-C", "-c"} or (option in _GIT_VALUED_LONG and not equals):
            value = left.pop().text if left else ""
        if option == "-C" or (option in trees and value is None):
            directory = joined(directory, value)
        elif option in trees:
            trees[option] = value
        elif option == "-c" and (value or "").lower().startswith("alias."):
            name, _, expansion = (value or "").partition("=")
            aliases[name[len("alias.") :]] = expansion
        literal = literal or option == "--literal-pathspecs"
    place = directory and Place(directory, trees["--git-dir"], trees["--work-tree"])
    return _GlobalOptions(place or None, literal, aliases), tuple(reversed(left))


class _GitCall(NamedTuple):
    place: Place
    literal: bool
    """Pathspecs are plain paths."""
    arguments: tuple[Argument, ...]
    """Behind the command's name."""


def _rebuilds_index(call: Call) -> bool:
    """Whether this is `pit-memory sections build`, however it is started."""
    words = [call.name or "", *(argument.text or "" for argument in call.arguments)]
    names = [word.rsplit("/", 1)[-1] for word in words]
    return call.name not in {"echo", "printf"} and any(
        name in {"pit-memory", "pit_memory"} and names[at + 1 : at + 3] == ["sections", "build"]
        for at, name in enumerate(names)
    )


def _shell_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _pathspecs(operands: Sequence[Argument], *, literal: bool) -> tuple[str, ...] | None:
    """Operands as pathspecs, globs as the shell means them; None where it alone knows them."""
    paths: list[str] = []
    for operand in operands:
        if operand.text is None:
            return None
        if operand.glob and not operand.text.startswith(":"):
            # What the shell finds may be a folder, and git takes folders whole.
            paths += [f":(glob){operand.text}", f":(glob){operand.text.rstrip('/')}/**"]
        elif literal:
            paths.append(f":(literal){operand.text}")
        else:
            paths.append(operand.text)
    return tuple(paths)
