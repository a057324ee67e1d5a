"""What is answered: hits within a token budget, as text and as JSON; when nothing answers."""
