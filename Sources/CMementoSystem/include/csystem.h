// System calls that Swift cannot import itself (variadic, GNU-only, or different on each system), with one thin
// function for each. csystem.c holds the differences between Linux and macOS at this level.
#ifndef CSYSTEM_H
#define CSYSTEM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// The fields of lstat(2), the same on every system.
struct cs_stat {
  uint64_t dev, ino, size, blocks, rdev;
  uint32_t mode, nlink, uid, gid;
  int64_t mtime_sec, ctime_sec;
  uint32_t mtime_nsec, ctime_nsec;
};

int cs_openat(int dir, const char *name, int flags, mode_t mode);
int cs_fstat(int fd, struct cs_stat *out);
int cs_fstatat(int dir, const char *name, struct cs_stat *out);  // does not follow a link

// What prevents a change of a file, apart from its permissions. `name` is in `dir`, and a link is not followed; ""
// stands for `dir` itself. No obstacle is reported on systems that do not tell.
#define CS_IMMUTABLE 1
#define CS_APPEND_ONLY 2
#define CS_MOUNT_POINT 4
int cs_obstacles(int dir, const char *name, struct cs_stat *out, uint32_t *obstacles);
// The creation time. ENOTSUP where the file system does not record it. Does not follow a link.
int cs_birth(int dir, const char *name, int64_t *seconds, uint32_t *nanoseconds);
int cs_may_change_directory(int dir);  // 0 if the effective user may add and remove names, else -1 and errno

ssize_t cs_readlinkat(int dir, const char *name, void *buffer, size_t size);
ssize_t cs_read(int fd, void *buffer, size_t size);
ssize_t cs_write(int fd, const void *buffer, size_t size);
// Asks that a pipe holds `size` bytes. Without effect on what is no pipe, and where there is nothing to ask for.
void cs_enlarge_pipe(int fd, size_t size);
int cs_set_modified(int fd, int64_t seconds, uint32_t nanoseconds);  // the access time stays
int cs_set_modified_at(int dir, const char *name, int64_t seconds, uint32_t nanoseconds);  // does not follow a link

// The next four work on a descriptor that was opened with cs_o_path. They change the file it refers to, whatever its
// name is now.
int cs_set_owner_of_path(int fd, uint32_t user, uint32_t group);
int cs_set_permissions_of_path(int fd, mode_t mode);  // on an old kernel, through /proc
int cs_set_modified_of_path(int fd, int64_t seconds, uint32_t nanoseconds);
int cs_set_attribute_of_path(int fd, const char *name, const void *value, size_t size);  // through /proc on Linux

ssize_t cs_getdents(int fd, void *buffer, size_t size);          // Linux only; ENOSYS elsewhere

#define CS_RENAME_REPLACE 0
#define CS_RENAME_NOREPLACE 1
#define CS_RENAME_EXCHANGE 2
int cs_renameat(int from_dir, const char *from, int to_dir, const char *to, int how);

int cs_flush(int fd);                                     // data and the metadata needed to read it, to the medium
int cs_flush_filesystem(int fd);                          // everything written to the file system that holds fd
int cs_start_writeback(int fd, off_t offset, off_t size); // begins to write; waits for nothing
int cs_advise_sequential(int fd);
int cs_drop_cache(int fd);  // of the content of this file

off_t cs_seek_data(int fd, off_t offset);
off_t cs_seek_hole(int fd, off_t offset);

// Gives the empty file `to` the content of `from`, whose blocks both share until one changes. ENOTSUP where that is not possible.
int cs_clone(int to, int from);
int cs_clones_into(int dir, int from);  // whether that works from this file to files in the directory: 0, or -1 and errno

// Extended attributes. "link": those of the path itself; a link is not followed. "_at": those of a name in an open
// directory; a link is not followed.
ssize_t cs_list_attributes(int fd, char *names, size_t size);
ssize_t cs_get_attribute(int fd, const char *name, void *value, size_t size);
int cs_set_attribute(int fd, const char *name, const void *value, size_t size);
int cs_remove_attribute(int fd, const char *name);
ssize_t cs_list_link_attributes(const char *path, char *names, size_t size);
ssize_t cs_get_link_attribute(const char *path, const char *name, void *value, size_t size);
int cs_set_link_attribute(const char *path, const char *name, const void *value, size_t size);
int cs_remove_link_attribute(const char *path, const char *name);
ssize_t cs_list_attributes_at(int dir, const char *name, char *names, size_t size);
ssize_t cs_get_attribute_at(int dir, const char *name, const char *attribute, void *value, size_t size);
int cs_set_attribute_at(int dir, const char *name, const char *attribute, const void *value, size_t size);
int cs_remove_attribute_at(int dir, const char *name, const char *attribute);

uint64_t cs_makedev(uint32_t major, uint32_t minor);
uint32_t cs_major(uint64_t dev);
uint32_t cs_minor(uint64_t dev);

// The bytes of memory that this process can use: the machine's memory, or a lower limit of the process.
uint64_t cs_memory(void);
int cs_filesystem_size(int fd, uint64_t *bytes);  // the whole size, used space included
int cs_filesystem_free(int fd, uint64_t *bytes);  // what this user may still write
int cs_packs_content(int fd);  // 1 when a file may take less space than it has bytes, as on a file system that compresses

int cs_processor_count(void);  // processors that this process may run on

// Constants that Swift cannot import.
extern const int cs_o_path;  // O_PATH, or O_RDONLY where there is no O_PATH
extern const int cs_o_path_no_follow;  // the same, but opens a link itself
extern const int cs_no_attribute;  // ENODATA or ENOATTR

// Searching bytes. cs_find returns the offset of the first place that has `needle`, or -1.
ssize_t cs_find(const void *bytes, size_t count, const void *needle, size_t needle_count);
// The offset of the first or the last byte that is `byte`, or -1.
ssize_t cs_first_byte(const void *bytes, size_t count, uint8_t byte);
ssize_t cs_last_byte(const void *bytes, size_t count, uint8_t byte);
// An extended regular expression of POSIX, for bytes: no locale. NULL, with the reason in `why`, when it is not one.
// One thread at a time may use it.
void *cs_regex_new(const char *pattern, int ignores_case, char *why, size_t why_size);
void cs_regex_free(void *regex);
// The first match in `count` bytes, which may have NULs. `^` and `$` match at line breaks, too. Returns 1 and the place,
// 0 for no match, and -1 when memory is short.
int cs_regex_find(void *regex, const void *bytes, size_t count, size_t *start, size_t *end);

#endif
