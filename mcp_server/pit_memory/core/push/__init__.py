"""Push memory: rules and gotchas that a session starts with or meets at a tool call."""
