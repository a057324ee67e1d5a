"""Read many files in a child process, while this one indexes what was read.

Taking files apart and turning them into keyword entries cost about the same, and Python runs one
thread at a time. The child gets its list first and then only writes, so the two can't wait for each
other; it ends by itself when nobody reads any more, however this process ended.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress

from pit_memory.core.documents import Problem
from pit_memory.core.source import Source
from pit_memory.sources.reading import ReadFile, read_source_file

_START = "import sys; sys.path[:] = {path!r}; from {module} import serve; serve()"

Reading = tuple[str, ReadFile | Problem | None]
"""A path and what `sources.reading.read_source_file` says of it."""


def read_in_child(source: Source, paths: Sequence[str]) -> Iterator[Reading]:
    """Read files in order; what a child that was killed leaves over is read here."""
    done = 0
    for reading in _from_child(source, paths):
        done += 1
        yield reading
    for path in paths[done:]:
        yield path, read_source_file(source, path)


def serve() -> None:
    """Run in the child: read the list, then write what each file holds."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints stays out of the answers
    source, paths = pickle.load(sys.stdin.buffer)  # noqa: S301 -- our own parent wrote it
    with suppress(BrokenPipeError):
        for path in paths:
            pickle.dump((path, read_source_file(source, path)), answers, pickle.HIGHEST_PROTOCOL)
            answers.flush()


def _from_child(source: Source, paths: Sequence[str]) -> Iterator[Reading]:
    start = _START.format(path=sys.path, module=__name__)
    with subprocess.Popen(
        [sys.executable, "-c", start], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        try:
            if child.stdin and child.stdout:
                pickle.dump((source, tuple(paths)), child.stdin)
                child.stdin.close()
                while True:
                    yield pickle.load(child.stdout)  # noqa: S301 -- our own child wrote it
        except (EOFError, pickle.UnpicklingError, BrokenPipeError):
            return
        finally:
            child.kill()
