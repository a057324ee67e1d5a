"""The verbs: each takes settings and stores, returns data, prints nothing."""
