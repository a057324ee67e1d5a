"""Text to vectors: one file a provider."""
