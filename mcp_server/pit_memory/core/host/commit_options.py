"""The options of `git commit`, as git reads them: clusters, abbreviations, values, paths."""

from collections.abc import Sequence

from pit_memory.core.host.shell_calls import Argument

_LETTERS = {
    "a": "--all",
    "n": "--no-verify",
    "o": "--only",
    "i": "--include",
    "p": "--patch",
}
_VALUED = "mFcCt"
_OPTIONAL = "uS"
"""Letters whose value, if there is one, stands in the same word."""
_VALUED_LONG = (
    "--author --cleanup --date --file --fixup --message --pathspec-from-file "
    "--reedit-message --reuse-message --squash --template --trailer"
)
_FLAGS = (
    "--ahead-behind --all --allow-empty --allow-empty-message --amend --branch --dry-run "
    "--edit --gpg-sign --include --interactive --long --no-edit --no-gpg-sign "
    "--no-post-rewrite --no-signoff --no-status --no-verify --null --only --patch "
    "--pathspec-file-nul --porcelain --quiet --reset-author --short --signoff --status "
    "--untracked-files --verbose --verify"
)


def commit_options(arguments: Sequence[Argument]) -> tuple[set[str], list[Argument]]:
    """Options of `git commit` by their full names, and its paths."""
    options: set[str] = set()
    operands: list[Argument] = []
    left = list(reversed(arguments))
    while left:
        argument = left.pop()
        text = argument.text or ""
        if text == "--":
            return options, [*operands, *reversed(left)]
        if text.startswith("--"):
            name, equals, _ = text.partition("=")
            name = _full_name(name)
            options.add(name)
            if name == "--verify":
                options.discard("--no-verify")
            if name in _VALUED_LONG.split() and not equals and left:
                left.pop()
        elif text.startswith("-") and len(text) > 1:
            letters = _cluster(text[1:])
            options |= {_LETTERS.get(letter, "-" + letter) for letter in letters}
            if letters == text[1:] and letters[-1] in _VALUED and left:
                left.pop()
        else:
            operands.append(argument)
    return options, operands


def _cluster(letters: str) -> str:
    """The letters of `-amx` that are options: up to the first that takes the rest as its value."""
    for position, letter in enumerate(letters, start=1):
        if letter in _VALUED + _OPTIONAL:
            return letters[:position]
    return letters


def _full_name(name: str) -> str:
    """The long option that an abbreviation means, as git reads it."""
    known = f"{_VALUED_LONG} {_FLAGS}".split()
    if name in known:
        return name
    matches = [option for option in known if option.startswith(name)]
    return matches[0] if len(matches) == 1 else name
