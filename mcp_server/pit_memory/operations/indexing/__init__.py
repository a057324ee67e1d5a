"""Keep the index like the files: look, sync, and fill in meaning."""
