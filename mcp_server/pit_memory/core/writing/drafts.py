"""Drafts: pages that nobody has published yet, in the form that our documents keep.

One dense fact a heading, and headings that say what is below them: a title that a reader would look
for, then the text.
"""

import re

from pit_memory.core.front_matter.writing import front_matter_lines
from pit_memory.core.writing.writings import Writing

_HEADING = r"# +\S|[^\n]*\S[^\n]*\n=+ *(?:\n|\Z)"
"""An H1 at the start of a text, in either form."""
_OURS = ("title", "draft", "author", "created")


def render_draft(writing: Writing, _: str) -> str:
    """The text of a draft: front matter, the title as heading unless the text has one, the text."""
    given = {key: value for key, value in writing.fields.items() if key not in _OURS}
    author = writing.fields.get("author") or writing.author
    head = {
        "title": writing.title,
        "draft": True,
        **({"author": author} if author else {}),
        "created": writing.fields.get("created") or writing.created,
    }
    lines = [*front_matter_lines(head | given), ""]
    if not re.match(_HEADING, writing.body):
        lines += [f"# {writing.title}", ""]
    return "\n".join([*lines, writing.body, ""])
