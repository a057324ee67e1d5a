"""Push memory: shown, and moved in from the client's own notes."""
