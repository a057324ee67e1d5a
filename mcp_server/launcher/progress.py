"""Tells people and the front how far a set-up is."""

import json
import os
import time
from pathlib import Path
from typing import TextIO

from launcher.notes import LOG_NAME, READY, STATE_NAME, BuildState
from pit_memory.workspace.files import make_folder, write_atomic

_WORTH_A_LINE_SECONDS = 2.0


class Progress:
    """One set-up: its steps, on stderr for people and in a state file for the front."""

    def __init__(self, folder: Path, stream: TextIO) -> None:
        """Say nothing yet.

        Args:
            folder: the notes about the plugin folder.
            stream: stderr; redrawn in place where it is a terminal, else a line for each long step.
        """
        self.log = folder / LOG_NAME
        """Where the words of the installers go."""
        self._folder = folder
        self._stream = stream
        self._terminal = stream.isatty()
        self._started = time.time()
        self._step = ""
        self._ends = 0.0
        self._spoke = False
        self._noted = False

    @property
    def elapsed(self) -> float:
        """Seconds since the set-up began."""
        return time.time() - self._started

    def begin(self, step: str, seconds: float, *, note: bool = True) -> None:
        """Start a step.

        Args:
            step: what it does, as in "installing the search libraries".
            seconds: how long this and all later steps should take.
            note: also tell the front; not where another process does so.
        """
        self._step = step
        self._ends = time.time() + seconds
        self._noted = note
        if note:
            self._note(step, error="")
        if seconds >= _WORTH_A_LINE_SECONDS:
            self._spoke = True
            if not self._terminal:
                self.say(f"{step} (about {seconds:.0f} s to go)")
        self.tick()

    def tick(self) -> None:
        """Redraw the line of a terminal; call it a few times a second."""
        if self._terminal:
            line = f"pit-memory: setting up, once: {self._step} ... {self.elapsed:.0f} s"
            print(f"\r\x1b[2K{line}", end="", file=self._stream, flush=True)

    def say(self, message: str) -> None:
        """Print a line that stays."""
        self._clear()
        print(f"pit-memory: {message}", file=self._stream, flush=True)

    def done(self) -> None:
        """Say that nothing is left to do, where something was."""
        if self._noted:
            self._note(READY, error="")
        if self._spoke:
            self.say(f"set up in {self.elapsed:.0f} s")
        self._clear()

    def failed(self, message: str) -> None:
        """Note why it can't go on; the caller tells people."""
        self._clear()
        self._note(self._step, error=message)

    def _clear(self) -> None:
        if self._terminal and self._step:
            print("\r\x1b[2K", end="", file=self._stream, flush=True)

    def _note(self, step: str, *, error: str) -> None:
        state = BuildState(os.getpid(), step, self._ends, error, str(self.log))
        make_folder(self._folder)
        write_atomic(self._folder / STATE_NAME, json.dumps(state._asdict()).encode())
