"""A disk that records every write and every flush, in order.

It is one regular file in a FUSE file system, which a thread of this process serves from memory. A loop device turns
the file into a disk. The code speaks the protocol of /dev/fuse directly (linux/fuse.h), so that nothing has to be
installed."""

import ctypes
import errno
import os
import struct
import threading

FLUSH = None
MAXIMUM_WRITE = 1 << 20

_GETATTR, _SETATTR, _OPEN, _READ, _WRITE, _RELEASE, _FSYNC = 3, 4, 14, 15, 16, 18, 20
_FLUSH, _INIT, _FORGET, _BATCH_FORGET, _INTERRUPT, _DESTROY = 25, 26, 2, 42, 36, 38
_WITHOUT_REPLY = (_FORGET, _BATCH_FORGET, _INTERRUPT)
_IN_HEADER = struct.Struct("<IIQQIIIHH")
_OUT_HEADER = struct.Struct("<IiQ")
_BIG_WRITES, _MAX_PAGES = 1 << 5, 1 << 22

_libc = ctypes.CDLL(None, use_errno=True)


def _mount(source, target, kind, options):
    if _libc.mount(source.encode(), target.encode(), kind.encode(), 0, options.encode()) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), target)


class LoggedDisk:
    """The disk at `path`, with `image` as its first content.

    `log` has a pair (offset, bytes) for each write, and FLUSH for each flush, in the order in which they were
    finished."""

    def __init__(self, path, image):
        self.path = path
        self.image = bytearray(image)
        self.log = []
        self.device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        open(path, "w").close()
        options = f"fd={self.device},rootmode=100600,user_id=0,group_id=0"
        self.thread = threading.Thread(target=self._serve, daemon=True)
        _mount("logged-disk", path, "fuse", options)
        self.thread.start()

    def close(self):
        _libc.umount2(self.path.encode(), 0)
        os.close(self.device)

    def _serve(self):
        while True:
            try:
                request = os.read(self.device, MAXIMUM_WRITE + 4096)
            except OSError as error:
                if error.errno in (errno.EINTR, errno.ENOENT, errno.EAGAIN):
                    continue
                return  # unmounted
            _, operation, unique, *_ = _IN_HEADER.unpack_from(request)
            if operation in _WITHOUT_REPLY:
                continue
            status, reply = self._answer(operation, request[_IN_HEADER.size:])
            try:
                os.write(self.device, _OUT_HEADER.pack(_OUT_HEADER.size + len(reply), status, unique) + reply)
            except OSError:
                if operation != _DESTROY:
                    continue
            if operation == _DESTROY:
                return

    def _answer(self, operation, body):
        if operation == _INIT:
            _, minor, readahead, _ = struct.unpack_from("<IIII", body)
            pages = MAXIMUM_WRITE // 4096
            return 0, struct.pack("<IIIIHHIIHH", 7, min(minor, 31), readahead, _BIG_WRITES | _MAX_PAGES, 16, 12,
                                  MAXIMUM_WRITE, 1, pages, 0) + bytes(32)
        if operation in (_GETATTR, _SETATTR):
            size = len(self.image)
            return 0, struct.pack("<QII", 3600, 0, 0) + struct.pack(
                "<QQQQQQIIIIIIIIII", 1, size, size // 512, 0, 0, 0, 0, 0, 0, 0o100600, 1, 0, 0, 0, 4096, 0)
        if operation == _OPEN:
            return 0, struct.pack("<QII", 1, 0, 0)
        if operation == _READ:
            _, offset, size = struct.unpack_from("<QQI", body)
            return 0, bytes(self.image[offset:offset + size])
        if operation == _WRITE:
            _, offset, size = struct.unpack_from("<QQI", body)
            data = body[40:40 + size]
            self.image[offset:offset + size] = data
            self.log.append((offset, data))
            return 0, struct.pack("<II", size, 0)
        if operation == _FSYNC:
            self.log.append(FLUSH)
            return 0, b""
        if operation in (_FLUSH, _RELEASE, _DESTROY):
            return 0, b""
        return -errno.ENOSYS, b""
