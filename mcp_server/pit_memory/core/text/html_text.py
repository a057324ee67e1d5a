"""HTML inside markdown: what a reader sees of it, and the names it gives to places; linear time."""

import re

_TAG = re.compile(r"<[/!?a-zA-Z][^<>]*>")
_NAME = re.compile(
    r"""<[a-zA-Z][^<>]*?\s(?:id|name)\s*=\s*(?:"([^"<>]+)"|'([^'<>]+)'|([^\s"'<>]+))"""
)
_COMMENT_OPEN, _COMMENT_CLOSE = "<!--", "-->"


def without_tags(html: str) -> str:
    """Text of an HTML fragment without tags and comments; every line stays on its line."""
    return _TAG.sub("", _without_comments(html))


def html_names(html: str) -> list[str]:
    """Values of `id` and `name` of the tags in a fragment, in order: places a link may name."""
    return ["".join(groups) for groups in _NAME.findall(html)]


def comment_text(html: str) -> str:
    """What the comment says if the fragment is one comment; else empty."""
    if html.startswith(_COMMENT_OPEN) and html.endswith(_COMMENT_CLOSE):
        return html[len(_COMMENT_OPEN) : -len(_COMMENT_CLOSE)].strip()
    return ""


def _without_comments(html: str) -> str:
    first, *rest = html.split(_COMMENT_OPEN)
    kept = [first]
    for part in rest:
        inside, closed, after = part.partition(_COMMENT_CLOSE)
        kept.append("\n" * inside.count("\n"))
        if closed:
            kept.append(after)
    return "".join(kept)
