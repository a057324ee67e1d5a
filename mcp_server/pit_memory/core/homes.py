"""Folders of a project that knowledge is written to, unless its settings name others."""

DRAFTS_HOME = "docs/_drafts"
"""What nobody has published yet. `hooks/launch`, which is sh, spells it again; a test compares."""
