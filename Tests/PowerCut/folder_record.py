"""Records a folder without memento, to compare it after a power cut."""

import hashlib
import os
import stat
from collections import namedtuple

# `content`: the SHA-256 of a file, or the target of a link. `links`: the first path of the same inode, if it has
# several.
Entry = namedtuple("Entry", "mode user group time size content links attributes")


def record(folder):
    """The entries of a folder by path, as bytes. `.memento` at its top is left out, and so is the folder itself,
    because making a store changes its time."""
    folder = os.fsencode(folder)
    entries, inodes, pending = {}, {}, [b""]
    while pending:
        above = pending.pop()
        for name in sorted(os.listdir(os.path.join(folder, above))):
            path = os.path.join(above, name)
            if path == b".memento":
                continue
            whole = os.path.join(folder, path)
            status = os.lstat(whole)
            content, links = None, None
            if stat.S_ISDIR(status.st_mode):
                pending.append(path)
            elif stat.S_ISREG(status.st_mode):
                with open(whole, "rb") as file:
                    content = hashlib.sha256(file.read()).hexdigest()
            elif stat.S_ISLNK(status.st_mode):
                content = os.readlink(whole)
            if not stat.S_ISDIR(status.st_mode) and status.st_nlink > 1:
                inodes.setdefault(status.st_ino, []).append(path)
            attributes = tuple(
                (name, os.getxattr(whole, name, follow_symlinks=False))
                for name in sorted(os.listxattr(whole, follow_symlinks=False)))
            size = 0 if stat.S_ISDIR(status.st_mode) else status.st_size
            entries[path] = Entry(
                status.st_mode, status.st_uid, status.st_gid, status.st_mtime_ns, size, content, links, attributes)
    for paths in inodes.values():
        for path in paths:
            entries[path] = entries[path]._replace(links=min(paths))
    return entries


def differences(found, expected):
    """The differences as text, one line for each path; empty when the folders are equal."""
    result = []
    for path in sorted(found.keys() | expected.keys()):
        here, there = found.get(path), expected.get(path)
        name = path.decode("utf-8", "backslashreplace")
        if here == there:
            continue
        if here is None or there is None:
            result.append(f"{name} is missing" if here is None else f"{name} is too many")
        else:
            fields = [f"{field} {a!r}, not {b!r}" for field, a, b in zip(Entry._fields, here, there) if a != b]
            result.append(f"{name}: {'; '.join(fields)}")
    return result


def is_file(entry):
    return not stat.S_ISDIR(entry.mode)
