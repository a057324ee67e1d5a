"""Where documents come from: one walker, one reader a format."""
