"""The folders that are measured. They are made from a seed and from text and programs of the machine, so that the
same machine always makes the same bytes. Each can be changed by one percent, reset, and compared with a copy."""
import hashlib, os, random, shutil, stat

TOOLCHAIN = os.path.dirname(os.path.dirname(os.path.realpath(shutil.which('swift') or '/usr/bin/true')))
TEXT_ROOTS = ['/usr/include', '/usr/share', '/usr/lib/python3', '/usr/lib/python3.11', '/usr/lib/python3.12', TOOLCHAIN]
TEXT_SUFFIXES = ('.h', '.c', '.cpp', '.hpp', '.py', '.txt', '.html', '.json', '.swift', '.swiftinterface', '.cmake',
                 '.pl', '.pm', '.sh', '.xml', '.js', '.css', '.md', '.vim', '.yaml', '.def', '.inc')
PROGRAM_ROOTS = [TOOLCHAIN + '/bin', TOOLCHAIN + '/lib', TOOLCHAIN + '/libexec', '/usr/bin', '/usr/lib']
OWN_FOLDERS = ('.git', '.memento')       # stores inside the tree
WORDS = ('branch buffer chunk column commit config cursor digest entry field handle index node object offset parser '
         'queue record result session snapshot stream table token value worker').split()
LONG_AGO = 1_700_000_000                 # file times: fixed, and never close to the present
PAGE = 8192

KINDS = ('source', 'bigfile', 'binaries', 'random')
SIZES = {'source': 60_000, 'bigfile': 2 << 30, 'binaries': 1_500_000_000, 'random': 1_000_000_000}
QUICK_SIZES = {'source': 6_000, 'bigfile': 128 << 20, 'binaries': 150_000_000, 'random': 100_000_000}


class Corpus:
    """One folder, `tree`. Files that were changed are kept in `originals` until the reset."""

    def __init__(self, kind, folder, quick):
        self.kind, self.size = kind, (QUICK_SIZES if quick else SIZES)[kind]
        self.tree, self.originals = os.path.join(folder, 'tree'), os.path.join(folder, 'originals')
        self.added = []
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(self.tree)
        getattr(self, 'make_' + kind)(random.Random('make ' + kind))
        self.manifest = scan(self.tree)
        self.bytes = sum(entry[0] for entry in self.manifest.values())
        whole = hashlib.sha256(repr(sorted(self.manifest.items())).encode('utf-8', 'surrogateescape'))
        self.fingerprint = whole.hexdigest()[:12]

    # Making

    def put(self, name, data, number, mode=0o644):
        path = os.path.join(self.tree, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb', buffering=0) as file:
            file.write(data)
        os.chmod(path, mode)
        time = (LONG_AGO + number % 5_000_000) * 10**9 + number * 7919 % 10**9
        os.utime(path, ns=(time, time))

    def make_source(self, rng):
        """Small files of real text, no two the same: median 4 KB, mean 10 KB, about twelve in a folder."""
        pool = text_pool(400 << 20)
        folders = ['']
        while len(folders) <= self.size // 12:
            parent = rng.choice(folders[-400:] if rng.random() < 0.5 else folders)
            if parent.count('/') < 8:
                folders.append(os.path.join(parent, '%s%d' % (rng.choice(WORDS), len(folders))))
        for number in range(self.size):
            suffix, text = excerpt(rng, pool, min(2_000_000, max(30, int(rng.lognormvariate(8.318, 1.32)))))
            name = os.path.join(rng.choice(folders), '%s_%d%s' % (rng.choice(WORDS), number, suffix))
            self.put(name, text, number, 0o755 if number % 40 == 0 else 0o644)

    def make_bigfile(self, rng):
        """A file like a database: a quarter of the pages is random, a tenth is empty, and the others are records
        with random keys."""
        text = b''.join(data for _, data in text_pool(64 << 20))
        path = os.path.join(self.tree, 'database.db')
        with open(path, 'wb', buffering=1 << 20) as file:
            for number in range(self.size // PAGE):
                share = rng.random()
                if share < 0.25:
                    page = rng.randbytes(PAGE)
                elif share < 0.35:
                    page = rng.randbytes(24) + bytes(PAGE - 24)
                else:
                    start = rng.randrange(len(text) - PAGE)
                    page, keys = bytearray(text[start:start + PAGE]), rng.randbytes(PAGE // 8)
                    for byte in range(8):            # 64-byte records, each with a key of 8 bytes
                        page[byte::64] = keys[byte::8]
                    page[:8] = number.to_bytes(8, 'big')
                file.write(page)
        os.utime(path, ns=(LONG_AGO * 10**9,) * 2)

    def make_binaries(self, rng):
        """Programs and libraries of the toolchain and of the system."""
        found, seen = [], set()
        for root in PROGRAM_ROOTS:
            for path, status in regular_files(root):
                if 1024 <= status.st_size <= 150 << 20 and (status.st_dev, status.st_ino) not in seen:
                    seen.add((status.st_dev, status.st_ino))
                    found.append((path, status.st_size, stat.S_IMODE(status.st_mode)))
        rng.shuffle(found)
        left = self.size
        for number, (path, size, mode) in enumerate(found):
            if size <= left:
                with open(path, 'rb') as file:
                    self.put(path.lstrip('/'), file.read(), number, mode & 0o777 | 0o600)
                left -= size

    def make_random(self, rng):
        """Files of 5 MB that no codec can compress."""
        for number in range(self.size // 5_000_000):
            self.put('folder%02d/media%03d.bin' % (number % 10, number), rng.randbytes(5_000_000), number)

    # Changing

    def change(self):
        """Changes one percent. Of these source files a tenth is removed, a tenth is added, and the others are edited
        in the middle. Of the big file 1% of the pages is partly rewritten, and 1 MiB is inserted near the start."""
        rng = random.Random('change ' + self.kind)
        if self.kind == 'bigfile':
            return self.change_pages(rng)
        names = sorted(self.manifest)
        for number, name in enumerate(rng.sample(names, max(1, len(names) // 100))):
            path = os.path.join(self.tree, name)
            if self.kind == 'source' and number % 10 == 1:
                self.keep(name, os.rename)
            elif self.kind == 'source' and number % 10 == 2:
                self.added.append(os.path.join(os.path.dirname(path), 'added_%d.txt' % number))
                with open(self.added[-1], 'wb') as file:
                    file.write(b'a new file, number %d\n' % number * 100)
            else:
                self.keep(name, shutil.copy2)
                with open(path, 'r+b') as file:
                    data = file.read()
                    at = data.find(b'\n', len(data) // 2) + 1
                    file.seek(at)
                    file.write(b'one line put in by the benchmark, number %d\n' % number + data[at:])

    def change_more(self):
        """Edits another percent of the files, so that there are unsaved changes again."""
        rng = random.Random('change more ' + self.kind)
        kept = {os.path.relpath(path, self.originals) for path, _ in regular_files(self.originals)}
        names = [name for name in sorted(self.manifest) if name not in kept]
        for number, name in enumerate(rng.sample(names, max(1, len(self.manifest) // 100))):
            self.keep(name, shutil.copy2)
            with open(os.path.join(self.tree, name), 'ab') as file:
                file.write(b'one line put at the end by the benchmark, number %d\n' % number)

    def change_pages(self, rng):
        self.keep('database.db', os.rename)
        path = os.path.join(self.tree, 'database.db')
        with open(os.path.join(self.originals, 'database.db'), 'rb') as old, open(path, 'w+b') as new:
            new.write(old.read(100_000))
            new.write(rng.randbytes(1 << 20))
            shutil.copyfileobj(old, new, 4 << 20)
            for page in sorted(rng.sample(range(self.size // PAGE), self.size // PAGE // 100)):
                new.seek(page * PAGE + 1000)
                new.write(rng.randbytes(200))

    def keep(self, name, how):
        original = os.path.join(self.originals, name)
        os.makedirs(os.path.dirname(original), exist_ok=True)
        how(os.path.join(self.tree, name), original)

    def reset(self):
        """Takes back the changes, including times and modes that a tool did not restore. Exits if any other file is
        damaged."""
        for path, status in regular_files(self.originals):
            name = os.path.relpath(path, self.originals)
            os.replace(path, os.path.join(self.tree, name))
        shutil.rmtree(self.originals, ignore_errors=True)
        for path in self.added:
            if os.path.exists(path):
                os.unlink(path)
        self.added = []
        now = scan(self.tree, contents=False)
        for name, (size, time, mode, _) in self.manifest.items():
            if name not in now or now[name][0] != size:
                raise SystemExit('the corpus was damaged: %s' % name)
            if now[name][1:3] != (time, mode):
                os.chmod(os.path.join(self.tree, name), mode)
                os.utime(os.path.join(self.tree, name), ns=(time, time))

    def differences(self, folder):
        """Compares `folder` with the unchanged tree. Returns the number of files for each kind of difference."""
        there, counts = scan(folder), {}
        for name in set(there) | set(self.manifest):
            a, b = self.manifest.get(name), there.get(name)
            if a is None or b is None:
                kinds = ['extra' if a is None else 'missing']
            else:
                kinds = [what for what, x, y in zip(('size', 'time', 'mode', 'content'), a, b) if x != y]
            for kind in kinds:
                counts[kind] = counts.get(kind, 0) + 1
        return counts


def scan(folder, contents=True):
    """All regular files below `folder`: size, time, mode and digest."""
    found = {}
    for path, status in regular_files(folder):
        digest = None
        if contents:
            with open(path, 'rb', buffering=0) as file:
                digest = hashlib.blake2b(digest_size=16)
                while block := file.read(1 << 20):
                    digest.update(block)
                digest = digest.digest()
        found[os.path.relpath(path, folder)] = (
            status.st_size, status.st_mtime_ns, stat.S_IMODE(status.st_mode), digest)
    return found


def regular_files(root):
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if folder != root or name not in OWN_FOLDERS)
        for name in sorted(files):
            path = os.path.join(folder, name)
            status = os.lstat(path)
            if stat.S_ISREG(status.st_mode) and not (folder == root and name in OWN_FOLDERS):
                yield path, status


def text_pool(limit):
    """Text files of the machine as (suffix, bytes): each content once, in a fixed order, about `limit` bytes in all."""
    pool, seen, total = [], set(), 0
    for root in TEXT_ROOTS:
        for path, status in regular_files(root):
            suffix = os.path.splitext(path)[1]
            if suffix not in TEXT_SUFFIXES or not 200 <= status.st_size <= 400_000:
                continue
            with open(path, 'rb') as file:
                data = file.read()
            digest = hashlib.blake2b(data, digest_size=16).digest()
            if b'\0' in data or data.count(b'\n') < 5 or digest in seen:
                continue
            seen.add(digest)
            pool.append((suffix, data))
            total += len(data)
            if total >= limit:
                return pool
    if not pool:
        raise SystemExit('no text files found to make a corpus from')
    return pool


def excerpt(rng, pool, length):
    """About `length` bytes of whole lines of one text, or of more texts if it is short. About one line in forty is
    replaced by a new one."""
    suffix, data = rng.choice(pool)
    if len(data) > length:
        start = data.rfind(b'\n', 0, rng.randrange(len(data) - length) + 1) + 1
        data = data[start:start + length]
    while len(data) < length:
        data += rng.choice(pool)[1][:length - len(data)]
    lines = data.split(b'\n')
    for _ in range(1 + len(lines) // 40):
        lines[rng.randrange(len(lines))] = b'    %s_%s(%s, 0x%08x);' % (
            *(rng.choice(WORDS).encode() for _ in range(3)), rng.getrandbits(32))
    return suffix, b'\n'.join(lines)
