"""The user's machine as the standard library sees it: files, locks, folders, settings files, git."""
