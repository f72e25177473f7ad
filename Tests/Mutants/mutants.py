"""Finds what keeps a store safe in the sources (flushes, renames, locks, flags against links, checks of hashes, bounds), and
puts a switch to each in a copy of the sources.

All mutants are in one build: `MEMENTO_MUTANT=N` switches off number N. So hundreds of mutants cost one build. The technique is
known as mutant schemata (Untch, Offutt, Harrold, ISSTA 1993). A switch also notes that it was reached, in the file
`MEMENTO_MUTANT_TRACE`. The switch of a check is only asked when the check fails, so a test that does not reach it cannot
notice that the check is gone."""
import hashlib, os, re

KINDS = {
    'flush': 'a flush is left out', 'rename': 'a rename or link is left out', 'replace': 'a rename may replace what is there',
    'lock': 'a lock is not taken, or shared', 'link': 'a symbolic link is followed', 'hash': 'a checksum or id is not compared',
    'bound': 'a limit or the form of what is stored is not checked'}
MODULES = ('MementoSystem', 'MementoModel', 'MementoStore', 'MementoKit')
# Files that decode what is in a store. What a user types is not part of this.
PARSERS = re.compile(
    r'Codec|Reader|Decoder|Decompressor|ChunkList|ChunkLocator|LinkTable|UnrecordedList|Trash|StateList|StateFiles|IndexTable|'
    r'IndexMerge|PackRows|PackName|HealedPack|Salvage|ConfigReader|BadBlocks|Journal|Unsynced|PercentText|StatCache|MergedPacks|'
    r'LastCollection|VerificationRecord|PersistedRules|RuleFiles|StagingList|StorePointer|EntryName|BytePath|ContentTotals|'
    r'Fanout|Parity(?!Share|Writer)|RefsMending|RefsCopy|StoreBackup|FileContents|ExtendedAttributes|Descriptor\.swift|'
    r'SectorChecksum|TableDecoder|SnapshotWalker|ContentReader|RangeReader')
NOT_STORED = re.compile(r'DateReader|JournalReader|ParityShare|ParityWriter')
# Looks at what the system said, which is no bound.
NO_BOUND = re.compile(r'\berror\b|Errno|^done |cs_|fcntl\(|inflateInit|kind != \.socket|modified != modified|CacheTag|Foreign|problem\(\)')
HASH = re.compile(
    r'(==|!=) (id|sum|expected\.id|piece\.checksum)$|^ObjectID\(.*== found$|hashing:|crc32\(|xxh64\(|hash == id')
COMPARISON = re.compile(r' [<>]=? |overflow|isEmpty|isAtEnd|isWhole|[lL]imit|[lL]argest|\.count\b|contains|starts\(with|hasPrefix|hasSuffix| == | != ')

# Places that no rule finds: kind, file, text, text with a switch ({} is its number).
SINGLE = [
    ('flush', 'MementoSystem/TemporaryFile.swift', 'if durable { try flush() } else',
     'if durable { if mutantKeeps({}) { try flush() } } else'),
    ('flush', 'MementoKit/Restore/RestoreSession.swift', '    try flush()\n    try commit.commit(',
     '    if mutantKeeps({}) { try flush() }\n    try commit.commit('),
    ('flush', 'MementoKit/Restore/RestoreSession.swift', '      try flush()\n      try commit.mark(',
     '      if mutantKeeps({}) { try flush() }\n      try commit.mark('),
    ('flush', 'MementoKit/Restore/StagingRecovery.swift', 'if !outcome.rescued.isEmpty { try flush() }',
     'if !outcome.rescued.isEmpty, mutantKeeps({}) { try flush() }'),
    ('flush', 'MementoKit/Restore/StagingRecovery.swift', '    try flush()\n', '    if mutantKeeps({}) { try flush() }\n'),
    ('hash', 'MementoStore/Store.swift', 'if ObjectID(hashing: bytes) == id { return bytes }',
     'if ObjectID(hashing: bytes) == id || !mutantKeeps({}) { return bytes }'),
    ('hash', 'MementoStore/Parity/ParityReader.swift', 'return sum == table.checksums[number]',
     'return sum == table.checksums[number] || !mutantKeeps({})'),
    ('hash', 'MementoStore/Folder/StoreBackup.swift', 'ObjectID(hashing: $0) == id ? $0 : nil',
     'ObjectID(hashing: $0) == id || !mutantKeeps({}) ? $0 : nil'),
    ('hash', 'MementoStore/Folder/StoreBackup.swift', 'return encode(file) == bytes ? file : nil',
     'return encode(file) == bytes || !mutantKeeps({}) ? file : nil'),
    ('hash', 'MementoStore/Refs/RefsCopy.swift', 'bytes.count >= headLength && statedSum(bytes) == sum(bytes)',
     'bytes.count >= headLength && (statedSum(bytes) == sum(bytes) || !mutantKeeps({}))'),
    ('link', 'MementoSystem/Descriptor.swift', 'OpenMode(flags: cs_o_path_no_follow)',
     'OpenMode(flags: mutantKeeps({}) ? cs_o_path_no_follow : cs_o_path)'),
    ('lock', 'MementoSystem/FileLock.swift', 'flock(raw, LOCK_SH | LOCK_NB) != 0',
     'flock(raw, LOCK_SH | LOCK_NB) != 0 && mutantKeeps({})'),
] + [
    ('lock', 'MementoStore/StoreLocks.swift', use, text) for use, text in [
        ('    guard let mode = Use.folder else {',
         '    if Use.self == %s.self, !mutantKeeps({}) { packs.mutantRelease() }\n    guard let mode = Use.folder else {' % name)
        for name in ('UsesPacks', 'ReadsFolder', 'ChangesFolder')]
] + [
    ('lock', 'MementoStore/StoreLocks.swift', '    return try StoreLock(folder, packs: packs, folder: second, named: folderLock)',
     '    if Use.self == ReadsFolder.self, !mutantKeeps({}) { second.mutantRelease() }\n'
     '    return try StoreLock(folder, packs: packs, folder: second, named: folderLock)'),
]
# What the switches need.
ADDED = {'MementoSystem/FileLock.swift': '''
extension FileLock {
  package borrowing func mutantRelease() { _ = flock(descriptor.raw, LOCK_UN) }
}
'''}

SWITCH = '''#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

private let number: Int = getenv("MEMENTO_MUTANT").flatMap { Int(String(cString: $0)) } ?? 0

private nonisolated(unsafe) let trace: UnsafeMutablePointer<UInt8>? = {
  guard let path = getenv("MEMENTO_MUTANT_TRACE") else { return nil }
  let file = open(path, O_RDWR | O_CLOEXEC)
  defer { close(file) }
  guard file >= 0, let place = mmap(nil, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), place != MAP_FAILED else { return nil }
  return place.assumingMemoryBound(to: UInt8.self)
}()

/// Whether this mutant is not the chosen one. Notes that it was asked for.
@usableFromInline func mutantKeeps(_ mutant: Int) -> Bool {
  if let trace { trace[mutant] = 1 }
  return mutant != number
}
'''
C_SWITCH = '''#include <stdlib.h>
#include <sys/mman.h>

// Whether this mutant is not the chosen one. Notes that it was asked for.
static int mutant_keeps(int mutant) {
  static int number = -1;
  static unsigned char *trace;
  if (number < 0) {
    const char *text = getenv("MEMENTO_MUTANT"), *path = getenv("MEMENTO_MUTANT_TRACE");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file >= 0) {
      void *place = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      if (place != MAP_FAILED) trace = place;
      close(file);
    }
    number = text ? atoi(text) : 0;
  }
  if (trace) trace[mutant] = 1;
  return mutant != number;
}
'''


class Mutant:
    """One place that can be switched off."""

    def __init__(self, number, kind, path, line, text, nth):
        self.number, self.kind, self.path, self.line, self.text = number, kind, path, line, ' '.join(text.split())
        # Stays the same when other lines of the file change.
        self.key = hashlib.sha256(('%s\0%s\0%s\0%d' % (kind, path, self.text, nth)).encode()).hexdigest()[:16]

    def __str__(self):
        return '%s:%d: %s' % (self.path, self.line, self.text if len(self.text) < 140 else self.text[:137] + '...')


class Mutants:
    def __init__(self):
        self.all, self.seen = [], {}

    def add(self, kind, path, line, text):
        """The number of a new mutant."""
        key = kind, path, ' '.join(text.split())
        self.seen[key] = self.seen.get(key, 0) + 1
        self.all.append(Mutant(len(self.all) + 1, kind, path, line, text, self.seen[key]))
        return len(self.all)


def clauses(condition):
    """The clauses of a condition; None when it is not whole."""
    depth, found, inside = 0, [''], False
    for place, letter in enumerate(condition):
        if letter == '"' and condition[place - 1:place] != '\\':
            inside = not inside
        if not inside:
            depth += letter in '([{'
            depth -= letter in ')]}'
            if letter == ',' and depth == 0:
                found.append('')
                continue
        found[-1] += letter
    return [clause.strip() for clause in found] if depth == 0 else None


def is_bound(path, condition):
    name = os.path.basename(path)
    return (PARSERS.search(name) and not NOT_STORED.search(name) and COMPARISON.search(condition)
            and not NO_BOUND.search(condition))


def unguarded(line, path, index, mutants):
    """A guard with switches: one for each comparison of a hash, one for all other checks."""
    guard = re.match(r'(\s*)guard (.*?) else (\{.*)$', line)
    parts = clauses(guard.group(2)) if guard else None
    if not parts:
        return line
    numbers, result = {}, []
    for part in parts:
        # A clause that binds a name stays.
        is_name = re.match(r'(let|var|case)\b', part)
        kind = None if is_name else 'hash' if HASH.search(part) else 'bound' if (
            is_bound(path, part)) else None
        if kind:
            key = part if kind == 'hash' else 'bound'
            if key not in numbers:
                text = part if kind == 'hash' else ', '.join(
                    other for other in parts if not re.match(r'(let|var|case)\b', other) and not HASH.search(other))
                numbers[key] = mutants.add(kind, path, index + 1, text)
            tries = 'try ' if re.search(r'\btry ', part) else ''
            part = '%s(%s) || !mutantKeeps(%d)' % (tries, re.sub(r'\btry ', '', part), numbers[key])
        result.append(part)
    return '%sguard %s else %s' % (guard.group(1), ', '.join(result), guard.group(3))


def mutated(line, path, index, mutants):
    """A line with switches."""
    if line.lstrip().startswith('//') or 'func ' in line:
        return line
    if line.lstrip().startswith('guard '):
        return unguarded(line, path, index, mutants)
    check = re.match(r'(\s*)if (.*) \{ throw (.*)$', line)
    if check and is_bound(path, check.group(2)):
        kind = 'hash' if HASH.search(check.group(2)) else 'bound'
        return '%sif %s, mutantKeeps(%d) { throw %s' % (
            check.group(1), check.group(2), mutants.add(kind, path, index + 1, check.group(2)), check.group(3))
    original = line
    if re.search(r'\.place\(as|[oO]penOrMake\(', line):
        flag = re.search(r'durable: (true|isDurable|durable|folder\.isDurable)\b', line)
        if flag:
            number = mutants.add('flush', path, index + 1, line)
            line = line.replace(flag.group(0), 'durable: mutantKeeps(%d) && %s' % (number, flag.group(1)), 1)
    if 'flushesAlways(true)' in line:
        line = line.replace('(true)', '(mutantKeeps(%d))' % mutants.add('flush', path, index + 1, original))
    if ', .noReplace' in line:
        number = mutants.add('replace', path, index + 1, original)
        line = line.replace(', .noReplace', ', (mutantKeeps(%d) ? .noReplace : .replace)' % number)
    call = re.search(
        r'(?P<back>return )?(?P<call>try (?:[\w.!\[\]]+\.(?P<name>flush\w*|rename|link|place)|flushNames)\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))', line)
    if (call and not re.search(r'\b(writer|data|meta|other)\.flush|&', call['call']) and 'place(of' not in line
            and not re.search(r'\b(let|var|guard|if) [^{]*$|= $', line[:call.start()])):
        kind = 'rename' if call['name'] in ('rename', 'link', 'place') else 'flush'
        number = mutants.add(kind, path, index + 1, original)
        line = '%sif mutantKeeps(%d) { %s }%s%s' % (
            line[:call.start()], number, call['call'], '; return' if call['back'] else '', line[call.end():])
    lock = re.match(r'(\s*)(_ = try retrying \{ flock\(.*\) \}|try lock\.check\(\))$', line)
    if lock:
        line = '%sif mutantKeeps(%d) { %s }' % (lock.group(1), mutants.add('lock', path, index + 1, original), lock.group(2))
    lock = re.search(r'(?<!case )(?<!== )\.exclusive\b(?!,? mode| \|)', line)
    if lock and '.exclusive ?' not in line and re.search(r'Lock|LocalRefs|ConfigChange|UnsyncedMark', path) and 'case' not in line:
        number = mutants.add('lock', path, index + 1, original)
        typed = 'LockMode' if line[:lock.start()].endswith('LockMode') else ''
        start = lock.start() - len(typed)
        line = '%s(mutantKeeps(%d) ? %s.exclusive : %s.shared)%s' % (line[:start], number, 'LockMode', 'LockMode', line[lock.end():])
    for flag in ('O_NOFOLLOW', 'AT_SYMLINK_NOFOLLOW'):
        if re.search(r'\b%s\b' % flag, line):
            number = mutants.add('link', path, index + 1, original)
            keeps = 'mutant_keeps' if path.endswith('.c') else 'mutantKeeps'
            line = re.sub(r'\b%s\b' % flag, '(%s(%d) ? %s : 0)' % (keeps, number, flag), line, count=1)
    return line


def joined(lines):
    """Guards of several lines become one; the lines behind it keep their numbers."""
    for index, line in enumerate(lines):
        if re.match(r'\s*guard ', line) and ' else {' not in line:
            end = next((i for i in range(index, min(index + 8, len(lines))) if 'else {' in lines[i]), index)
            lines[index] += ''.join(' ' + other.strip() for other in lines[index + 1:end + 1])
            lines[index + 1:end + 1] = [''] * (end - index)
    return lines


def mutate(path, text, mutants):
    """The text of a source file with switches."""
    singles = [single for single in SINGLE if single[1] == path]
    for kind, _, old, new in singles:
        if old not in text:
            raise SystemExit('%s has no such place any more: %s' % (path, old))
        number = mutants.add(kind, path, text[:text.index(old)].count('\n') + 1, old if 'Use.self' not in new else new.split(',')[0].replace('if Use.self == ', 'the lock of ').replace('.self', '') + (': folder' if 'second' in new else ': packs'))
        text = text.replace(old, new.replace('{}', str(number)), 1)
    lines = text.split('\n')
    if path.endswith('.swift'):
        lines = joined(lines)
    is_other_system = False
    for index, line in enumerate(lines):
        is_other_system = (is_other_system or line.startswith('#else  // macOS')) and path.endswith('.c')
        if 'mutantKeeps' not in line and not is_other_system and not (path.endswith('.c') and line.startswith('const ')):
            lines[index] = mutated(line, path, index, mutants)
    return '\n'.join(lines) + ADDED.get(path, '')


def make(sources, write):
    """All mutants of the sources. Calls `write` with the path and the new text of each file that needs another text."""
    mutants = Mutants()
    path = 'CMementoSystem/csystem.c'
    with open(os.path.join(sources, path)) as file:
        text = mutate(path, file.read(), mutants)
    # Behind the last #include.
    place = [match.end() for match in re.finditer(r'^#include .*\n(?:#endif\n)?', text, re.M)][-1]
    write(path, text[:place] + C_SWITCH + text[place:])
    for module in MODULES:
        for folder, folders, names in os.walk(os.path.join(sources, module)):
            folders.sort()
            for name in sorted(names):
                if name.endswith('.swift'):
                    path = os.path.relpath(os.path.join(folder, name), sources)
                    with open(os.path.join(sources, path)) as file:
                        write(path, mutate(path, file.read(), mutants))
        write(module + '/MutantSwitch.swift', SWITCH)
    return mutants.all
