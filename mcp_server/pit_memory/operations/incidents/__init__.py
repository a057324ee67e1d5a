"""Past incidents: added, imported, listed."""
