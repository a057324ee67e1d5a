"""Past incidents: records read, imported and written; pasted errors as questions."""
