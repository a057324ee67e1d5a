"""A corpus of one file, as it is and with one section more; where it and its index are."""

A, INDEX = "knowledge/a.md", "knowledge/index.json"
ONE = "# A\n\n## One\n\nThe first section.\n"
TWO = ONE + "\n## Two\n\nThe second section.\n"
