"""Pure values and functions: no disk, clock, process or network."""
