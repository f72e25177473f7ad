"""What happens on the disk before the power cut: a folder is edited, saved, restored and cleaned up. At each step
the position in the disk's log and the true content of everything are recorded."""

import base64
import os
import subprocess
import time
from dataclasses import dataclass, field

from folder_record import record


@dataclass
class Act:
    """Edits, and one command after them."""

    name: str
    edits: str
    command: list
    input: bytes = b""
    # False: the edits are not flushed. Then the edited files may be lost, but not the state that was saved.
    flushes_edits: bool = True
    # False: the next act begins before the kernel has written anything back by itself.
    is_followed_by_a_pause: bool = True
    # Whether the command changes the folder.
    moves: bool = False
    # The name that the command saves. It stands for the folder as it is then, or for the value that the command reads.
    saves: str = None
    deletes: list = field(default_factory=list)
    # Whether a pack is damaged before, and the command repairs the store. Until it is done, another repair must work.
    mends: bool = False
    # False: the command has --no-sync. What it saves may be lost until a command that flushes is acknowledged.
    is_durable: bool = True
    # Whether enough states are saved before it that the command writes a new list of states.
    fills: bool = False
    # The path that the command takes out of all states.
    purges: str = None
    # Bytes that no file of the store has any longer when the command is done.
    removes: bytes = None

    @property
    def always_flushes(self):
        """Whether the command has no --no-sync."""
        return self.mends or self.purges is not None


@dataclass
class Step:
    """The record of an act: the length of the log when the command began, when the command had reported success, and
    when the kernel had written everything back by itself."""

    act: Act
    begin: int
    acknowledged: int
    end: int
    before: dict
    after: dict
    states_before: dict
    states_after: dict
    # The names that only commands with --no-sync have changed since the last command that flushes, each with all
    # contents it had: when this command begins, and when it is done.
    loose_before: dict
    loose_after: dict


FIRST_FILES = """
mkdir -p d/e gone/deep kind2 closed; head -c 150000 /dev/zero | tr '\\0' x > big; seq 9000 > numbers
echo a > a; echo b > d/b; echo c > d/e/c; echo f > gone/deep/f; echo file > kind; echo in > kind2/in; ln -s a l
ln numbers hard; echo mode > mode; echo r > closed/r; chmod 555 closed; touch -d 2001-02-03T04:05:06 d/b d
setfattr -n user.note -v text a
"""
CHANGES = """
echo changed > a; echo x >> big; rm d/b; rm -r gone; mkdir -p new/dir; echo n > new/dir/n; rm kind; mkdir kind
echo k > kind/k; rm -r kind2; ln -s big kind2; ln -sf mode l; chmod 600 mode; seq 8000 > numbers; chmod 755 closed
rm closed/r; touch -d 2002-02-02 d/e; head -c 60000 /dev/urandom > noise
"""
# Edits in place that keep the size: the journal of ext4 keeps the order of a file's time, but not of its content.
IN_PLACE = """
printf 'other' | dd of=numbers conv=notrunc bs=1 seek=4000 status=none
head -c 60000 /dev/urandom | dd of=noise conv=notrunc status=none; seq 5000 > fresh; echo more >> big; echo again > a
"""

# Damages the table of contents of the largest pack. The index still has what the pack contains.
DAMAGE = """
pack=$(ls -S .memento/packs/*.pack | head -n 1)
printf 'XX' | dd of="$pack" bs=1 seek=$(($(stat -c %s "$pack") - 80)) conv=notrunc status=none
"""

ACTS = [
    Act("first save", FIRST_FILES, ["save", "one"], saves="one"),
    Act("save", CHANGES, ["save", "two"], saves="two"),
    Act("save of unflushed files", IN_PLACE, ["save", "three"], flushes_edits=False, is_followed_by_a_pause=False,
        saves="three"),
    Act("value after unflushed files", "", ["save", "u", "--stdin"], b"value", flushes_edits=False, saves="u"),
    Act("save that moves a name", "seq 100 > a", ["save", "two"], saves="two"),
    Act("restore", "echo precious > a; echo extra > d/extra; rm -r new", ["restore", "one"], moves=True),
    Act("undo", "", ["undo"], moves=True),
    Act("redo", "", ["redo"], moves=True),
    Act("restore of a part", "rm -r d; echo b2 > big", ["restore", "three", "d", "noise"], moves=True),
    Act("value", "", ["save", "v", "--stdin"], bytes(range(256)) * 500, saves="v"),
    Act("value that shares", "", ["save", "w", "--stdin"], bytes(range(256)) * 100 + os.urandom(90000), saves="w"),
    Act("delete", "", ["delete", "v", "three"], deletes=["v", "three"]),
    Act("gc", "", ["gc", "--now"]),
    Act("save after gc", "echo last > a; mkdir -p x/y; seq 300 > x/y/z", ["save", "last"], saves="last"),
    Act("repair", DAMAGE, ["verify", "--repair"], mends=True),
    Act("save that begins a list", "echo more > a", ["save", "more"], saves="more", fills=True),
    Act("save that changes a list", "echo most > a", ["save", "most"], saves="most"),
    Act("delete that replaces a list", "", ["delete", "u"], deletes=["u"], fills=True),
    Act("value that replaces a list", "", ["save", "x", "--stdin"], b"x" * 5000, saves="x", fills=True),
]
# What is purged does not get smaller by compression, so that it is found in a pack.
SECRET_FILE, SECRET_VALUE, LOOSE_SECRET = (os.urandom(20000) for _ in range(3))


def writing(content, path):
    """A line of a shell that writes the file."""
    return f"base64 -d > {path} <<< {base64.b64encode(content).decode()}"


ACTS += [
    Act("save of what is purged", "mkdir vault; echo beside > vault/beside; " + writing(SECRET_FILE, "vault/secret"),
        ["save", "with secret"], saves="with secret"),
    Act("save after what is purged", "echo later > a; rm vault/beside", ["save", "still with secret"],
        saves="still with secret"),
    Act("purge", "rm vault/secret", ["purge", "--yes", "vault/secret"], purges="vault/secret", removes=SECRET_FILE),
    Act("value that is purged", "", ["save", "secret value", "--stdin"], SECRET_VALUE, saves="secret value"),
    Act("delete --purge", "", ["delete", "--purge", "secret value"], deletes=["secret value"], removes=SECRET_VALUE),
    Act("save after a purge", "echo purged > a", ["save", "after the purge"], saves="after the purge"),
]
# Each of these commands that flushes depends on what the command before it has stored without a flush.
LOOSE_VALUE = os.urandom(120000)
UNFLUSHED = [
    Act("save before unflushed ones", "seq 4000 > a; mkdir -p d; echo b > d/b", ["save", "firm"], saves="firm"),
    Act("unflushed value", "", ["save", "loose", "--stdin"], LOOSE_VALUE, saves="loose", is_durable=False,
        is_followed_by_a_pause=False),
    Act("value that relies on an unflushed one", "", ["save", "same", "--stdin"], LOOSE_VALUE, flushes_edits=False,
        saves="same"),
    Act("unflushed save", "head -c 90000 /dev/urandom > noise; seq 700 > d/seq", ["save", "loose folder"],
        saves="loose folder", is_durable=False, is_followed_by_a_pause=False),
    Act("unflushed save that moves a name", "", ["save", "firm"], flushes_edits=False, saves="firm", is_durable=False,
        is_followed_by_a_pause=False),
    Act("save that relies on unflushed ones", "", ["save", "same folder"], flushes_edits=False, saves="same folder"),
    Act("unflushed delete", "", ["delete", "loose"], deletes=["loose"], is_durable=False, is_followed_by_a_pause=False),
    Act("gc after unflushed ones", "", ["gc", "--now"], flushes_edits=False),
    Act("unflushed value before a rename", "", ["save", "old", "--stdin"], LOOSE_VALUE[5:], saves="old",
        is_durable=False, is_followed_by_a_pause=False),
    Act("delete after an unflushed value", "", ["delete", "same folder"], flushes_edits=False, deletes=["same folder"]),
]
ACTS += UNFLUSHED
# The largest number of changes that `refs` has besides a list of states, and of states that it has without a list.
LONGEST_CHANGES = 512


def files_with(content, folder):
    """The files of the store of a folder that have a part of the content, as it is in a pack."""
    part = content[len(content) // 2:][:64]
    found = []
    for above, _, names in os.walk(os.path.join(folder, ".memento")):
        for path in sorted(os.path.join(above, name) for name in names):
            with open(path, "rb") as file:
                if part in file.read():
                    found.append(os.path.relpath(path, folder))
    return found


class History:
    """Runs acts in `folder` on a logged disk. `memento` is the command line of the program, `options` are added to
    each command, and `filler` is the program that saves many values at once."""

    def __init__(self, disk, folder, memento, filler, options):
        self.disk = disk
        self.filler = filler
        self.folder = folder
        self.memento = memento
        self.options = ["-q", *options]
        self.states = {}
        self.loose = {}
        self.has_list = False
        self.changed = set()
        os.mkdir(folder)
        self._sync()

    def run(self, act):
        if act.fills:
            self._fill(act.name)
        subprocess.run(["bash", "-ec", act.edits], cwd=self.folder, check=True)
        if act.flushes_edits:
            self._sync()
        else:
            time.sleep(0.02)  # one tick of the coarsest clock
        if act.removes and not files_with(act.removes, self.folder):
            raise AssertionError(f"{act.name}: what is to be removed is not found in the store")
        before, states_before, loose_before = record(self.folder), dict(self.states), dict(self.loose)
        begin = len(self.disk.log)
        options = self.options[:1] if act.always_flushes else self.options
        if not act.is_durable and "--no-sync" not in options:
            options = options + ["--no-sync"]
        subprocess.run(self.memento + act.command + options, cwd=self.folder, input=act.input, check=True,
                       stdout=subprocess.DEVNULL)
        acknowledged = len(self.disk.log)
        after = record(self.folder)
        if act.saves:
            self.states[act.saves] = act.input or after
            self.changed.add(act.saves)
        for name in act.deletes:
            del self.states[name]
            self.changed.add(name)
        if act.purges:
            for name, state in self.states.items():
                if isinstance(state, dict):
                    self.states[name] = {path: entry for path, entry in state.items() if path != act.purges.encode()}
        if act.is_durable:
            self.loose = {}
        else:
            for name in [act.saves] * bool(act.saves) + act.deletes:
                meanings = [states[name] for states in (states_before, self.states) if name in states]
                self.loose[name] = self.loose.get(name, []) + meanings
        if act.fills:
            self.has_list, self.changed = True, set()
        if act.is_followed_by_a_pause:
            self._sync()
        return Step(act, begin, acknowledged, len(self.disk.log), before, after, states_before, dict(self.states),
                    loose_before, dict(self.loose))

    def _fill(self, name):
        count = LONGEST_CHANGES - len(self.changed if self.has_list else self.states)
        subprocess.run([self.filler, self.folder, "fill", name, str(count)], check=True)
        self.states.update((f"{name} {number}", f"{name} {number}".encode()) for number in range(count))

    def _sync(self):
        subprocess.run(["sync", "--file-system", os.path.dirname(self.folder)], check=True)
