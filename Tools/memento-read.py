#!/usr/bin/env python3
"""Reads a memento store without memento, as docs/format.md describes it.

usage: memento-read.py STORE list
       memento-read.py STORE extract STATE DEST    a folder to DEST, which must not exist; a value to a file or to -
       memento-read.py REMOTE unseal SECRET DEST   opens all objects of a sealed remote, into DEST, which must not exist

STATE is a name from the list, @ for the current position, or the id of a snapshot. Needs Python 3.9 and, for blocks
in zstd, the module compression.zstd or zstandard, or the program zstd. REMOTE is a folder with the objects of a remote;
SECRET is a file with the passphrase, the recovery key or the bytes of a key file. It needs no module; with the module
cryptography it is a thousand times as fast."""
import functools, hashlib, hmac, os, re, stat, struct, subprocess, sys, zlib
from urllib.parse import unquote_to_bytes as unquote

def need(condition, message):
    if not condition: raise ValueError(message)

def show(text):  # escapes what a terminal would obey
    text = text.decode(errors='backslashreplace') if isinstance(text, bytes) else text
    return ''.join(c if c.isprintable() else c.encode('unicode_escape').decode() for c in text)

def unpack(codec, data, size):
    if codec == 0: return data
    if codec == 1: return zlib.decompressobj().decompress(data, size + 1)
    for module in ('compression.zstd', 'zstandard'):
        try: return __import__(module, fromlist=['']).ZstdDecompressor().decompress(data, size)
        except ImportError: pass
    return subprocess.run(['zstd', '-dcq'], input=data, stdout=subprocess.PIPE, check=True).stdout

class Reader:
    def __init__(self, data): self.data, self.at = data, 0

    def take(self, count):
        need(count <= len(self.data) - self.at, 'bytes are missing')
        self.at += count
        return self.data[self.at - count:self.at]

    def byte(self): return self.take(1)[0]

    def number(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            need(value < 1 << 64 and shift <= 70, 'a number is too large')
            if byte < 128: return value

    def text(self): return self.take(self.number())

    def entry(self):
        first, e = self.byte(), {'name': self.text()}
        e['kind'], e['mode'], e['user'], e['group'] = first & 127, self.number(), self.number(), self.number()
        seconds = self.number()
        e['time'] = (seconds >> 1 ^ -(seconds & 1)) * 10**9 + self.number()
        if e['kind'] == 1: e['size'], e['level'] = self.number(), self.byte()
        if e['kind'] == 2 or e.get('level'): e['id'] = self.take(32)
        elif e['kind'] == 3: e['target'] = self.text()
        elif e['kind'] in (5, 6): e['device'] = os.makedev(self.number(), self.number())
        else: need(e['kind'] in (1, 4), 'an entry of an unknown kind')
        e['attributes'] = [(self.text(), self.text()) for _ in range(self.number())] if first & 128 else []
        need(0 < len(e['name']) < 256 and not {0, 47} & set(e['name']) and e['mode'] <= 0o7777
             and e['name'].lower() not in (b'.', b'..', b'.memento'), f'an entry that cannot be: {e["name"]!r}')
        return e

class Store:
    def __init__(self, folder):
        self.folder, self.places = os.fsencode(folder), {}
        config = [line.partition('=') for line in self.read(b'config').decode().split('\n') if line[:1] != '#']
        config = {key.strip(): value.strip() for key, _, value in config}
        need(config['format'] == '1' and set(config.get('requires', '').split()) <= {'two-locks'}, 'a store of a later format')
        first, checksum, body = self.read(b'refs').split(b'\n', 2)
        need(re.fullmatch(b'memento refs [1-6]', first), 'refs of a later format')
        need(checksum == b'checksum ' + hashlib.sha256(body).hexdigest().encode(), 'refs do not match their checksum')
        lines = body.decode().split('\n')[:-1]
        words = [line.split() for line in lines]
        listed = next((w[1] for w in words if w[0] == 'states'), '')  # a separate list; the lines here change it
        known = self.read(b'states/' + listed.encode()) if listed else b''
        need(not listed or hashlib.sha256(known).hexdigest() == listed, 'the list of states is damaged')
        self.states = {line[65:]: bytes.fromhex(line[:64]) for line in known.decode().split('\n')[:-1] + lines
                       if re.match('[0-9a-f]{64} ', line)}
        for line in lines:
            if line[:2] == '- ': del self.states[line[2:]]
        position = next(w[1] for w in words if w[0] == 'position')
        if position != '-': self.states['@'] = bytes.fromhex([w[3] for w in words if w[0] == 'step'][int(position)])
        for name in os.listdir(os.path.join(self.folder, b'packs')):
            if len(name) == 69 and name.endswith(b'.pack'): self.index(b'packs/' + name)

    def read(self, name, start=0, count=-1):
        with open(os.path.join(self.folder, name), 'rb') as file:
            file.seek(start, 0 if start >= 0 else 2)
            return file.read(count)

    def index(self, pack):
        start, length, name, magic = struct.unpack('<QQ32s8s', self.read(pack, -56))
        table = self.read(pack, start, length)
        need(magic == b'mementoT' and pack == b'packs/%s.pack' % hashlib.sha256(table).hexdigest().encode()
             and name == hashlib.sha256(table).digest(), f'the table of contents of {pack.decode()} is damaged')
        count = struct.unpack_from('<I', table)[0]
        at = 4 + 24 * count
        for number in range(count):
            _, codec, _, zero, raw, stored, blobs, offset = struct.unpack_from('<BBBBIIIQ', table, 4 + 24 * number)
            if zero: raise ValueError(f'a block of an unknown form in {name.hex()}')
            inside = 0
            for _ in range(blobs):
                key, size = struct.unpack_from('<32sI', table, at)
                self.places.setdefault(key, []).append(((pack, codec, raw, stored, offset), inside, size))
                inside, at = inside + size, at + 36

    @functools.lru_cache(maxsize=16)
    def block(self, pack, codec, raw, stored, offset):
        data = unpack(codec, self.read(pack, offset, stored), raw)
        need(len(data) == raw, 'a block has another size than its record says')
        return data

    def blob(self, key):
        reason = 'it is in no pack'
        for place, start, size in self.places.get(key, []):
            try: data = self.block(*place)[start:start + size]
            except Exception as error: reason = error  # another pack may have it intact
            else:
                if hashlib.sha256(data).digest() == key: return data
                reason = 'its bytes do not match'
        raise ValueError(f'blob {key.hex()}: {reason}')

    def snapshot(self, state):
        key = self.states.get(state) or (bytes.fromhex(state) if len(state) == 64 else None)
        need(key, f'no such state: {show(state)}')
        lines = [line.split(' ') for line in self.blob(key).decode().split('\n')[:-1]]
        need(lines[0] == ['memento', 'snapshot', '1'], 'no snapshot, or one of a later format')
        attributes = [[unquote(word) for word in line[1:]] for line in lines if line[0] == 'attribute']
        return dict({line[0]: line[1:] for line in lines}, id=key, attributes=attributes)

    def pieces(self, size, level, key):  # yields the chunks of a file in order; an int is the length of a hole
        reader = Reader(self.blob(key) if level else b'')
        if level == 1: need(len(reader.data) == size, 'a chunk has another length than its list says')
        if level < 2: return (yield reader.data)
        need((reader.byte(), reader.byte()) == (ord('L'), level), 'not a chunk list')
        for _ in range(reader.number()):
            word = reader.number()
            if word & 1: yield word >> 1
            else: yield from self.pieces(word >> 1, level - 1, reader.take(32))

    def value(self, record, key):  # the content that a line "KEY size level id" of a snapshot stands for
        size, level, blob = record.get(key, (0, 0, ''))
        return self.pieces(int(size), int(level), bytes.fromhex(blob))

    def entries(self, key, height=None):
        reader = Reader(self.blob(key))
        need(reader.byte() == ord('T'), 'not a tree')
        found = reader.byte()
        need(found <= 8 and height in (None, found), 'a tree of another height than its list says')
        for _ in range(reader.number()):
            if not found: yield reader.entry()
            elif reader.text() is not None: yield from self.entries(reader.take(32), found - 1)

def extract(store, record, destination):
    mode, user, group, seconds, nanoseconds = (int(word, 8 if i == 0 else 10) for i, word in enumerate(record['root']))
    root = dict(kind=2, mode=mode, user=user, group=group, time=seconds * 10**9 + nanoseconds,
                id=bytes.fromhex(record['tree'][0]), attributes=record['attributes'])
    os.mkdir(destination, 0o700)
    folders, files = [(destination, root)], set()
    for path, folder in folders:  # the loop adds to `folders`
        last = b''
        for entry in store.entries(folder['id']):
            need(last < entry['name'], 'a tree is not sorted')
            last = entry['name']
            make(store, os.path.join(path, last), entry)
            if entry['kind'] == 2: folders.append((os.path.join(path, last), entry))
            else: files.add(os.path.join(path, last))
    table, path = Reader(b''.join(store.value(record, 'links')) or b'H\0'), b''
    need(table.byte() == ord('H'), 'not a table of links')
    for _ in range(table.number()):
        names = []
        for _ in range(table.number()):
            path = path[:table.number()] + table.text()
            names.append(os.path.join(destination, path))
        names = [name for name in names if name in files]  # touches only files that were made here
        for name in names[1:]:
            os.unlink(name)
            os.link(names[0], name, follow_symlinks=False)
    for path, folder in reversed(folders): finish(path, folder)
    for line in b''.join(store.value(record, 'unrecorded')).splitlines():
        print('not in the snapshot:', show(b': '.join(map(unquote, line.split(b' ')[1:]))), file=sys.stderr)

def make(store, path, entry):
    if entry['kind'] == 2: return os.mkdir(path, 0o700)
    if entry['kind'] == 1:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), 'wb') as file:
            file.truncate(entry['size'])
            for piece in store.pieces(entry['size'], entry['level'], entry.get('id')):
                if isinstance(piece, int): file.seek(piece, 1)
                else: file.write(piece)
    elif entry['kind'] == 3: os.symlink(entry['target'], path)
    elif entry['kind'] == 4: os.mkfifo(path, 0o600)
    else:
        try: os.mknod(path, 0o600 | {5: stat.S_IFCHR, 6: stat.S_IFBLK}[entry['kind']], entry['device'])
        except PermissionError as error: return print(f'not made: {error}', file=sys.stderr)
    finish(path, entry)

def finish(path, entry):
    mode = entry['mode']
    try: os.lchown(path, entry['user'], entry['group'])
    except OSError: mode &= 0o1777  # with another owner, setuid would give away rights
    for name, value in entry['attributes'] if hasattr(os, 'setxattr') else []:
        try: os.setxattr(path, name, value, follow_symlinks=False)
        except OSError as error: print(f'attribute {name!r}: {error}', file=sys.stderr)
    if entry['kind'] != 3: os.chmod(path, mode)
    os.utime(path, ns=(entry['time'], entry['time']), follow_symlinks=False)

@functools.lru_cache(maxsize=None)
def aes_tables():  # the S-box, and the four tables that a round looks into
    power, log, value = [0] * 255, [0] * 256, 1
    for i in range(255):  # powers of 3
        power[i], log[value] = value, i
        value ^= value << 1 ^ (0x11b if value & 128 else 0)
    box, tables = [], [[], [], [], []]
    for i in range(256):
        x = power[-log[i] % 255] if i else 0
        x = (x ^ x << 1 ^ x << 2 ^ x << 3 ^ x << 4) & 0xfff
        box.append((x ^ x >> 8 ^ 0x63) & 255)
        twice = box[i] << 1 ^ (0x11b if box[i] & 128 else 0)
        word = twice << 24 | box[i] << 16 | box[i] << 8 | twice ^ box[i]
        for table in range(4): tables[table].append((word >> 8 * table | word << 32 - 8 * table) & 0xffffffff)
    return box, tables

class PlainGCM:  # AES-256-GCM without any module, with the interface of cryptography's AESGCM
    def __init__(self, key):
        box = aes_tables()[0]
        self.words, factor = list(struct.unpack('>8I', key)), 1
        for i in range(8, 60):
            word = self.words[-1]
            if i % 8 == 0: word = (word << 8 | word >> 24) & 0xffffffff
            if i % 4 == 0: word = int.from_bytes(bytes(box[b] for b in word.to_bytes(4, 'big')), 'big')
            if i % 8 == 0: word, factor = word ^ factor << 24, factor << 1
            self.words.append(self.words[i - 8] ^ word)
        product, bits = int.from_bytes(self.block(bytes(16)), 'big'), []
        for _ in range(128):
            bits.append(product)
            product = product >> 1 ^ (0xe1 << 120 if product & 1 else 0)
        self.products = [[0] for _ in range(16)]
        for i, table in enumerate(self.products):
            for bit in range(7, -1, -1): table += [entry ^ bits[8 * i + bit] for entry in table]

    def block(self, data):
        box, (t0, t1, t2, t3) = aes_tables()
        k = self.words
        a, b, c, d = (x ^ y for x, y in zip(struct.unpack('>4I', data), k))
        for i in range(4, 56, 4):
            a, b, c, d = (
                t0[a >> 24] ^ t1[b >> 16 & 255] ^ t2[c >> 8 & 255] ^ t3[d & 255] ^ k[i],
                t0[b >> 24] ^ t1[c >> 16 & 255] ^ t2[d >> 8 & 255] ^ t3[a & 255] ^ k[i + 1],
                t0[c >> 24] ^ t1[d >> 16 & 255] ^ t2[a >> 8 & 255] ^ t3[b & 255] ^ k[i + 2],
                t0[d >> 24] ^ t1[a >> 16 & 255] ^ t2[b >> 8 & 255] ^ t3[c & 255] ^ k[i + 3])
        w = (a, b, c, d)
        return struct.pack('>4I', *(k[56 + i] ^ (
            box[w[i] >> 24] << 24 | box[w[(i + 1) % 4] >> 16 & 255] << 16 | box[w[(i + 2) % 4] >> 8 & 255] << 8
            | box[w[(i + 3) % 4] & 255]) for i in range(4)))

    def decrypt(self, nonce, data, context):
        data, tag, hashed = data[:-16], data[-16:], 0
        for part in (context, data, struct.pack('>2Q', 8 * len(context), 8 * len(data))):
            for i in range(0, len(part), 16):
                block = (hashed ^ int.from_bytes(part[i:i + 16].ljust(16, b'\0'), 'big')).to_bytes(16, 'big')
                hashed = 0
                for table, byte in zip(self.products, block): hashed ^= table[byte]
        mask = int.from_bytes(self.block(nonce + b'\0\0\0\1'), 'big')
        if not hmac.compare_digest((hashed ^ mask).to_bytes(16, 'big'), tag): raise ValueError('changed')
        stream = b''.join(self.block(nonce + struct.pack('>I', i + 2)) for i in range((len(data) + 15) // 16))
        return (int.from_bytes(data, 'big') ^ int.from_bytes(stream[:len(data)], 'big')).to_bytes(len(data), 'big')

def decrypt(key, nonce, data, context, what):
    try: from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError: AESGCM = PlainGCM
    try:
        need(len(data) >= 16, 'cut')
        return AESGCM(key).decrypt(nonce, data, context)
    except Exception: raise ValueError(f'{what} was changed, or the key is another') from None

def derive(key, salt, label):  # HKDF-SHA256, 32 bytes
    return hmac.digest(hmac.digest(salt or bytes(32), key, 'sha256'), label + b'\1', 'sha256')

def recovery(text):  # the bytes of a recovery key, None if it is none
    letters = b'0123456789ABCDEFGHJKMNPQRSTVWXYZ'
    text = text.upper().translate(bytes.maketrans(b'OIL', b'011'), b' \t\r\n-')
    if len(text) != 56 or set(text) - set(letters): return None
    value = functools.reduce(lambda value, letter: value << 5 | letters.index(letter), text, 0)
    key = (value >> 24).to_bytes(32, 'big')
    return key if value & 0xffffff == int.from_bytes(hashlib.sha256(key).digest()[:3], 'big') >> 4 else None

def padded(size):
    if size < 2: return size
    mask = (1 << size.bit_length() - 1 - (size.bit_length() - 1).bit_length()) - 1
    return (size + mask) & ~mask

class Sealed:
    def __init__(self, slots, secret):  # slots: the contents of the objects keys/...
        self.master = next(filter(None, (self.slot(text, secret) for text in slots)), None)
        need(self.master, 'no key slot is opened by this secret')
        self.names = derive(self.master, b'', b'memento names 1')
        self.objects = derive(self.master, b'', b'memento objects 1')

    def slot(self, text, secret):
        if not text.startswith(b'memento key 1\n'): return None
        context, last, key = text.rpartition(b'\nkey ')
        words = dict(line.split(b' ', 1) for line in context.split(b'\n'))
        salt = bytes.fromhex(words[b'salt'].decode())
        if words[b'kind'] == b'passphrase':
            n, r, p = map(int, words[b'scrypt'].split())
            need(128 * n * r <= 256 << 20 and n * r * p <= 1 << 23, 'a key slot asks for too much work')
            secret = secret[:-1] if secret.endswith(b'\n') else secret
            secret = hashlib.scrypt(secret, salt=salt, n=n, r=r, p=p, maxmem=1 << 30, dklen=32)
        elif words[b'kind'] == b'recovery': secret = recovery(secret)
        if not secret: return None
        try: return decrypt(derive(secret, salt, b'memento slot 1'), bytes(12), bytes.fromhex(key.decode()),
                            context + b'\n', 'the slot')
        except ValueError: return None

    def name(self, stored):  # what the object is called that is stored under this name
        parts = stored.split('/')
        if not re.fullmatch('[0-9a-f]{96}', parts[-1]): return stored
        last = bytes.fromhex(parts.pop())
        shelf = len(parts) > 1 and re.fullmatch('[0-9a-f]{2}', parts[-1]) and parts.pop()
        code = lambda purpose, data: hmac.digest(
            self.names, purpose + '/'.join(parts).encode() + b'\0' + data, 'sha256')
        key = bytes(a ^ b for a, b in zip(last[16:], code(b'\1', last[:16])))
        need(code(b'\0', key)[:16] == last[:16] and (not shelf or shelf == last[:1].hex()),
             f'{stored} is no object of this repository')
        return '/'.join(parts + ([key[:1].hex()] if shelf else []) + [key.hex()])

    def open(self, stored, data):
        need(data[:16] == b'memento sealed 1' and len(data) >= 88, f'{stored} is not a sealed object')
        key = derive(self.objects, data[16:48], data[:16])
        part = lambda number, flag, piece: decrypt(
            key, struct.pack('<QB3x', number, flag), piece, stored.encode(), stored)
        size = struct.unpack('<Q', part(0, 2, data[48:72]))[0]
        count = max(1, -(-padded(size) // 65536))
        need(len(data) == 72 + padded(size) + 16 * count, f'{stored} is too short or too long')
        return b''.join(part(i, i == count - 1, data[72 + i * 65552:72 + (i + 1) * 65552]) for i in range(count))[:size]

def unseal(remote, secret, destination):
    read = lambda *path: open(os.path.join(*path), 'rb').read()
    keys = os.path.join(remote, 'keys')
    sealed = Sealed([read(keys, name) for name in sorted(os.listdir(keys))], read(secret))
    os.mkdir(destination, 0o700)
    for folder, _, files in sorted(os.walk(remote)):
        for stored in sorted(os.path.relpath(os.path.join(folder, file), remote) for file in files):
            part = '[a-z0-9-][a-z0-9.-]*'
            if stored.startswith('keys/') or not re.fullmatch(f'{part}(/{part})*', stored): continue
            data = read(remote, stored)
            if stored.startswith('format/'): name, data = stored, data.replace(b'contents sealed', b'contents plain')
            else: name, data = sealed.name(stored), sealed.open(stored, data)
            os.makedirs(os.path.dirname(os.path.join(destination, name)), 0o700, exist_ok=True)
            with open(os.path.join(destination, name), 'xb') as file: file.write(data)

def main(words):
    if len(words) < 2 or [words[1], len(words)] not in (['list', 2], ['extract', 4], ['unseal', 4]): sys.exit(__doc__)
    if words[1] == 'unseal': return unseal(words[0], words[2], words[3])
    store = Store(words[0])
    if words[1] == 'list':
        for name in sorted(store.states):
            record = store.snapshot(name)
            print(record['id'].hex(), record['time'][0], record['files'][0], record['bytes'][0], show(name), sep='\t')
        return
    record, destination = store.snapshot(words[2]), os.fsencode(words[3])
    if 'tree' in record: return extract(store, record, destination)
    with os.fdopen(1, 'wb') if destination == b'-' else open(destination, 'xb') as file:
        for piece in store.value(record, 'value'): file.write(piece)

if __name__ == '__main__':
    try: main(sys.argv[1:])
    except (OSError, ValueError, KeyError, struct.error) as error: sys.exit(f'memento-read: {error}')
