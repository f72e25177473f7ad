"""What must hold after a power cut: nothing that was acknowledged is lost, nothing is half done, and everything
works again without a manual step. The expected content comes from a record of the folder, not from memento."""

import json
import os
import shutil
import subprocess

from folder_record import differences, is_file, record
from history import files_with

NO_SUCH_STATE = 12
DAMAGED = 13
RESTORE_PENDING = 14


class Checks:
    """All checks of one state of the disk. `mount()` mounts a fresh copy of it each time and returns the folder
    where it is mounted."""

    def __init__(self, program, step, is_acknowledged, mount):
        self.program = program
        self.step = step
        self.is_acknowledged = is_acknowledged
        # Names that may be lost, each with all contents that it may have.
        self.loose = step.loose_after if is_acknowledged else {**step.loose_before, **step.loose_after}
        if step.act.purges:
            for name, meanings in self.loose.items():
                self.loose[name] = meanings + [step.states_after[name]]
        self.mount = mount
        # Whether states were found as they are after the command, and as before it, where that is not the same.
        self.sides = set()
        self.failures = []
        self.is_hurt = False

    def run(self):
        self.disk = self.mount()
        self.folder = os.path.join(self.disk, "work")
        if self._has_no_store():
            return self.failures
        if self.loose and self._names_are_damaged():
            # The names were not flushed. The last list of names that was flushed is still there.
            run = self.memento("verify", "--repair", "-q")
            if self._names_are_damaged():
                self.fail(f"after the repair the names are still damaged: {text(run.stderr)}")
            if run.returncode not in (0, DAMAGED):
                self.fail(f"the repair ends with {run.returncode}: {text(run.stderr)}")
        if self.step.act.removes and self.is_acknowledged:
            self._removed()
        self._store_and_states()
        found = record(self.folder)
        if self.memento("save", "-n").returncode == RESTORE_PENDING:
            self._pending(found)
        else:
            self._settled(found)
        if self.step.act.removes and not self.is_acknowledged:
            self._remove_again()
        return self.failures

    def _removed(self):
        """What was removed for good is in no file of the store."""
        for path in files_with(self.step.act.removes, self.folder):
            self.fail(f"{path} still holds what was removed for good")

    def _remove_again(self):
        """After a cut the command is given again, as the manual says. It does the rest."""
        self.disk = self.mount()
        act = self.step.act
        # What was saved with --no-sync may be lost: then the path is not known, or a pack is damaged.
        for command in (act.command, ["purge", "--yes"]):
            run = self.memento(*command, "-q")
            accepted = (0, NO_SUCH_STATE) if command is act.command else (0,)
            if run.returncode not in accepted and not self.is_hurt:
                self.fail(f"memento {' '.join(command)}, again: {run.returncode} {text(run.stderr)}")
        if self.is_hurt:
            return
        self._removed()
        self.is_acknowledged, self.sides = True, set()
        self._store_and_states()

    def _names_are_damaged(self):
        """Whether the list of names cannot be read. If only single states cannot be read, they are listed."""
        run = self.memento("list", "-z")
        return run.returncode == DAMAGED and not run.stdout

    def memento(self, *arguments, **options):
        return subprocess.run([self.program, *arguments], cwd=self.folder, capture_output=True, **options)

    def fail(self, what):
        self.failures.append(what)

    def succeed(self, *arguments):
        run = self.memento(*arguments)
        if run.returncode != 0:
            self.fail(f"memento {' '.join(arguments)}: {run.returncode} {text(run.stderr)}{text(run.stdout)}")
        return run

    def _has_no_store(self):
        """Whether there is no store, which is allowed until the first save is acknowledged. If there is none, checks
        that the next save makes one."""
        if self.is_acknowledged or self.step.states_before or os.path.exists(self.folder + "/.memento/config"):
            return False
        self._next_save()
        return True

    def _store_and_states(self):
        if self.step.act.mends and not self.is_acknowledged:
            self.succeed("verify", "--repair", "-q")
        self._verify()
        run = self.memento("list", "-z")
        # The row of a state that was saved with --no-sync may say that it cannot be read.
        if run.returncode != 0 and not (self.loose and run.returncode == DAMAGED):
            self.fail(f"memento list -z: {run.returncode} {text(run.stderr)}")
        listed = run.stdout.split(b"\0")
        names = {os.fsdecode(line.split(b"\t")[1]) for line in listed if line}
        before, after = self.step.states_before, self.step.states_after
        expected = after.keys() if self.is_acknowledged else before.keys() & after.keys()
        for name in sorted(expected - names - self.loose.keys()):
            self.fail(f"the state {name} is lost")
        for name in sorted(names - before.keys() - after.keys() - self.loose.keys()):
            self.fail(f"the state {name} was never saved")
        if self.is_acknowledged:
            for name in sorted(names - after.keys() - self.loose.keys()):
                self.fail(f"the state {name} was deleted and is there again")
        for name in sorted(names & self.loose.keys()):
            self._state(name, self.loose[name], may_be_lost=True)
        names -= self.loose.keys()
        known = sorted(names & (before.keys() | after.keys()))
        filled = [name for name in known if name.endswith(tuple("0123456789"))]
        for name in sorted(set(known) - set(filled)) + filled[::200]:
            choices = [after[name]] if name in after else []
            if name in before and not (self.is_acknowledged and name in after):
                choices.append(before[name])
            self._state(name, choices)
        if self.step.act.purges and len(self.sides) > 1:
            self.fail("some states are as after the purge, and some as before it")

    def _verify(self):
        """Damage is allowed only after commands with --no-sync, and verify must name it."""
        if not self.loose:
            self.succeed("verify", "--read-data", "-q")
            return
        run = self.memento("verify", "--read-data", "--json")
        if run.returncode not in (0, DAMAGED) or not run.stdout:
            self.fail(f"verify ends with {run.returncode}: {text(run.stderr)}")
            return
        damage = json.loads(run.stdout)["damage"]
        firm = (self.step.states_before.keys() | self.step.states_after.keys()) - self.loose.keys()
        for hurt in sorted({name for item in damage for name in item["states"]} & firm):
            self.fail(f"the state {hurt} is hurt")
        self.is_hurt = bool(damage)

    def _state(self, name, choices, may_be_lost=False):
        if may_be_lost and self.memento("show", name, "--json").returncode == DAMAGED:
            return
        if isinstance(choices[0], bytes):
            run = self.memento("restore", name, "--stdout")
            if may_be_lost and run.returncode == DAMAGED:
                return
            if run.returncode != 0 or run.stdout not in choices:
                self.fail(f"the value {name} has other bytes: {run.returncode} {text(run.stderr)}")
            return
        if may_be_lost:
            target = os.path.join(self.disk, "extracted")
            status = self.memento("restore", name, "--to", target, "-q").returncode
            shutil.rmtree(target, ignore_errors=True)
            if status == DAMAGED:
                return
        found = self._extracted(name)
        if found not in choices:
            self.fail(f"the state {name} is another: {few(differences(found, choices[0]))}")
        elif self.step.states_before.get(name) != self.step.states_after.get(name):
            self.sides.add(found == self.step.states_after.get(name))

    def _extracted(self, name):
        target = os.path.join(self.disk, "extracted")
        self.succeed("restore", name, "--to", target, "-q")
        found = record(target) if os.path.isdir(target) else {}
        shutil.rmtree(target, ignore_errors=True)
        return found

    def _settled(self, found):
        before, after = self.step.before, self.step.after
        if self.step.act.moves:
            choices = [after] if self.is_acknowledged else [before, after]
        else:
            choices = [before]
        if self.step.act.flushes_edits and found not in choices:
            self.fail(f"the folder is another: {few(differences(found, choices[-1]))}")
        self._status(found)
        self._next_save()

    def _status(self, found):
        """The output of status must be true, although its cache was written before the power cut."""
        if self.is_hurt:
            return  # the snapshot at the position may be lost
        run = self.memento("status", "--exit-code", "-z")
        if not self.memento("log", "-n", "1").stdout:
            return
        at = self._extracted("@")
        listed = {record[2:] for record in run.stdout.split(b"\0") if record}
        expected = {path for path in found.keys() | at.keys() if is_changed_file(found.get(path), at.get(path))}
        if {path for path in listed if not is_folder(found.get(path), at.get(path))} != expected:
            self.fail(f"status lists {sorted(listed)}, not {sorted(expected)}")
        if run.returncode != (1 if listed else 0):
            self.fail(f"status ends with {run.returncode}: {text(run.stderr)}")

    def _next_save(self):
        found = record(self.folder)
        self.succeed("save", "next", "-q")
        left = os.listdir(self.folder + "/.memento/tmp")
        if left:
            self.fail(f"a save leaves in tmp/: {left}")
        saved = self._extracted("next")
        if saved != found:
            self.fail(f"the next save is wrong: {few(differences(saved, found))}")

    def _pending(self, found):
        if not self.step.act.moves or self.is_acknowledged:
            return self.fail("a restore is pending")
        before, after = self.step.before, self.step.after
        for path in sorted(before.keys() | after.keys() | found.keys()):
            sides = [side[path] for side in (before, after) if path in side and is_file(side[path])]
            entry = found.get(path)
            if entry is None and len(sides) == 2:
                self.fail(f"{text(path)} is gone while a restore is pending")
            if entry is not None and is_file(entry) and all(content(entry) != content(side) for side in sides):
                self.fail(f"{text(path)} is neither old nor new")
        for direction, expected in (("--continue", after), ("--abort", before)):
            if direction == "--abort":
                self.disk = self.mount()
            self.succeed("restore", direction, "-q")
            found = record(self.folder)
            if found != expected:
                self.fail(f"restore {direction}: {few(differences(found, expected))}")
            self._status(found)
            self._next_save()


def is_folder(here, there):
    return all(entry is None or not is_file(entry) for entry in (here, there))


def is_changed_file(here, there):
    """Whether status must list the path. status does not report changes of hard links."""
    if is_folder(here, there):
        return False
    return here is None or there is None or here._replace(links=None) != there._replace(links=None)


def content(entry):
    return entry.size, entry.content


def text(data):
    return data.decode("utf-8", "backslashreplace").strip()


def few(lines):
    return " | ".join(lines[:4]) + (f" and {len(lines) - 4} more" if len(lines) > 4 else "")
