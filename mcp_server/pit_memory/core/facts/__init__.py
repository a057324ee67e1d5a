"""Facts of an assignment: their text, what they are found by, how they are told."""
