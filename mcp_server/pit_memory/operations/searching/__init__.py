"""Search: gather from both legs, rank, read the hits; quotations, incidents, measuring."""
