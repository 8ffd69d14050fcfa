// Preloaded into a program, this library behaves like a disk or a network that is gone: a read that passes byte
// STALLED_AFTER of the file that STALLED_FILE names never returns. With STALLED_ERROR, the first STALLED_COUNT such reads
// fail with this errno instead, as on a disk that wakes up.
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_stalled(int file, size_t count, off_t offset) {
  const char *path = getenv("STALLED_FILE"), *after = getenv("STALLED_AFTER");
  if (!path || !after || offset + (off_t)count <= atoll(after)) return 0;
  char link[64], name[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, name, sizeof name - 1);
  if (length < 0) return 0;
  name[length] = 0;
  return strcmp(name, path) == 0;
}

static atomic_int failed;

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
  const char *error = getenv("STALLED_ERROR"), *most = getenv("STALLED_COUNT");
  if (is_stalled(file, count, offset)) {
    while (!error) pause();
    if (atomic_fetch_add(&failed, 1) < atoi(most ? most : "1")) {
      errno = atoi(error);
      return -1;
    }
  }
  return syscall(SYS_pread64, file, bytes, count, offset);
}

ssize_t pread64(int file, void *bytes, size_t count, off_t offset) __attribute__((alias("pread")));
