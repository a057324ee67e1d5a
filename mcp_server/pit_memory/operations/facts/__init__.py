"""Facts of an assignment: store, recall, list, change, transfer, erase."""
