"""Folders of a project that knowledge is written to, unless its settings name others."""

DRAFTS_HOME = "docs/_drafts"
"""What nobody has published yet. `hooks/launch`, which is sh, spells it again; a test compares."""
INCIDENTS_HOME = "docs/incidents"
POSTMORTEM_FOLDERS = (
    "incidents/**",
    "postmortems/**",
    "post-mortems/**",
    "docs/postmortems/**",
    "docs/post-mortems/**",
)
"""At the top or right below `docs` only: elsewhere such a name may be a subject of the docs."""
