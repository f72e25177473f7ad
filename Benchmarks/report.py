"""Writes medians and ratios as Markdown, and compares them with the targets."""
import os, platform, statistics

FIRST, UNCHANGED, CHANGED = 'first save', 'save, unchanged', 'save, 1% changed'
RESTORE, IN_PLACE = 'restore, new folder', 'restore in place'
STATUS, STATUS_CHANGED, UNDO = 'status, unchanged', 'status, 1% changed', 'undo of an unsaved 1%'
TIMED = (FIRST, UNCHANGED, CHANGED, RESTORE, IN_PLACE, STATUS, STATUS_CHANGED, UNDO)
SIZE, GROWTH = 'store after the first save', 'growth by the change'
MIB = 1 << 20

# The largest ratio that is allowed for memento's median and the peer's.
TARGETS = [
    ('source', FIRST, 'cp -a', 0.9), ('source', FIRST, 'tar|zstd', 1.1), ('source', FIRST, 'borg', 0.3),
    ('source', FIRST, 'restic', 0.25), ('source', UNCHANGED, 'git', 0.8), ('source', UNCHANGED, 'restic', 0.1),
    ('source', CHANGED, 'git', 0.6), ('source', RESTORE, 'cp -a', 0.8), ('source', RESTORE, 'git', 0.4),
    ('source', IN_PLACE, 'git', 1.0), ('source', STATUS, 'git', 0.9), ('source', STATUS_CHANGED, 'git', 0.9),
    ('source', UNDO, 'git', 1.0),
    ('bigfile', FIRST, 'borg', 0.7), ('bigfile', FIRST, 'restic', 0.4), ('bigfile', CHANGED, 'restic', 0.3),
    ('bigfile', GROWTH, 'casync', 1.0), ('bigfile', RESTORE, 'restic', 0.6),
    ('binaries', FIRST, 'borg', 0.6), ('binaries', FIRST, 'restic', 0.35),
    ('random', FIRST, 'borg', 1.0), ('random', FIRST, 'restic', 0.6),
]
SIZE_PEERS, SIZE_LIMIT = ('restic', 'borg', 'git'), 1.05
MEMORY_LIMIT = 250 * MIB


class Results:
    """The measured values: one for each round, by corpus, tool, operation and unit."""

    def __init__(self):
        self.values, self.corpora, self.tools, self.failures, self.checks = {}, {}, [], [], {}

    def add(self, corpus, tool, what, **measured):
        for unit, value in measured.items():
            self.values.setdefault((corpus, tool, what, unit), []).append(value)

    def median(self, corpus, tool, what, unit='wall'):
        values = self.values.get((corpus, tool, what, 'bytes' if what in (SIZE, GROWTH) else unit))
        return statistics.median(values) if values else None

    def ratio(self, corpus, what, peer):
        ours, theirs = self.median(corpus, 'memento', what), self.median(corpus, peer, what)
        return ours / theirs if ours is not None and theirs else None

    def measured(self, corpus, whats):
        """The tools that have a value for any of `whats`, in the order of the table."""
        return [tool for tool in self.tools if any(self.median(corpus, tool, what) is not None for what in whats)]


def markdown(results, disk, versions, floors, rounds):
    parts = [machine(disk, rounds), tools(versions)]
    for corpus, description in results.corpora.items():
        parts.append('## %s\n\n%s' % (corpus, description))
        names = results.measured(corpus, TIMED)
        parts.append(table(
            ['seconds (memento / peer)'] + names,
            [[what] + [cell(results, corpus, what, tool, seconds) for tool in names] for what in TIMED]))
        names = results.measured(corpus, (SIZE, GROWTH))
        parts.append(table(
            ['MiB (memento / peer)'] + names,
            [[what] + [cell(results, corpus, what, tool, mebibytes) for tool in names] for what in (SIZE, GROWTH)]))
        names = results.measured(corpus, TIMED)
        parts.append(table(['peak memory, MiB'] + names,
                           [[what] + [peak(results, corpus, tool, what) for tool in names] for what in TIMED]))
        rows = [[name, seconds(results.median(corpus, 'floor', name))] for name in floors]
        parts.append(table(['floor', 'seconds'], rows))
        checks = ['%s: %s' % (tool, verdict) for (where, tool), verdict in results.checks.items() if where == corpus]
        if checks:
            parts.append('Restored trees, compared with the original: ' + '; '.join(checks) + '.')
    parts.append('## Targets\n\n' + targets(results))
    if results.failures:
        parts.append('## Failures\n\n' + '\n'.join('- ' + line for line in results.failures))
    return '\n\n'.join(parts) + '\n'


def machine(disk, rounds):
    with open('/proc/meminfo') as file:
        memory = int(file.readline().split()[1]) // MIB
    with open('/proc/cpuinfo') as file:
        names = [line.split(':')[1].strip() for line in file if line.startswith('model name')]
    return ('# memento and its peers\n\n%s, %d cores, %d GiB; Linux %s; %s. Medians of %d round(s), the tools in turn '
            'within each; warm page cache; sync before each operation. Load average at the end: %.1f.' % (
                names[0] if names else platform.machine(), len(os.sched_getaffinity(0)), memory, os.uname().release,
                disk, rounds, os.getloadavg()[0]))


def tools(versions):
    return '\n'.join('- **%s**: %s%s' % (name, version, '; ' + note if note else '') for name, version, note in versions)


def cell(results, corpus, what, tool, show):
    value = results.median(corpus, tool, what)
    ratio = results.ratio(corpus, what, tool) if tool != 'memento' else None
    return show(value) + (' (%.2f)' % ratio if ratio is not None else '')


def peak(results, corpus, tool, what):
    value = results.median(corpus, tool, what, 'memory')
    return '-' if value is None else '%.0f' % (value / MIB)


def seconds(value):
    return '-' if value is None else '%.3f' % value if value < 1 else '%.2f' % value


def mebibytes(value):
    return '-' if value is None else '%.1f' % (value / MIB)


def targets(results):
    rows = []
    for corpus, what, peer, limit in TARGETS:
        ratio = results.ratio(corpus, what, peer)
        if ratio is not None:
            rows.append(['%s: %s' % (corpus, what), peer, '%.2f' % limit, '%.2f' % ratio, met(ratio <= limit)])
    for corpus in results.corpora:
        ours = results.median(corpus, 'memento', SIZE)
        sizes = {peer: results.median(corpus, peer, SIZE) for peer in SIZE_PEERS}
        smallest = min((peer for peer in sizes if sizes[peer]), key=sizes.get, default=None)
        if ours is not None and smallest:
            ratio = ours / sizes[smallest]
            rows.append(['%s: %s' % (corpus, SIZE), smallest + ' (the smallest)', '%.2f' % SIZE_LIMIT, '%.2f' % ratio,
                         met(ratio <= SIZE_LIMIT)])
        memory = [value for (where, tool, _, unit), values in results.values.items()
                  if (where, tool, unit) == (corpus, 'memento', 'memory') for value in values]
        if memory:
            rows.append(['%s: peak memory, MiB' % corpus, '-', '%d' % (MEMORY_LIMIT / MIB), '%.0f' % (max(memory) / MIB),
                         met(max(memory) <= MEMORY_LIMIT)])
    if not rows:
        return 'memento was not measured.'
    return table(['what', 'peer', 'at most', 'measured', ''], rows)


def met(yes):
    return 'met' if yes else '**missed**'


def table(head, rows):
    lines = ['| %s |' % ' | '.join(name.replace('|', r'\|') for name in row) for row in [head] + rows]
    return '\n'.join(lines[:1] + ['|---|' + '---:|' * (len(head) - 1)] + lines[1:])
