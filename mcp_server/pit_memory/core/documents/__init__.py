"""What a file becomes: document, sections, chunks, links, and citations of places in it."""
