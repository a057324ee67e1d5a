"""Read what a citation names: its lines, where it moved, its address, its links."""
