"""How far a long operation is, told while it runs."""

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Called with (done, in all): files, texts or records; in all is 0 where nobody knows."""
