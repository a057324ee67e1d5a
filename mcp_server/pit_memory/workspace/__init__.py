"""The user's machine by the standard library: files, locks, folders, settings files, git."""
