// Preloaded into a program, this library makes the folder that SMALL_DISK names behave like a small disk: a file has no
// space after byte SMALL_DISK_ROOM. If that number is negative, the disk is read-only.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_on_disk(const char *path) {
  const char *disk = getenv("SMALL_DISK");
  size_t length = disk ? strlen(disk) : 0;
  return length && strncmp(path, disk, length) == 0 && path[length] == '/';
}

static int is_file_on_disk(int file) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return is_on_disk(path);
}

static off_t room(void) {
  const char *room = getenv("SMALL_DISK_ROOM");
  return room ? atoll(room) : LLONG_MAX;
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  // A caller that creates no file has passed no mode, and the mode is not used then.
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (room() < 0 && (flags & (O_CREAT | O_ACCMODE)) && is_on_disk(path)) {
    errno = EROFS;
    return -1;
  }
  return syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  if (is_file_on_disk(file)) {
    if (count && room() <= offset) {
      errno = ENOSPC;
      return -1;
    }
    if (room() - offset < (off_t)count) count = room() - offset;
  }
  return syscall(SYS_pwrite64, file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off_t offset) __attribute__((alias("pwrite")));
