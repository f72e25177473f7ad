"""The errors with which a system call can plausibly fail.

"Not there" (ENOENT) and "already there" (EEXIST) are only given to calls that ask for this. If a removal of an
existing file failed with ENOENT, the kernel would be lying, and no program could find that out. Calls for memory are
left out: without memory, the runtime of the language ends the program."""

_LOOK = ["EIO", "EACCES", "ENOMEM", "ENOENT", "ELOOP", "ESTALE", "EINTR"]
_MAKE = ["EIO", "ENOSPC", "EACCES", "EROFS", "EDQUOT", "ENOMEM", "EEXIST"]
_MOVE = ["EIO", "ENOSPC", "EACCES", "EPERM", "EROFS", "EDQUOT", "EXDEV", "ESTALE"]
_CHANGE = ["EIO", "EPERM", "EACCES", "EROFS", "ESTALE", "EINTR"]
_ATTRIBUTE = ["EIO", "EACCES", "ENOMEM", "ESTALE"]
_FLUSH = ["EIO", "ENOSPC", "EDQUOT"]

ERRNOS = {
    "openat": ["EIO", "EACCES", "EMFILE", "ENOMEM", "ENOSPC", "EROFS", "ELOOP", "ENOENT", "ESTALE", "EINTR"],
    "newfstatat": _LOOK, "statx": _LOOK, "readlinkat": _LOOK,
    "fstat": ["EIO", "ENOMEM", "ESTALE"],
    "faccessat": ["EIO", "EACCES", "EROFS"], "faccessat2": ["EIO", "EACCES", "EROFS"],
    "getdents64": ["EIO", "ENOMEM", "ENOENT", "ESTALE"],
    "read": ["EIO", "EISDIR", "ENOMEM", "ESTALE", "EINTR"], "pread64": ["EIO", "ENOMEM", "ESTALE", "EINTR"],
    "write": ["EIO", "ENOSPC", "EDQUOT", "EFBIG", "EINTR"], "pwrite64": ["EIO", "ENOSPC", "EDQUOT", "EFBIG", "EINTR"],
    "close": ["EIO", "ENOSPC", "EDQUOT", "EINTR"],
    "lseek": ["EIO", "EINVAL"],
    "fsync": _FLUSH, "fdatasync": _FLUSH, "syncfs": _FLUSH, "sync_file_range": ["EIO", "ENOSPC"],
    "fallocate": ["EIO", "ENOSPC", "EOPNOTSUPP", "EINTR"], "ftruncate": ["EIO", "ENOSPC", "EPERM", "EINTR"],
    "mkdirat": _MAKE, "symlinkat": _MAKE, "mknodat": _MAKE + ["EPERM"], "linkat": _MAKE + ["EPERM", "EMLINK"],
    "renameat": _MOVE, "renameat2": _MOVE + ["EEXIST", "EINVAL", "ENOENT"],
    "unlinkat": ["EIO", "EACCES", "EPERM", "EROFS", "EBUSY"],
    "fchmod": _CHANGE, "fchmodat": _CHANGE, "fchmodat2": _CHANGE, "fchown": _CHANGE, "fchownat": _CHANGE,
    "utimensat": _CHANGE,
    "flistxattr": _ATTRIBUTE, "fgetxattr": _ATTRIBUTE, "fsetxattr": _ATTRIBUTE + ["ENOSPC", "EDQUOT", "EPERM"],
    "fremovexattr": _ATTRIBUTE + ["EPERM"], "llistxattr": _ATTRIBUTE + ["ENOENT"], "lgetxattr": _ATTRIBUTE + ["ENOENT"],
    "lsetxattr": _ATTRIBUTE + ["ENOSPC", "EPERM", "ENOENT"], "lremovexattr": _ATTRIBUTE + ["EPERM"],
    "flock": ["ENOLCK", "EIO", "EAGAIN", "EINTR"],
    "fcntl": ["EMFILE", "EINVAL"], "fadvise64": ["EINVAL", "ENOSYS"],
    "getcwd": ["EACCES", "ENOENT", "ENOMEM"], "chdir": ["EIO", "EACCES", "ENOENT"],
    "pipe2": ["EMFILE", "ENFILE"], "wait4": ["EINTR"],
}

# These errors are never given to all later calls. A call that is always interrupted is repeated for ever, and a lock
# that is always held is waited for.
ONCE_ONLY = {"EINTR", "EAGAIN"}
