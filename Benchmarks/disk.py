"""The disk that is measured: a journaled ext4 in an image file, which is written in full first and mounted with
direct I/O, past the page cache of the file system around it. Without root or loop devices it is the current disk,
and a note says so."""
import os, shutil, subprocess, tempfile

GIB = 1 << 30
NEEDED = {'source': 5, 'bigfile': 12, 'binaries': 9, 'random': 6}   # GiB: tree, store or copies, restored tree
QUICK_NEEDED = 2


class Disk:
    """A context manager. `path` is the folder to work in, and `note` says what file system it is on."""

    def __init__(self, parent, corpora, quick, copies=1):
        self.parent = parent
        self.size = (QUICK_NEEDED if quick else max(NEEDED[kind] for kind in corpora)) * copies * GIB
        self.mounted = False

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix='memento-bench.', dir=self.parent)
        try:
            if shutil.disk_usage(self.folder).free < self.size + GIB:
                raise SystemExit('%s: %d GiB of free space are needed' % (self.parent, self.size // GIB + 1))
            reason = self.make_image()
        except BaseException:
            self.__exit__()
            raise
        if reason is None:
            self.path, self.note = os.path.join(self.folder, 'mount'), 'a journaled ext4 in a loop file, direct I/O'
        else:
            self.path = self.folder
            kind = output('stat', '-f', '-c', '%T', self.folder) or 'unknown'
            self.note = 'the file system of %s (%s), because %s' % (self.parent, kind, reason)
        return self

    def make_image(self):
        """Makes and mounts the image. Returns None, or the reason why there is no image."""
        if os.geteuid() != 0:
            return 'only root can mount an image'
        if not os.path.exists('/dev/loop-control'):
            return 'there are no loop devices'
        if not shutil.which('mke2fs'):
            return 'mke2fs is missing'
        image, mount = os.path.join(self.folder, 'image'), os.path.join(self.folder, 'mount')
        os.mkdir(mount)
        print('Writing an image of %d GiB' % (self.size // GIB), flush=True)
        block = bytes(4 << 20)
        with open(image, 'wb', buffering=0) as file:
            for _ in range(self.size // len(block)):
                file.write(block)
            os.fsync(file.fileno())
        commands = [
            ['mke2fs', '-q', '-F', '-t', 'ext4', '-i', '8192', '-m', '0',
             '-E', 'nodiscard,lazy_itable_init=0,lazy_journal_init=0', image],
            ['mount', '-o', 'loop', image, mount]]
        for command in commands:
            result = subprocess.run(command, capture_output=True, text=True)
            if result.returncode:
                os.unlink(image)
                return '%s failed (%s)' % (command[0], result.stderr.strip().split('\n')[-1])
        self.mounted = True
        device = output('findmnt', '-n', '-o', 'SOURCE', mount)
        subprocess.run(['losetup', '--direct-io=on', device], capture_output=True)
        return None

    def __exit__(self, *_):
        if self.mounted:
            mount = os.path.join(self.folder, 'mount')
            if subprocess.run(['umount', mount]).returncode:      # this also removes the loop device
                print('still mounted: %s' % mount)
                return
        shutil.rmtree(self.folder, ignore_errors=True)


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()
    except OSError:
        return ''
