"""How the plugin's own Python environment is found, built and cleaned up. Standard library only."""
