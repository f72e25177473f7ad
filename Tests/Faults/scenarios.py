"""The commands that are tried, and the folders in which they are tried."""

import os
import subprocess
from collections import namedtuple

FIRST = r"""
mkdir -p d/e gone/deep kind2 closed; head -c 70000 /dev/zero | tr '\0' 'x' > big; seq 3000 > numbers
echo a > a; echo b > d/b; echo c > d/e/c; echo f > gone/deep/f; echo file > kind; echo in > kind2/in; ln -s a l
ln numbers hard; echo mode > mode; mkfifo pipe; setfattr -n user.note -v text a 2>/dev/null; true
touch -d 2001-02-03T04:05:06.789 d/b d
"""
SECOND = r"""
echo changed > a; echo x >> big; rm d/b; rm -r gone; mkdir -p new/dir; echo n > new/dir/n; rm kind; mkdir kind
echo k > kind/k; rm -r kind2; ln -s big kind2; ln -sf mode l; chmod 600 mode; seq 2500 > numbers; touch -d 2002-02-02 d/e
"""
THIRD = "echo third > third; echo again > a; rm new/dir/n; chmod 644 mode"

# `folder`: the folder in which it is tried. `prepare`: a script that runs in each copy of it. `moves`: whether the
# command may change the folder.
Scenario = namedtuple("Scenario", "name folder arguments prepare moves")


def _scenario(name, folder, *arguments, prepare="", moves=False):
    return Scenario(name, folder, list(arguments), prepare, moves)


SCENARIOS = [
    _scenario("init", "new", "init"),
    _scenario("first-save", "new", "save", "first"),
    _scenario("save", "changed", "save", "next"),
    _scenario("save-over", "changed", "save", "one"),
    _scenario("save-again", "changed", "save", "again", prepare="memento save warm -q"),
    _scenario("restore", "changed", "restore", "one", moves=True),
    _scenario("restore-path", "changed", "restore", "one", "d", "kind", moves=True),
    _scenario("restore-to", "changed", "restore", "one", "--to", "../OUT"),
    _scenario("undo", "changed", "undo", moves=True),
    _scenario("redo", "undone", "redo", moves=True),
    _scenario("continue", "pending", "restore", "--continue", moves=True),
    _scenario("abort", "pending", "restore", "--abort", moves=True),
    _scenario("delete", "changed", "delete", "one"),
    _scenario("rename", "changed", "rename", "one", "uno"),
    _scenario("gc", "garbage", "gc"),
    _scenario("purge", "changed", "purge", "-y", "gone"),
    _scenario("verify", "changed", "verify", "--read-data"),
    _scenario("repair", "changed", "verify", "--repair", prepare="rm .memento/index/*"),
    _scenario("run", "changed", "run", "--", "sh", "-c", "echo x > made; touch -d 2003-03-03 made", moves=True),
    _scenario("list", "changed", "list"),
    _scenario("log", "changed", "log"),
    _scenario("log-all", "changed", "log", "--all"),
    _scenario("status", "changed", "status"),
    _scenario("diff", "changed", "diff"),
    _scenario("diff-two", "changed", "diff", "one", "two"),
    _scenario("show", "changed", "show", "one"),
    _scenario("cat", "changed", "cat", "one:numbers"),
    _scenario("ls", "changed", "ls", "-lR", "one"),
    _scenario("step-back", "changed", "show", "two~1", prepare="memento save two -q"),
]


class Folders:
    """Makes the folders, in `place`. Each trial runs in a copy of one of them."""

    def __init__(self, place, program):
        self.place = place
        self.program = program
        self._make("new", None, FIRST)
        self._make("saved", "new", "memento save one -q\n" + SECOND + "memento save two -q\n")
        self._make("changed", "saved", "memento save lost -q; memento delete lost -q\n" + THIRD)
        self._make("undone", "changed", "memento undo -q")
        self._make("garbage", "changed", "seq 9000 > more; memento save more -q; memento delete more -q; rm more")
        self._make(
            "pending", "changed",
            "strace -qq -o /dev/null -e inject=?renameat2:signal=KILL:when=3 taskset -c 0 \"$PROGRAM\" restore one -q || true")

    def _make(self, name, base, script):
        path = os.path.join(self.place, name)
        if base:
            subprocess.run(["cp", "-a", os.path.join(self.place, base), path], check=True)
        else:
            os.mkdir(path)
        self.script(script, path)

    def script(self, script, folder):
        subprocess.run(
            ["bash", "-ec", 'memento() { "$PROGRAM" "$@"; }\n' + script], cwd=folder, check=True,
            stdout=subprocess.DEVNULL, env={**os.environ, "PROGRAM": self.program, "LC_ALL": "C", "TZ": "UTC"})

    def copy(self, scenario, name):
        path = os.path.join(self.place, name)
        subprocess.run(["cp", "-a", os.path.join(self.place, scenario.folder), path], check=True)
        if scenario.prepare:
            self.script(scenario.prepare, path)
        return path
