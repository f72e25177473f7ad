"""What a disk may hold after a power cut: states of a disk, made from the log of its writes.

A flush makes durable whatever was written before it. Of what was written after the last flush any part may be there,
since disks reorder; the write that the power cut through may be there up to any sector.
"""

import bisect
from collections import namedtuple

from logged_disk import FLUSH

SECTOR = 512

# A power cut after `at` entries of the log. `kind` is "prefix" (everything written so far is there), "subset" (any part
# of what was not flushed) or "torn" (the last write is cut off at a sector).
PowerCut = namedtuple("PowerCut", "at kind")


class PowerCuts:
    """All states of a disk that began as `image` and saw the writes of `log`."""

    def __init__(self, image, log):
        self.image = image
        self.log = log
        self.flushes = [index for index, entry in enumerate(log) if entry is FLUSH]
        self.done = 0  # so many entries are in `durable`
        self.durable = bytearray(image)

    def last_flush(self, at):
        """How many entries of the log are surely on the disk when the power fails after `at` of them."""
        index = bisect.bisect_left(self.flushes, at)
        return self.flushes[index - 1] + 1 if index else 0

    def unflushed(self, at):
        return [entry for entry in self.log[self.last_flush(at):at] if entry is not FLUSH]

    def all(self, first, last, subsets):
        """The cuts after entries `first` to `last`: each prefix, and `subsets` others where there is a choice."""
        for at in range(first, last + 1):
            yield PowerCut(at, "prefix")
            pending = len(self.unflushed(at))
            if pending > 0:
                yield PowerCut(at, "torn")
            if pending > 1:
                for _ in range(subsets):
                    yield PowerCut(at, "subset")

    def state(self, cut, random):
        """The bytes of the disk after a cut."""
        flushed = self.last_flush(cut.at)
        if flushed < self.done:
            self.durable, self.done = bytearray(self.image), 0
        for entry in self.log[self.done:flushed]:
            apply(self.durable, entry)
        self.done = flushed
        state = bytearray(self.durable)
        pending = self.unflushed(cut.at)
        if cut.kind == "subset":
            share = random.random()
            pending = [entry for entry in pending if random.random() < share]
        if cut.kind == "torn":
            offset, data = pending.pop()
            pending.append((offset, data[:random.randrange(0, len(data), SECTOR)]))
        for entry in pending:
            apply(state, entry)
        return state


def apply(state, entry):
    if entry is not FLUSH:
        offset, data = entry
        state[offset:offset + len(data)] = data
