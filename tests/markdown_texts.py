"""Texts made of everything that means something in markdown."""

from hypothesis import strategies as st

_PIECES = [
    *("# ", "## ", "###### ", "\n", "\n\n", "> ", "- ", "1. ", "    ", "\t", " ", "===", "---"),
    *("```", "~~~", "```py\n", "|", "|-|-|\n", "| a | b |\n", "***", ":", "+++", "key: value\n"),
    *("<div>", "</div>", "<!--", "-->", '<a id="x">', "<br>", "<script>", "[^1]", "[^1]: ", "$"),
    *("[a](b)", "![i](u)", "[[w|l]]", "**", "_", "`", "~~", "\\", "&amp;", "{#id}", "{: .c }"),
    *(
        "!!! note\n\n    ",
        "- [ ] ",
        "> [!NOTE]\n",
        "a",
        "bc d",
        "é",
        "日本",
        "😀",
        "\u2028",
        "\x0b",
    ),
    *("\x85", "\x0c", "\u200b", "\0", "word " * 60),
]

markdown_texts = st.lists(st.sampled_from(_PIECES), max_size=40).map("".join)
"""Markdown from nothing to nested nonsense, LF line ends."""
