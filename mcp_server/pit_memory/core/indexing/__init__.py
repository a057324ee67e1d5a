"""What the engines hold: entries of the keyword index, vectors, what a tree is about."""
