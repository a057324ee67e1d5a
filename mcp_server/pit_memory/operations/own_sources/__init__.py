"""Sources of the person's own: lines of the settings."""
