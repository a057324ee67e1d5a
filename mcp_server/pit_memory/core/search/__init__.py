"""What a search asks and how it ranks: the question, its two legs, their fusion."""
