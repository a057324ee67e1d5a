"""What is wrong with documents, and questions that they ask of themselves."""
