"""What a process that lives longer than one look keeps of the names below a root.

While git prints the same, or folders hold the same names, the same of them are documents. While
stamps prove that neither can have changed, nobody is asked: only the documents are stat'ed.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pit_memory.sources.sieve import Rules, Sieve, Tally
from pit_memory.sources.sifted import Sifted, sift
from pit_memory.workspace.git import Printed
from pit_memory.workspace.stamps import Stamps

PROOF_SECONDS = 300.0
"""A proof is good for so long: git may read a file that it doesn't name while it isn't there."""
BURST_SECONDS = 30.0
"""Only where looks are as close as that it pays to have a proof: it costs as much as a listing."""
_AGAIN_SECONDS = 5.0, 80.0
"""Between two tries to have one: after one that was in vain twice as long as before, up to that."""


@dataclass(frozen=True, slots=True)
class ReadNames:
    """What was read from the folders of a root; paths are relative to it."""

    documents: Sequence[str]
    links: Sequence[str]
    sieve: Sieve
    """As it is after all these names."""


class KeptListing:
    """What is known of one root; for one look at a time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Keep nothing yet.

        Args:
            clock: seconds, from any start.
        """
        self._clock = clock
        self._sifted: tuple[Rules, Printed, Sifted] | None = None
        self._documents: tuple[Rules, Sequence[str], Sequence[str], Tally] | None = None
        self._proven: tuple[object, Stamps, float, Sifted | ReadNames] | None = None
        self._listed_at = -BURST_SECONDS
        self._is_burst = False
        self._next_try = 0.0
        self._wait = _AGAIN_SECONDS[0]

    def sifted(self, printed: Printed, rules: Rules, sieve: Sieve) -> tuple[Sifted, bool]:
        """Sift what git printed of the root, unless it printed the same before.

        Args:
            printed: by git, of all of the root.
            rules: which files are documents.
            sieve: of these rules, new; nothing more may happen to it.

        Returns:
            What was sifted, and whether it is the same as before.
        """
        self._note_listing()
        kept = self._sifted
        if kept is not None and kept[:2] == (rules, printed):
            return kept[2], True
        self._sifted = rules, printed, sift(printed, "", sieve)
        return self._sifted[2], False

    def documents(
        self, files: Sequence[str], rules: Rules, sieve: Sieve
    ) -> tuple[Sequence[str], bool]:
        """Find the documents among all files that were read from folders.

        Args:
            files: none of them in a folder that is skipped.
            rules: which files are documents.
            sieve: of these rules; gets to count the others.

        Returns:
            The documents, and whether the files are the same as before.
        """
        self._note_listing()
        before = kept = self._documents
        if kept is None or kept[:2] != (rules, files):
            apart = sieve.copy(tally=sieve.tally.empty())
            kept = self._documents = rules, files, apart.documents(files), apart.tally
        sieve.tally.include(kept[3])
        return kept[2], kept is before

    def proven(self, of: object, opened: int) -> Sifted | ReadNames | None:
        """Return what still holds; None where that is not known.

        Args:
            of: what besides the disk it depends on.
            opened: the root, as a descriptor.
        """
        if self._proven is None:
            return None
        proven_of, stamps, until, names = self._proven
        if proven_of != of or self._clock() > until or not stamps.hold(opened):
            self._proven = None
            return None
        return replace(names, sieve=names.sieve.copy())

    def try_to_prove(
        self, of: object, names: Sifted | ReadNames, stamps: Callable[[], Stamps | None]
    ) -> None:
        """Keep names for as long as stamps hold, where those can be taken.

        Args:
            of: what besides the disk they depend on.
            names: with a sieve that nothing more happens to.
            stamps: takes them; called every few seconds at most.
        """
        now = self._clock()
        if self._is_burst and now >= self._next_try:
            taken = stamps()
            self._proven = (of, taken, now + PROOF_SECONDS, names) if taken else None
            shortest, longest = _AGAIN_SECONDS
            self._wait = shortest if taken else min(2 * self._wait, longest)
            self._next_try = now + self._wait

    def _note_listing(self) -> None:
        now = self._clock()
        self._is_burst = now - self._listed_at < BURST_SECONDS
        self._listed_at = now
