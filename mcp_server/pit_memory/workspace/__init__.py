"""The user's machine by the standard library: files, locks, folders, settings files, git.

What hooks do is here too (the commit gate, the block of a session): they may import nothing that is
heavier.
"""
