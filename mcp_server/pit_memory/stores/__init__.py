"""What is derived from the files and can be rebuilt: catalogue, keyword index, vectors."""
