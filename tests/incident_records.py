"""A small project with incident records, a runbook and docs, for tests of all layers."""

RECORDS = {
    "docs/incidents/2024-05-17-checkout.md": """\
---
date: 2024-05-17
services: [checkout, payments]
severity: SEV-1
symptom: Checkout returned 502 to one customer in five.
cause: The connection pool was exhausted by a retry loop in the payment client.
resolution: Lowered the retries to two and doubled the pool.
duration: 2h 10m
---
# Checkout returned 502

Customers saw a blank page. The log said `QueuePool limit of size 5 overflow 10 reached`.
""",
    "docs/incidents/2023-03-02-logs.md": """\
# Nodes stopped shipping logs

## Summary

Five of 46 nodes stopped shipping logs to the central store after an upgrade of the shipper.

## Root cause

The shipper was upgraded across three releases at once.

## Resolution

Rolled back to the release before.
""",
    "docs/incidents/search/undated.md": "# Search is slow\n\nThe index had too many segments.\n",
    "docs/runbooks/disk.md": """\
# NodeFilesystemAlmostOutOfSpace

The disk of a node is nearly full. Delete old container images with `crictl rmi --prune`.
""",
    "docs/checkout.md": """\
# Checkout service

The checkout service answers 502 when the payment client gets no connection from its pool.
""",
}
