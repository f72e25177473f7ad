"""One small class for each tool. A method returns the commands of an operation, as a list of argument lists; they
are timed together. It returns None if the tool has no such operation. Stores are outside the tree, except those of
git and memento, whose users keep them inside."""
import os, shlex, shutil, subprocess, sys


class Tool:
    name = note = program = ''
    variable = None            # an environment variable that names another program to use
    store_inside = None        # the name of a store inside the tree
    exact = True               # whether it restores times (to the nanosecond) and modes

    def __init__(self, tree='', folder=''):
        self.tree, self.folder = tree, folder
        self.program = os.environ.get(self.variable or '') or self.program
        if '/' in self.program:
            self.program = os.path.abspath(self.program)
        self.environment = {}

    def here(self):
        return all(shutil.which(name) for name in self.program.split())

    def version(self):
        result = subprocess.run([self.program.split()[-1], '--version'], capture_output=True, text=True)
        return (result.stdout or result.stderr).split('\n')[0].strip('* ')

    def prepare(self): return []
    def save(self, name): raise NotImplementedError
    def after_save(self, name): return []
    def restore(self, name, folder): raise NotImplementedError
    def after_restore(self): return []
    def restore_in_place(self, name): return None
    def status(self): return None
    def undo(self): return None
    def store(self): return os.path.join(self.tree if self.store_inside else self.folder, self.store_inside or 'store')


class Memento(Tool):
    name, variable, store_inside = 'memento', 'MEMENTO', '.memento'
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../.build/release/memento')

    def prepare(self): return [[self.program, 'init']]
    def save(self, name): return [[self.program, 'save', name]]
    def restore(self, name, folder): return [[self.program, 'restore', name, '--to', folder]]
    def restore_in_place(self, name): return [[self.program, 'restore', name]]
    def status(self): return [[self.program, 'status']]
    def undo(self): return [[self.program, 'undo']]


class Git(Tool):
    name, program, store_inside, exact = 'git', 'git', '.git', False
    note = 'add --all --force and commit; restore: worktree add; in place: checkout --force; undo: stash; automatic gc off'

    def __init__(self, *folders):
        super().__init__(*folders)
        who = {'GIT_%s_%s' % (role, part): 'bench@localhost' for role in ('AUTHOR', 'COMMITTER') for part in ('NAME', 'EMAIL')}
        self.environment = {'GIT_CONFIG_GLOBAL': '/dev/null', 'GIT_CONFIG_NOSYSTEM': '1', **who}

    def prepare(self): return [['git', 'init', '-q', '-b', 'main'], ['git', 'config', 'gc.auto', '0']]
    def save(self, name):
        return [['git', 'add', '--all', '--force', '.'], ['git', 'commit', '-q', '--allow-empty', '-m', name]]
    def after_save(self, name): return [['git', 'tag', name]]
    def restore(self, name, folder): return [['git', 'worktree', 'add', '-q', '-f', '--detach', folder, name]]
    def after_restore(self): return [['git', 'worktree', 'prune']]
    def restore_in_place(self, name): return [['git', 'checkout', '-q', '--force', name]]
    def status(self): return [['git', 'status', '--short']]
    def undo(self): return [['git', 'stash', 'push', '-q']]


class Restic(Tool):
    name, program, variable = 'restic', 'restic', 'RESTIC'
    note = 'repository version 2, compression auto; it always encrypts'

    def __init__(self, *folders):
        super().__init__(*folders)
        self.environment = {'RESTIC_REPOSITORY': self.store(), 'RESTIC_PASSWORD': 'x',
                            'RESTIC_CACHE_DIR': os.path.join(self.folder, 'cache')}

    def version(self): return subprocess.run([self.program, 'version'], capture_output=True, text=True).stdout.strip()
    def modern(self): return '--overwrite' in subprocess.run(
        [self.program, 'restore', '--help'], capture_output=True, text=True).stdout
    def prepare(self): return [[self.program, 'init', '-q', '--repository-version', '2']]
    def save(self, name): return [[self.program, 'backup', '-q', '--host', 'h', '--tag', name, '.']]
    def restore(self, name, folder):
        return [[self.program, 'restore', '-q', 'latest', '--tag', name, '--target', folder]]
    def restore_in_place(self, name):
        exactly = ['--delete', '--overwrite', 'if-changed']
        return [self.restore(name, self.tree)[0] + exactly] if self.modern() else None


class Borg(Tool):
    name, program, variable = 'borg', 'borg', 'BORG'
    note = 'no encryption, compression lz4 (its default); in place is left out: extract removes nothing'

    def __init__(self, *folders):
        super().__init__(*folders)
        self.environment = {'BORG_REPO': self.store(), 'BORG_BASE_DIR': os.path.join(self.folder, 'base'),
                            'BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK': 'yes'}

    def prepare(self): return [[self.program, 'init', '--encryption', 'none']]
    def save(self, name): return [[self.program, 'create', '::' + name, '.']]
    def restore(self, name, folder): return [shell('cd {} && exec {} extract ::{}', folder, self.program, name)]


class Copy(Tool):
    name, program, note = 'cp -a', 'cp', 'a full copy every time'

    def path(self, name): return os.path.join(self.store(), name)
    def prepare(self): return [['mkdir', self.store()]]
    def save(self, name): return [['cp', '-a', '.', self.path(name)]]
    def restore(self, name, folder): return [['cp', '-a', self.path(name) + '/.', folder]]


class Tar(Copy):
    name, program, exact = 'tar|zstd', 'tar zstd', False
    note = 'tar | zstd -1 -T2, a full archive every time; keeps whole seconds'

    def save(self, name): return [shell('tar -cf - . | zstd -q -1 -T2 -o {}', self.path(name))]
    def restore(self, name, folder): return [shell('zstd -q -dc {} | tar -C {} -xpf -', self.path(name), folder)]


class Casync(Tool):
    name, program, exact = 'casync', 'casync', False
    note = 'with --with=unix and its cache, keeps whole seconds; in place is left out'

    def options(self): return ['--store=' + os.path.join(self.store(), 'chunks.castr'), '--with=unix', '--log-level=err']
    def path(self, name): return os.path.join(self.store(), name + '.caidx')
    def prepare(self): return [['mkdir', self.store()]]
    def save(self, name):
        return [['casync', 'make', '--cache=' + os.path.join(self.folder, 'cache'), *self.options(), self.path(name), self.tree]]
    def restore(self, name, folder): return [['casync', 'extract', *self.options(), self.path(name), folder]]


ALL = {tool.name: tool for tool in (Memento, Git, Restic, Borg, Copy, Tar, Casync)}

# The least that any save must do: look at every entry; read, hash and compress every byte.
HASH = 'import hashlib,sys; h=hashlib.sha256()\nwhile b:=sys.stdin.buffer.read(1<<20): h.update(b)'
FLOORS = {
    'lstat walk': "find . -printf '%s %T@\\n' >/dev/null",
    'read, SHA-256, zstd -1':
        'find . -type f -print0 | xargs -0 cat | tee >(exec {} -c {}) | zstd -q -1 -T1 >/dev/null; wait',
}


def floor(name):
    return [['bash', '-c', FLOORS[name].format(shlex.quote(sys.executable), shlex.quote(HASH))]]


def shell(command, *words):
    return ['sh', '-c', command.format(*map(shlex.quote, words))]


def store_size(path):
    """The bytes that the store occupies on the disk."""
    total = 0
    for folder, folders, files in os.walk(path):
        total += sum(os.lstat(os.path.join(folder, name)).st_blocks * 512 for name in folders + files)
    return total
