"""Notes that the client keeps of a project: two, and their index, by file name."""

FEEDBACK = """\
---
name: Testing
description: Run the whole suite
metadata:
  type: feedback
---

Run the **whole** suite.

Why: parts passed alone.
"""
PROJECT = """\
---
name: gateway-port
description: The gateway's port
type: project
---

The gateway listens on 8443.
"""
INDEX = """\
# Memory

- [Testing](feedback_testing.md) - run the whole suite
- [Gateway](project_gateway.md) - its port, and who asked for it
Lines people wrote.
"""
NOTES = {"MEMORY.md": INDEX, "feedback_testing.md": FEEDBACK, "project_gateway.md": PROJECT}
