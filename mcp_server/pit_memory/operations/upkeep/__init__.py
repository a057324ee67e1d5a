"""An installation and a server: set up, asked how they are, kept fresh, removed."""
