#define _GNU_SOURCE 1
#define _FILE_OFFSET_BITS 64
#include "csystem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#endif

static void fill(struct cs_stat *out, const struct stat *st) {
  out->dev = st->st_dev;
  out->ino = st->st_ino;
  out->size = (uint64_t)st->st_size;
  out->blocks = (uint64_t)st->st_blocks;
  out->rdev = st->st_rdev;
  out->mode = st->st_mode;
  out->nlink = (uint32_t)st->st_nlink;
  out->uid = st->st_uid;
  out->gid = st->st_gid;
#ifdef __APPLE__
  out->mtime_sec = st->st_mtimespec.tv_sec;
  out->mtime_nsec = (uint32_t)st->st_mtimespec.tv_nsec;
  out->ctime_sec = st->st_ctimespec.tv_sec;
  out->ctime_nsec = (uint32_t)st->st_ctimespec.tv_nsec;
#else
  out->mtime_sec = st->st_mtim.tv_sec;
  out->mtime_nsec = (uint32_t)st->st_mtim.tv_nsec;
  out->ctime_sec = st->st_ctim.tv_sec;
  out->ctime_nsec = (uint32_t)st->st_ctim.tv_nsec;
#endif
}

uint64_t cs_memory(void) {
  uint64_t memory = UINT64_MAX;
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  if (pages > 0 && size > 0) memory = (uint64_t)pages * (uint64_t)size;
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < memory) memory = limit.rlim_cur;
  if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur < memory) memory = limit.rlim_cur;
  return memory;
}

int cs_filesystem_size(int fd, uint64_t *bytes) {
  struct statvfs status;
  if (fstatvfs(fd, &status) != 0) return -1;
  *bytes = (uint64_t)status.f_blocks * (uint64_t)(status.f_frsize ? status.f_frsize : status.f_bsize);
  return 0;
}

int cs_filesystem_free(int fd, uint64_t *bytes) {
  struct statvfs status;
  if (fstatvfs(fd, &status) != 0) return -1;
  fsblkcnt_t blocks = geteuid() == 0 ? status.f_bfree : status.f_bavail;
  *bytes = (uint64_t)blocks * (uint64_t)(status.f_frsize ? status.f_frsize : status.f_bsize);
  return 0;
}

int cs_packs_content(int fd) {
#ifdef __linux__
  struct statfs status;
  if (fstatfs(fd, &status) != 0) return -1;
  switch ((unsigned long)status.f_type) {
    case 0x9123683eUL:  // btrfs
    case 0x2fc12fc1UL:  // zfs
    case 0xca451a4eUL:  // bcachefs
    case 0xf2f52010UL:  // f2fs
    case 0x65735546UL:  // fuse: nobody knows what is below
      return 1;
  }
#endif
  return 0;
}

int cs_openat(int dir, const char *name, int flags, mode_t mode) { return openat(dir, name, flags, mode); }

ssize_t cs_readlinkat(int dir, const char *name, void *buffer, size_t size) { return readlinkat(dir, name, buffer, size); }
ssize_t cs_read(int fd, void *buffer, size_t size) { return read(fd, buffer, size); }
ssize_t cs_write(int fd, const void *buffer, size_t size) { return write(fd, buffer, size); }
void cs_enlarge_pipe(int fd, size_t size) {
#ifdef F_SETPIPE_SZ
  fcntl(fd, F_SETPIPE_SZ, (int)size);
#else
  (void)fd;
  (void)size;
#endif
}

int cs_set_modified(int fd, int64_t seconds, uint32_t nanoseconds) {
  struct timespec times[2] = {{0, UTIME_OMIT}, {(time_t)seconds, nanoseconds}};
  return futimens(fd, times);
}

int cs_set_modified_at(int dir, const char *name, int64_t seconds, uint32_t nanoseconds) {
  struct timespec times[2] = {{0, UTIME_OMIT}, {(time_t)seconds, nanoseconds}};
  return utimensat(dir, name, times, AT_SYMLINK_NOFOLLOW);
}

int cs_fstat(int fd, struct cs_stat *out) {
  struct stat st;
  if (fstat(fd, &st) != 0) return -1;
  fill(out, &st);
  return 0;
}

int cs_fstatat(int dir, const char *name, struct cs_stat *out) {
  struct stat st;
  if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  fill(out, &st);
  return 0;
}

int cs_may_change_directory(int dir) { return faccessat(dir, ".", W_OK | X_OK, AT_EACCESS); }

#ifdef __linux__

static void fill_extended(struct cs_stat *out, const struct statx *st) {
  out->dev = makedev(st->stx_dev_major, st->stx_dev_minor);
  out->ino = st->stx_ino;
  out->size = st->stx_size;
  out->blocks = st->stx_blocks;
  out->rdev = makedev(st->stx_rdev_major, st->stx_rdev_minor);
  out->mode = st->stx_mode;
  out->nlink = st->stx_nlink;
  out->uid = st->stx_uid;
  out->gid = st->stx_gid;
  out->mtime_sec = st->stx_mtime.tv_sec;
  out->mtime_nsec = st->stx_mtime.tv_nsec;
  out->ctime_sec = st->stx_ctime.tv_sec;
  out->ctime_nsec = st->stx_ctime.tv_nsec;
}

int cs_obstacles(int dir, const char *name, struct cs_stat *out, uint32_t *obstacles) {
  int flags = AT_SYMLINK_NOFOLLOW | (*name == 0 ? AT_EMPTY_PATH : 0);
  *obstacles = 0;
  struct statx more;
  if (statx(dir, name, flags | AT_NO_AUTOMOUNT, STATX_BASIC_STATS, &more) == 0) {
    fill_extended(out, &more);
    uint64_t known = more.stx_attributes & more.stx_attributes_mask;
    if (known & STATX_ATTR_IMMUTABLE) *obstacles |= CS_IMMUTABLE;
    if (known & STATX_ATTR_APPEND) *obstacles |= CS_APPEND_ONLY;
    if (known & STATX_ATTR_MOUNT_ROOT) *obstacles |= CS_MOUNT_POINT;
    return 0;
  }
  // Old kernels do not have statx(2), and some sandboxes forbid it. Then no obstacle is reported, and the change itself
  // fails.
  if (errno != ENOSYS && errno != EPERM && errno != EINVAL) return -1;
  struct stat st;
  if (fstatat(dir, name, &st, flags) != 0) return -1;
  fill(out, &st);
  return 0;
}

int cs_birth(int dir, const char *name, int64_t *seconds, uint32_t *nanoseconds) {
  struct statx st;
  if (statx(dir, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_BTIME, &st) != 0) return -1;
  if (!(st.stx_mask & STATX_BTIME)) {
    errno = ENOTSUP;
    return -1;
  }
  *seconds = st.stx_btime.tv_sec;
  *nanoseconds = st.stx_btime.tv_nsec;
  return 0;
}

ssize_t cs_getdents(int fd, void *buffer, size_t size) { return syscall(SYS_getdents64, fd, buffer, size); }

int cs_renameat(int from_dir, const char *from, int to_dir, const char *to, int how) {
  return renameat2(from_dir, from, to_dir, to, (unsigned)how);  // the flag values are those of Linux
}

int cs_flush(int fd) { return fdatasync(fd); }
int cs_flush_filesystem(int fd) { return syncfs(fd); }
int cs_start_writeback(int fd, off_t offset, off_t size) {
  return sync_file_range(fd, offset, size, SYNC_FILE_RANGE_WRITE);
}
int cs_advise_sequential(int fd) { return posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL); }
int cs_drop_cache(int fd) { return posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED); }

ssize_t cs_list_attributes(int fd, char *names, size_t size) { return flistxattr(fd, names, size); }
ssize_t cs_get_attribute(int fd, const char *name, void *value, size_t size) { return fgetxattr(fd, name, value, size); }
int cs_set_attribute(int fd, const char *name, const void *value, size_t size) { return fsetxattr(fd, name, value, size, 0); }
int cs_remove_attribute(int fd, const char *name) { return fremovexattr(fd, name); }
ssize_t cs_list_link_attributes(const char *path, char *names, size_t size) { return llistxattr(path, names, size); }
ssize_t cs_get_link_attribute(const char *path, const char *name, void *value, size_t size) { return lgetxattr(path, name, value, size); }
int cs_set_link_attribute(const char *path, const char *name, const void *value, size_t size) { return lsetxattr(path, name, value, size, 0); }
int cs_remove_link_attribute(const char *path, const char *name) { return lremovexattr(path, name); }

int cs_set_owner_of_path(int fd, uint32_t user, uint32_t group) { return fchownat(fd, "", user, group, AT_EMPTY_PATH); }

int cs_set_permissions_of_path(int fd, mode_t mode) {
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452  // the same number on every architecture
#endif
  if (syscall(SYS_fchmodat2, fd, "", mode, AT_EMPTY_PATH) == 0) return 0;
  // Kernels before 6.6 do not have the call. A sandbox that does not know it fails with ENOSYS or EPERM.
  if (errno != ENOSYS && errno != EPERM) return -1;
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return chmod(path, mode);
}

int cs_set_modified_of_path(int fd, int64_t seconds, uint32_t nanoseconds) {
  struct timespec times[2] = {{0, UTIME_OMIT}, {(time_t)seconds, nanoseconds}};
  if (utimensat(fd, "", times, AT_EMPTY_PATH) == 0) return 0;
  if (errno != EINVAL && errno != ENOENT) return -1;  // kernels before 5.8
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return utimensat(AT_FDCWD, path, times, 0);
}

int cs_set_attribute_of_path(int fd, const char *name, const void *value, size_t size) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return setxattr(path, name, value, size, 0);
}

// Linux has no call for the attributes of a name in an open directory. The path /proc/self/fd/N reaches that directory,
// even after it was moved. Where there is no /proc, as in some chroots, the thread gets a current directory of its own
// and enters the open directory for the call.
enum link_call { LIST, GET, SET, REMOVE };

static ssize_t call_on_path(enum link_call call, const char *path, const char *attribute, void *value, size_t size) {
  switch (call) {
    case LIST: return cs_list_link_attributes(path, value, size);
    case GET: return cs_get_link_attribute(path, attribute, value, size);
    case SET: return cs_set_link_attribute(path, attribute, value, size);
    case REMOVE: return cs_remove_link_attribute(path, attribute);
  }
  errno = EINVAL;
  return -1;
}

static ssize_t call_in_directory(
    enum link_call call, int dir, const char *name, const char *attribute, void *value, size_t size) {
  if (unshare(CLONE_FS) != 0) return -1;
  int before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (before < 0) return -1;
  ssize_t result = -1;
  int error;
  if (fchdir(dir) == 0) {
    char path[2 + NAME_MAX + 1];
    snprintf(path, sizeof path, "./%s", name);
    result = call_on_path(call, path, attribute, value, size);
    error = errno;
    if (fchdir(before) != 0) {  // Nothing that this thread looks up by a relative path would be right any more.
      perror("memento: cannot go back to the current folder");
      abort();
    }
  } else {
    error = errno;
  }
  close(before);
  errno = error;
  return result;
}

static ssize_t call_on_link(
    enum link_call call, int dir, const char *name, const char *attribute, void *value, size_t size) {
  if (strlen(name) > NAME_MAX) {
    errno = ENAMETOOLONG;
    return -1;
  }
  char path[32 + NAME_MAX + 1];
  int end = snprintf(path, sizeof path, "/proc/self/fd/%d", dir);
  snprintf(path + end, sizeof path - end, "/%s", name);
  ssize_t result = call_on_path(call, path, attribute, value, size);
  if (result >= 0 || errno != ENOENT) return result;
  path[end] = 0;
  struct stat st;
  int has_proc = lstat(path, &st) == 0;
  errno = ENOENT;
  return has_proc ? -1 : call_in_directory(call, dir, name, attribute, value, size);
}

const int cs_o_path = O_PATH;
const int cs_o_path_no_follow = O_PATH | O_NOFOLLOW;
const int cs_no_attribute = ENODATA;

uint64_t cs_makedev(uint32_t major_, uint32_t minor_) { return makedev(major_, minor_); }
uint32_t cs_major(uint64_t dev) { return major(dev); }
uint32_t cs_minor(uint64_t dev) { return minor(dev); }

int cs_processor_count(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

#else  // macOS

int cs_birth(int dir, const char *name, int64_t *seconds, uint32_t *nanoseconds) {
  struct stat st;
  if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  *seconds = st.st_birthtimespec.tv_sec;
  *nanoseconds = (uint32_t)st.st_birthtimespec.tv_nsec;
  return 0;
}

int cs_obstacles(int dir, const char *name, struct cs_stat *out, uint32_t *obstacles) {
  struct stat st;
  if ((*name == 0 ? fstat(dir, &st) : fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW)) != 0) return -1;
  fill(out, &st);
  *obstacles = 0;
  if (st.st_flags & (UF_IMMUTABLE | SF_IMMUTABLE)) *obstacles |= CS_IMMUTABLE;
  if (st.st_flags & (UF_APPEND | SF_APPEND)) *obstacles |= CS_APPEND_ONLY;
  return 0;
}

int cs_processor_count(void) { return (int)sysconf(_SC_NPROCESSORS_ONLN); }

ssize_t cs_getdents(int fd, void *buffer, size_t size) {
  (void)fd, (void)buffer, (void)size;
  errno = ENOSYS;
  return -1;
}

int cs_renameat(int from_dir, const char *from, int to_dir, const char *to, int how) {
  unsigned flags = how == CS_RENAME_EXCHANGE ? RENAME_SWAP : how == CS_RENAME_NOREPLACE ? RENAME_EXCL : 0;
  return renameatx_np(from_dir, from, to_dir, to, flags);
}

int cs_flush(int fd) { return fcntl(fd, F_FULLFSYNC); }
int cs_flush_filesystem(int fd) { return fcntl(fd, F_FULLFSYNC); }
int cs_start_writeback(int fd, off_t offset, off_t size) {
  (void)fd, (void)offset, (void)size;
  return 0;
}
int cs_advise_sequential(int fd) { return fcntl(fd, F_RDAHEAD, 1); }
int cs_drop_cache(int fd) { return fcntl(fd, F_NOCACHE, 1); }

ssize_t cs_list_attributes(int fd, char *names, size_t size) { return flistxattr(fd, names, size, 0); }
ssize_t cs_get_attribute(int fd, const char *name, void *value, size_t size) { return fgetxattr(fd, name, value, size, 0, 0); }
int cs_set_attribute(int fd, const char *name, const void *value, size_t size) { return fsetxattr(fd, name, value, size, 0, 0); }
int cs_remove_attribute(int fd, const char *name) { return fremovexattr(fd, name, 0); }
ssize_t cs_list_link_attributes(const char *path, char *names, size_t size) { return listxattr(path, names, size, XATTR_NOFOLLOW); }
ssize_t cs_get_link_attribute(const char *path, const char *name, void *value, size_t size) { return getxattr(path, name, value, size, 0, XATTR_NOFOLLOW); }
int cs_set_link_attribute(const char *path, const char *name, const void *value, size_t size) { return setxattr(path, name, value, size, 0, XATTR_NOFOLLOW); }
int cs_remove_link_attribute(const char *path, const char *name) { return removexattr(path, name, XATTR_NOFOLLOW); }

int cs_set_owner_of_path(int fd, uint32_t user, uint32_t group) { return fchown(fd, user, group); }
int cs_set_permissions_of_path(int fd, mode_t mode) { return fchmod(fd, mode); }
int cs_set_modified_of_path(int fd, int64_t seconds, uint32_t nanoseconds) {
  return cs_set_modified(fd, seconds, nanoseconds);
}
int cs_set_attribute_of_path(int fd, const char *name, const void *value, size_t size) {
  return fsetxattr(fd, name, value, size, 0, 0);
}

enum link_call { LIST, GET, SET, REMOVE };

static ssize_t call_on_link(
    enum link_call call, int dir, const char *name, const char *attribute, void *value, size_t size) {
  int fd = openat(dir, name, O_RDONLY | O_SYMLINK | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t result = -1;
  switch (call) {
    case LIST: result = flistxattr(fd, value, size, 0); break;
    case GET: result = fgetxattr(fd, attribute, value, size, 0, 0); break;
    case SET: result = fsetxattr(fd, attribute, value, size, 0, 0); break;
    case REMOVE: result = fremovexattr(fd, attribute, 0); break;
  }
  int error = errno;
  close(fd);
  errno = error;
  return result;
}

const int cs_o_path = O_RDONLY;
const int cs_o_path_no_follow = O_RDONLY | O_SYMLINK | O_NONBLOCK;
const int cs_no_attribute = ENOATTR;

uint64_t cs_makedev(uint32_t major_, uint32_t minor_) { return makedev(major_, minor_); }
uint32_t cs_major(uint64_t dev) { return major(dev); }
uint32_t cs_minor(uint64_t dev) { return minor(dev); }

#endif

off_t cs_seek_data(int fd, off_t offset) { return lseek(fd, offset, SEEK_DATA); }
off_t cs_seek_hole(int fd, off_t offset) { return lseek(fd, offset, SEEK_HOLE); }

#ifdef __linux__
int cs_clone(int to, int from) { return ioctl(to, FICLONE, from); }

int cs_clones_into(int dir, int from) {
  int probe = openat(dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (probe < 0) return -1;
  int result = cs_clone(probe, from), error = errno;
  close(probe);
  errno = error;
  return result;
}
#else
int cs_clone(int to, int from) {
  (void)to, (void)from;
  errno = ENOTSUP;
  return -1;
}

int cs_clones_into(int dir, int from) { return cs_clone(dir, from); }
#endif

ssize_t cs_list_attributes_at(int dir, const char *name, char *names, size_t size) {
  return call_on_link(LIST, dir, name, NULL, names, size);
}

ssize_t cs_get_attribute_at(int dir, const char *name, const char *attribute, void *value, size_t size) {
  return call_on_link(GET, dir, name, attribute, value, size);
}

int cs_set_attribute_at(int dir, const char *name, const char *attribute, const void *value, size_t size) {
  return (int)call_on_link(SET, dir, name, attribute, (void *)value, size);
}

int cs_remove_attribute_at(int dir, const char *name, const char *attribute) {
  return (int)call_on_link(REMOVE, dir, name, attribute, NULL, 0);
}
