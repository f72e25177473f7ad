"""Says what is wrong after a fault. Folders are compared by a walker of the tests' own, not by memento."""

import hashlib
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "PowerCut"))

from folder_record import differences, record  # noqa: E402
import injection  # noqa: E402

# 1 failed, 3 some files, 10 no store, 11 locked, 12 no such state, 13 damaged, 14 a restore is pending, 125 to 127: `run`.
DOCUMENTED = {0, 1, 3, 10, 11, 12, 13, 14, 125, 126, 127}


class Judge:
    """Knows what a scenario is before its command, and after it when nothing fails."""

    def __init__(self, folders, scenario, believes_success=False):
        self.folders, self.scenario = folders, scenario
        self.believes_success = believes_success
        # What was found, by what was on the disk.
        self.known = {}
        self.program = folders.program
        before = folders.copy(scenario, f"before-{scenario.name}")
        after = folders.copy(scenario, f"after-{scenario.name}")
        self.folder_before = record(before)
        self.states_before = self._states(before)
        self.clean = self._run(scenario.arguments, after)
        if self.clean.status != 0:
            raise RuntimeError(f"{scenario.name} ends with {self.clean.status}: {self.clean.errors}")
        self.folder_after = record(after)
        self.out = record(self._out(after)) if "--to" in scenario.arguments else None
        self.states_after = self._states(after)
        log = os.path.join(folders.place, f"log-{scenario.name}")
        trial = folders.copy(scenario, f"trial-{scenario.name}")
        _, self.start = injection.count([self.program, "--version"], trial, log)
        status, self.calls = injection.count(self._words(scenario.arguments, trial), trial, log)
        if status != 0:
            raise RuntimeError(f"{scenario.name} ends with {status} under strace")
        for path in (before, after, trial):
            self._remove(path)

    def faults(self):
        return injection.faults(self.calls, self.start)

    def problems(self, fault, name, processor):
        """What is wrong after the fault, in words; none when all is well. `name`: of a copy that nobody else uses."""
        folder = self.folders.copy(self.scenario, name)
        try:
            outcome = injection.fail(fault, self._words(self.scenario.arguments, folder), folder, processor)
            if self.believes_success:
                outcome = outcome._replace(status=0)
            # Where nothing can be written from then on, nothing can be said either.
            is_mute = fault.call == "write" and fault.lasting
            found = list(self._look(outcome, fault, folder, is_mute))
            return [f"status {outcome.status}: {text}" for text in found] + (
                [f"it said: {outcome.output}{outcome.errors}".strip()] if found else [])
        finally:
            self._remove(folder)

    def _look(self, outcome, fault, folder, is_mute):
        status = outcome.status
        if status not in DOCUMENTED:
            yield "no documented status"
        if "Fatal error" in outcome.errors:
            yield "it trapped"
        if status != 0 and not is_mute and not outcome.errors.startswith("memento: "):
            yield "nothing on standard error says why"
        if status == 0:
            # A repair that could not read something once replaces it, and says so. What was said not to be there, and then
            # is, counts as another change; the folder is compared all the same.
            is_same = self._plain(outcome.output, folder) == self._plain(self.clean.output, None)
            if not is_same and self.scenario.name == "log":
                # Where a tree cannot be read, `log` lists the step all the same, with `?` in the place of its counts.
                is_same = self._uncounted(outcome.output, folder) == self._uncounted(self.clean.output, None)
            may_differ = self.scenario.name == "repair" or (self.scenario.moves and fault.error == "ENOENT")
            if not is_same and not may_differ:
                yield f"its output is another: {outcome.output!r}, not {self.clean.output!r}"
            for line in differences(record(folder), self.folder_after):
                yield f"the folder: {line}"
            if self.out is not None:
                for line in differences(record(self._out(folder)), self.out):
                    yield f"the new folder: {line}"
        elif not os.path.exists(os.path.join(folder, ".memento", "config")):
            yield from self._next_save(folder)
            return
        yield from self._known_or_new(outcome, folder)

    def _known_or_new(self, outcome, folder):
        """What is wrong with the folder and the store. It is looked for once for each content of the disk: most commands that
        fail have changed nothing. What a command with status 3 has named counts, too, so that is looked at each time."""
        if outcome.status == 3:
            yield from self._store(outcome, folder)
            return
        key = (self._fingerprint(folder), outcome.status == 0)
        if key not in self.known:
            self.known[key] = list(self._store(outcome, folder))
        yield from self.known[key]

    @staticmethod
    def _fingerprint(folder):
        """Of every byte, mode and time of the folder, and of every byte and mode of the store."""
        digest = hashlib.sha256(repr(sorted(record(folder).items())).encode("utf-8", "surrogateescape"))
        store = os.path.join(folder, ".memento")
        for place, folders, files in os.walk(store):
            folders.sort()
            for name in sorted(folders + files):
                path = os.path.join(place, name)
                status = os.lstat(path)
                digest.update(f"{os.path.relpath(path, store)}\0{status.st_mode:o}\0{status.st_nlink}\0".encode(
                    "utf-8", "surrogateescape"))
                if os.path.isfile(path) and not os.path.islink(path):
                    with open(path, "rb") as file:
                        digest.update(f"{status.st_size}\0".encode())
                        digest.update(file.read())
        return digest.hexdigest()

    def _store(self, outcome, folder):
        """The folder and the store after it."""
        status = outcome.status
        is_pending = self._run(["save", "-n", "-q"], folder).status == 14
        if is_pending and (not self.scenario.moves or status == 0):
            yield "a restore is pending"
        if status != 0 and not is_pending:
            now = record(folder)
            if now not in (self.folder_before, self.folder_after) and status != 3:
                for line in differences(now, self.folder_after if self.scenario.moves else self.folder_before):
                    yield f"the folder: {line}"
        if is_pending:
            wanted = self.folder_before if self.scenario.name == "abort" else self.folder_after
            way = "--abort" if self.scenario.name == "abort" else "--continue"
            again = self._run(["restore", way, "-q"], folder)
            if again.status != 0:
                yield f"restore {way} ends with {again.status}: {again.errors}"
            elif self.scenario.name != "abort":
                for line in differences(record(folder), wanted):
                    yield f"after restore {way}: {line}"
        verified = self._run(["verify", "--read-data", "-q"], folder)
        if verified.status != 0:
            yield f"verify ends with {verified.status}: {verified.output}{verified.errors}"
        found = self._states(folder)
        names = set(found)
        if status == 0 and names != set(self.states_after):
            yield f"the states are {sorted(names)}, not {sorted(self.states_after)}"
        must = set(self.states_before) & set(self.states_after)
        if not must <= names <= set(self.states_before) | set(self.states_after):
            yield f"the states are {sorted(names)}"
        for name in sorted(names):
            allowed = [states[name] for states in (self.states_before, self.states_after) if name in states]
            if status == 0 and name in self.states_after:
                allowed = [self.states_after[name]]
            if isinstance(found[name], str):
                yield f"{name}: {found[name]}"
            elif allowed and found[name] not in allowed:
                for line in differences(found[name], allowed[-1]):
                    if status != 3 or not self._is_named(line, outcome):
                        yield f"{name}: {line}"
        yield from self._next_save(folder)

    @staticmethod
    def _is_named(difference, outcome):
        """Whether a path that a new state lacks was reported. Without one of its names a file has fewer links."""
        if re.fullmatch(r".*: links [^;]*", difference):
            return True
        named = re.findall(r"^memento: (?!note: )(.+?): ", outcome.errors, re.MULTILINE)
        # A folder that lacks an entry has it as its time; one that cannot be read is missing with all that is in it.
        return any(re.match(rf"{re.escape(path)}(/|:| is missing)", difference) for path in named)

    def _next_save(self, folder):
        run = self._run(["save", "after", "-q"], folder)
        if run.status != 0:
            yield f"the next save ends with {run.status}: {run.errors}"
            return
        left = os.listdir(os.path.join(folder, ".memento", "tmp"))
        if left:
            yield f"tmp/ holds {left}"
        restored = self._restored(folder, "after")
        if isinstance(restored, str):
            yield f"after: {restored}"
        else:
            for line in differences(restored, record(folder)):
                yield f"the next save: {line}"

    def _states(self, folder):
        """What each state restores to, by name; or why not."""
        run = self._run(["list", "-z"], folder)
        if run.status == 10:
            return {}
        if run.status != 0:
            return {"list": f"list ends with {run.status}: {run.errors}"}
        names = [line.split("\t")[1] for line in run.output.split("\0") if line]
        return {name: self._restored(folder, name) for name in names}

    def _restored(self, folder, name):
        place = f"{folder}-state"
        run = self._run(["restore", name, "--to", place, "-q"], folder)
        try:
            return record(place) if run.status == 0 else f"restore --to ends with {run.status}: {run.errors}"
        finally:
            self._remove(place)

    def _run(self, arguments, folder):
        return injection.run(self._words(arguments, folder), folder)

    def _words(self, arguments, folder):
        return [self.program, *(self._out(folder) if word == "../OUT" else word for word in arguments)]

    @staticmethod
    def _out(folder):
        return f"{folder}-out"

    def _plain(self, text, folder):
        """Without what differs from run to run: ids, times and the names of copies."""
        text = re.sub(rf"{re.escape(self.folders.place)}/[\w.-]+", "PLACE", text)
        text = re.sub(r"\b[0-9a-f]{8,64}\b", "ID", text)
        text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?( ?[+-]\d\d:?\d\d| UTC)?", "TIME", text)
        return re.sub(r"[\d.]+ (B|KiB|MiB)\b", "SIZE", text)

    def _uncounted(self, text, folder):
        """The same, without how much each step has changed."""
        return re.sub(r"\+(\?|\d+) ~(\?|\d+) -(\?|\d+)", "COUNTS", self._plain(text, folder))

    def _remove(self, folder):
        for path in (folder, self._out(folder)):
            shutil.rmtree(path, ignore_errors=True)
            if os.path.lexists(path):
                subprocess.run(["rm", "-rf", path], check=True)
