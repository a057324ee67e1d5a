"""The settings: their tables, the values they take, and mistakes in them."""
