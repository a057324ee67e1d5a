"""Anchors of headings: GitHub's exactly, and the names that other renderers give."""


def github_slug(text: str) -> str:
    """GitHub's anchor for a heading's rendered text, before repeats are numbered."""
    raise NotImplementedError


class AnchorNumberer:
    """Numbers repeats as GitHub does, over all headings of one document in order."""

    def number(self, slug: str) -> str:
        """The slug itself the first time, then `slug-1`, `slug-2`, skipping what is taken."""
        raise NotImplementedError


def other_anchors(text: str, clean: str, explicit: tuple[str, ...]) -> tuple[str, ...]:
    """Other names of a heading: custom ids, python-markdown, Hugo, mdBook and Docusaurus forms."""
    raise NotImplementedError
