"""What the host says of its tools: events of hooks, and shell commands that make commits."""
