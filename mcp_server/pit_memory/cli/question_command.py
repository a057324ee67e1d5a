"""A command that takes a question, whatever words are in it."""

from difflib import get_close_matches

import click

_TYPO_LIKENESS = 0.75
"""How alike an unknown and a known option are where we take it for a slip of the keys."""


class QuestionCommand(click.Command):
    """Takes words that look like options, such as `--plugin-dir`, as part of the question."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse what is most likely a mistyped option; leave the rest to the question."""
        known = [name for option in self.get_params(ctx) for name in option.opts]
        options = args[: args.index("--")] if "--" in args else args
        for word in options:
            name = word.split("=", 1)[0]
            if name.startswith("--") and name not in known:
                near = get_close_matches(name, known, n=1, cutoff=_TYPO_LIKENESS)
                if near:
                    ctx.fail(
                        f"no option {name}; did you mean {near[0]}? To search for the word itself, "
                        f"put it after `--`: {ctx.command_path} -- {name}"
                    )
        return super().parse_args(ctx, args)
