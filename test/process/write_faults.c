/* A library that is preloaded into the compiler and its linkers. It counts the
 * calls on files of one folder and makes one of them fail, as a full or broken
 * disk or a kill would. Without the variable that names the plan it does
 * nothing. */
#include "test/process/write_faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct write_faults *plan;

#define REAL(NAME) ((__typeof__(&NAME))dlsym(RTLD_NEXT, #NAME))

__attribute__((constructor)) static void attach(void) {
  const char *path = getenv(WRITE_FAULTS_VARIABLE);
  int fd = path ? REAL(open)(path, O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0)
    return;
  void *at =
      REAL(mmap)(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  REAL(close)(fd);
  if (at == MAP_FAILED)
    return;
  plan = at;
  pid_t nobody = 0;
  __atomic_compare_exchange_n(&plan->compiler, &nobody, getpid(), 0,
                              __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static int watched_path(const char *path) {
  if (!plan || !path)
    return 0;
  size_t length = strlen(plan->folder);
  return strncmp(path, plan->folder, length) == 0 && path[length] == '/';
}

static int watched(int fd) {
  char name[64], path[4096];
  if (!plan)
    return 0;
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(name, path, sizeof path - 1);
  if (length < 0)
    return 0;
  path[length] = 0;
  return watched_path(path);
}

/* Counts a call that may fail. `only_kills` excludes errors, for calls whose
 * failure nobody reports. Nonzero: the call must fail; errno is set. */
static int goes_wrong(const char *call, int only_kills) {
  if (only_kills && plan->kind == WRITE_FAULT_ERROR)
    return 0;
  if (plan->kind == WRITE_FAULT_HANG && getpid() == plan->compiler)
    return 0;
  long now = __atomic_add_fetch(&plan->calls, 1, __ATOMIC_SEQ_CST);
  int later = plan->lasting && plan->fired && now > plan->at &&
              strncmp(call, "rename", 6) != 0 && strcmp(call, "close") != 0;
  if (now != plan->at && !later)
    return 0;
  if (now == plan->at) {
    plan->fired = 1;
    strncpy(plan->call, call, sizeof plan->call - 1);
  }
  switch (plan->kind) {
  case WRITE_FAULT_ERROR:
    errno = plan->number;
    return 1;
  case WRITE_FAULT_SIGNAL:
    kill(plan->compiler, plan->number);
    return 0;
  case WRITE_FAULT_KILL:
    kill(plan->compiler, SIGKILL);
    kill(0, SIGKILL);
    return 0;
  case WRITE_FAULT_HANG:
    for (;;)
      pause();
  }
  return 0;
}

static int opening_fails(const char *path, int flags) {
  const char *call =
      flags & (O_CREAT | O_WRONLY | O_RDWR) ? "open" : "open for reading";
  return watched_path(path) && goes_wrong(call, 0);
}

#define OPEN(NAME)                                                             \
  int NAME(const char *path, int flags, ...) {                                 \
    va_list more;                                                              \
    va_start(more, flags);                                                     \
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;                  \
    va_end(more);                                                              \
    return opening_fails(path, flags) ? -1 : REAL(NAME)(path, flags, mode);    \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(NAME)                                                           \
  int NAME(int folder, const char *path, int flags, ...) {                     \
    va_list more;                                                              \
    va_start(more, flags);                                                     \
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;                  \
    va_end(more);                                                              \
    return opening_fails(path, flags) ? -1                                     \
                                      : REAL(NAME)(folder, path, flags, mode); \
  }
OPENAT(openat)
OPENAT(openat64)

/* Defines RESULT NAME(PARAMETERS), which is called with ARGUMENTS and returns
 * FAILURE on a fault. */
#define ON_FILE(RESULT, NAME, FAILURE, PARAMETERS, ARGUMENTS)                  \
  RESULT NAME PARAMETERS {                                                     \
    if (watched(fd) && goes_wrong(#NAME, 0))                                   \
      return FAILURE;                                                          \
    return REAL(NAME) ARGUMENTS;                                               \
  }
ON_FILE(ssize_t, write, -1, (int fd, const void *from, size_t size),
        (fd, from, size))
ON_FILE(ssize_t, pwrite, -1, (int fd, const void *from, size_t size, off_t at),
        (fd, from, size, at))
ON_FILE(ssize_t, pwrite64, -1,
        (int fd, const void *from, size_t size, off64_t at),
        (fd, from, size, at))
ON_FILE(ssize_t, read, -1, (int fd, void *to, size_t size), (fd, to, size))
ON_FILE(ssize_t, pread, -1, (int fd, void *to, size_t size, off_t at),
        (fd, to, size, at))
ON_FILE(ssize_t, pread64, -1, (int fd, void *to, size_t size, off64_t at),
        (fd, to, size, at))
ON_FILE(int, fsync, -1, (int fd), (fd))
ON_FILE(int, fdatasync, -1, (int fd), (fd))
ON_FILE(int, ftruncate, -1, (int fd, off_t size), (fd, size))
ON_FILE(int, ftruncate64, -1, (int fd, off64_t size), (fd, size))
ON_FILE(int, posix_fallocate, errno, (int fd, off_t at, off_t size),
        (fd, at, size))
ON_FILE(int, posix_fallocate64, errno, (int fd, off64_t at, off64_t size),
        (fd, at, size))
ON_FILE(int, fchmod, -1, (int fd, mode_t mode), (fd, mode))
ON_FILE(void *, mmap, MAP_FAILED,
        (void *place, size_t size, int access, int flags, int fd, off_t at),
        (place, size, access, flags, fd, at))
ON_FILE(void *, mmap64, MAP_FAILED,
        (void *place, size_t size, int access, int flags, int fd, off64_t at),
        (place, size, access, flags, fd, at))

/* A close that reports an error has closed the file. */
int close(int fd) {
  int fails = watched(fd) && goes_wrong("close", 0);
  int error = errno;
  int result = REAL(close)(fd);
  if (!fails)
    return result;
  errno = error;
  return -1;
}

#define ON_NAME(NAME, ONLY_KILLS, PARAMETERS, ARGUMENTS)                       \
  int NAME PARAMETERS {                                                        \
    if (watched_path(path) && goes_wrong(#NAME, ONLY_KILLS))                   \
      return -1;                                                               \
    return REAL(NAME) ARGUMENTS;                                               \
  }

/* The linker renames its own file to the compiler's temporary one, and copies
 * it if that fails. */
int rename(const char *path, const char *to) {
  const char *call = strstr(to, ".part") ? "rename by the linker" : "rename";
  if (watched_path(path) && goes_wrong(call, 0))
    return -1;
  return REAL(rename)(path, to);
}

ON_NAME(renameat2, 0,
        (int folder, const char *path, int other, const char *to,
         unsigned flags),
        (folder, path, other, to, flags))
ON_NAME(unlink, 1, (const char *path), (path))
