"""Drafts: listed, proposed, published, discarded; the wrap-up."""
