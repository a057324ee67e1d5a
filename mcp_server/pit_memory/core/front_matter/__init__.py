"""Front matter: where it is, what it says where it is plain, and how it is written."""
