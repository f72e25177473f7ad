#!/usr/bin/env python3
"""A helper for remotes of memento that keeps objects in memory: the smallest whole example of docs/remote-helpers.md."""
import struct
import sys
import time

objects = {}  # name -> (content, time)
source, target = sys.stdin.buffer, sys.stdout.buffer
LIST, SIZE, READ, PUT, REMOVE, CONTENT, ABANDON = range(1, 8)
WANT, DATA, OBJECTS, DONE, ERROR = range(65, 70)


def receive():
    header = source.read(9)
    if len(header) < 9:
        sys.exit(0)
    length, number, kind = struct.unpack('>IIB', header)
    return number, kind, source.read(length)


def send(number, kind, payload=b''):
    target.write(struct.pack('>IIB', len(payload), number, kind) + payload)
    target.flush()


def moment(seconds):
    return struct.pack('>qI', int(seconds), int(seconds % 1 * 1e9))


def wanted(number, size):
    """The content of a put; None when the other side cannot read it."""
    content = b''
    while len(content) < size:
        send(number, WANT, struct.pack('>QI', len(content), min(size - len(content), 1 << 20)))
        end = min(size, len(content) + (1 << 20))
        while len(content) < end:
            _, kind, payload = receive()
            if kind == ABANDON:
                return None
            content += payload[8:]
    return content


target.write(b'memento-objects 1 requests=1\n')
target.flush()
source.readline()
while True:
    number, kind, payload = receive()
    if kind == LIST:
        length, = struct.unpack_from('>H', payload)
        prefix = payload[2:2 + length]
        for name in sorted(name for name in objects if name.startswith(prefix)):
            content, put = objects[name]
            send(number, OBJECTS, bytes([len(name)]) + name + struct.pack('>Q', len(content)) + moment(put))
        send(number, DONE, moment(time.time()) + b'\0')
    elif kind == PUT:
        size, only_if_absent = struct.unpack_from('>QB', payload)
        name = payload[9:]
        if only_if_absent and name in objects:
            send(number, DONE, b'\1')
            continue
        content = wanted(number, size)
        if content is None:
            send(number, ERROR, b'\x0bthe content cannot be read')
        else:
            objects[name] = content, time.time()
            send(number, DONE, b'\0')
    elif kind == REMOVE:
        objects.pop(payload, None)
        send(number, DONE)
    elif kind in (SIZE, READ):
        name = payload[12:] if kind == READ else payload
        if name not in objects:
            send(number, ERROR, b'\x01there is no object ' + name)
        elif kind == SIZE:
            send(number, DONE, struct.pack('>Q', len(objects[name][0])))
        else:
            offset, count = struct.unpack_from('>QI', payload)
            data = objects[name][0][offset:offset + count]
            for start in range(0, len(data), 1 << 20):
                send(number, DATA, data[start:start + (1 << 20)])
            send(number, DONE, struct.pack('>I', len(data)))
