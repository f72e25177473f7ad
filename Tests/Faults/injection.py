"""Runs a command line with one failing system call, through strace.

strace counts the calls of each thread separately. So the program is bound to one processor, where it works with one
thread, and a call is identified by its name and its number. --seccomp-bpf is not used, because it loses injections."""

import os
import re
import subprocess
from collections import Counter, namedtuple

from errnos import ERRNOS, ONCE_ONLY

# `number`: the call of this name that fails, counted from 1. `lasting`: whether all later calls of this name fail too.
Fault = namedtuple("Fault", "call number error lasting")
Outcome = namedtuple("Outcome", "status output errors")

_CALLS = ",".join("?" + name for name in ERRNOS)
_TIMEOUT = 60


def run(arguments, folder, processor=0):
    """Runs a command line without a fault."""
    return _outcome(["taskset", "-c", str(processor), *arguments], folder)


def fail(fault, arguments, folder, processor=0):
    when = f"{fault.number}+" if fault.lasting else f"{fault.number}"
    inject = f"inject=?{fault.call}:error={fault.error}:when={when}"
    return _outcome(
        ["taskset", "-c", str(processor), "strace", "-qq", "-o", "/dev/null", "-e", f"trace=?{fault.call}",
         "-e", inject, *arguments], folder)


def _outcome(arguments, folder):
    try:
        done = subprocess.run(
            arguments, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT,
            env={**os.environ, "LC_ALL": "C", "TZ": "UTC"})
    except subprocess.TimeoutExpired:
        return Outcome("timeout", "", f"it did not end within {_TIMEOUT} seconds")
    return Outcome(done.returncode, _text(done.stdout), _text(done.stderr))


def _text(data):
    return data.decode("utf-8", "backslashreplace")


def count(arguments, folder, log):
    """Runs a command line and counts how often it makes each call. Returns its status and the counts. `log` is a
    file that strace may write."""
    done = subprocess.run(
        ["taskset", "-c", "0", "strace", "-qq", "-o", log, "-e", f"trace={_CALLS}", *arguments],
        cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT)
    with open(log, errors="replace") as lines:
        calls = Counter(match[1] for match in map(re.compile(r"(\w+)\(").match, lines) if match)
    return done.returncode, calls


def faults(calls, before):
    """All faults of a run that makes `calls`. The calls in `before` are left out: any program makes them at its
    start."""
    for call in sorted(calls):
        for number in range(before.get(call, 0) + 1, calls[call] + 1):
            for error in ERRNOS[call]:
                yield Fault(call, number, error, False)
                if error not in ONCE_ONLY:
                    yield Fault(call, number, error, True)
