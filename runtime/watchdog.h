/* Deadlines: one thread per model sets the cancel flag of each late run. */
#ifndef TENON_RUNTIME_WATCHDOG_H
#define TENON_RUNTIME_WATCHDOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

/* One run with a deadline. */
typedef struct tenon_watch {
  int64_t deadline; /* CLOCK_MONOTONIC, nanoseconds */
  _Atomic int32_t *flag;
  int32_t value; /* or'ed into *flag when late */
  int active;
  struct tenon_watch *next, *previous;
} tenon_watch;

typedef struct tenon_watchdog {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  tenon_watch *first;
  int started, stop;
  pid_t process;
  pthread_t thread;
} tenon_watchdog;

/* Prepares the watchdog without its thread. Returns 0 or an errno. */
int tenon_watchdog_init(tenon_watchdog *dog);
void tenon_watchdog_destroy(tenon_watchdog *dog);

/* Starts a deadline of `timeout` nanoseconds from now. Returns 0, or an errno
 * if the thread cannot be started. */
int tenon_watchdog_add(tenon_watchdog *dog, tenon_watch *watch,
                       int64_t timeout);

/* Ends the watch: afterwards the flag is not set any more. */
void tenon_watchdog_remove(tenon_watchdog *dog, tenon_watch *watch);

#endif /* TENON_RUNTIME_WATCHDOG_H */
