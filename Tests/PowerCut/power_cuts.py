"""The states that a disk may have after a power cut, made from the log of its writes.

A flush makes everything durable that was written before it. Of the writes after the last flush, any part may be on
the disk, because disks reorder writes. The write during which the power failed may be on the disk up to any sector."""

import bisect
from collections import namedtuple

from logged_disk import FLUSH

SECTOR = 512

# A power cut after `at` entries of the log. `kind` is "prefix" (everything written so far is there), "subset" (any part
# of what was not flushed) or "torn" (the last write is cut off at a sector).
PowerCut = namedtuple("PowerCut", "at kind")


class PowerCuts:
    """All possible states of a disk that began as `image` and got the writes of `log`."""

    def __init__(self, image, log):
        self.image = image
        self.log = log
        self.flushes = [index for index, entry in enumerate(log) if entry is FLUSH]
        self.done = 0  # the number of log entries that are in `durable`
        self.durable = bytearray(image)

    def last_flush(self, at):
        """The number of log entries that are certainly on the disk when the power fails after `at` of them."""
        index = bisect.bisect_left(self.flushes, at)
        return self.flushes[index - 1] + 1 if index else 0

    def unflushed(self, at):
        return [entry for entry in self.log[self.last_flush(at):at] if entry is not FLUSH]

    def all(self, first, last, subsets):
        """The cuts after the entries `first` to `last`: each prefix, a torn write where one is possible, and
        `subsets` random subsets where there is a choice."""
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
