"""What the settings of push memory take; apart from the other settings, for the hooks' sake."""

from pit_memory.core.settings.setting_values import PATH, Takes, whole_number

HOME: Takes[str] = PATH
BUDGET: Takes[int] = whole_number(100, 5_000)
"""In tokens."""
