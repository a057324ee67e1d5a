"""Write knowledge down: one new file, committed, indexed, read back."""
