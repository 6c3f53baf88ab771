/* The built-in thread pool: one parallel loop at a time over a few workers that
 * spin shortly and then sleep. */
#ifndef TENON_RUNTIME_POOL_H
#define TENON_RUNTIME_POOL_H

#include "tenon_abi.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

struct tenon_pool;

/* What a thread has left to do of the loop under way; the caller's is the
 * first. On a line of its own, for a waiting worker reads it all the time. */
typedef struct tenon_share {
  _Alignas(64) _Atomic uint64_t left;
  struct tenon_pool *pool;
  int closed; /* the caller's processor, to a worker that is being woken */
} tenon_share;

typedef struct tenon_pool {
  /* The loop under way, written only while no unit is out: units are runs of
   * tasks. */
  _Alignas(64) tenon_task_fn fn;
  void *args;
  int64_t least;  /* tasks of a unit ... */
  int64_t longer; /* ... and one more in so many, spread among them */
  uint32_t units, loops;
  tenon_share *shares;
  /* Units not yet done; bit 31: the caller sleeps until none is. */
  _Alignas(64) _Atomic uint32_t pending;
  _Alignas(64) _Atomic uint32_t calls; /* to sleepers, who sleep on it */
  _Atomic uint32_t sleepers;
  _Atomic int stop;
  _Atomic int ready;             /* all workers are started */
  _Alignas(64) _Atomic int busy; /* a loop is under way; others run inline */
  int32_t wanted;                /* workers, the caller not counted */
  int32_t started;               /* of them; -1: none tried yet */
  uint32_t spin_ticks;
  pid_t process;
  pthread_t *workers;
} tenon_pool;

/* The CPUs this process may use, at least 1. */
int32_t tenon_allowed_cpus(void);

/* Prepares a pool for `threads` threads, the caller included. No thread is
 * started before the first loop. */
void tenon_pool_init(tenon_pool *pool, int32_t threads);

/* Ends the threads. No loop may be under way. */
void tenon_pool_destroy(tenon_pool *pool);

/* A tenon_parallel_fn whose pool is a tenon_pool. Loops of one task, nested
 * loops and loops met while the pool is taken run on the calling thread. */
void tenon_pool_parallel(void *pool, tenon_task_fn fn, void *args,
                         int64_t count);

#endif /* TENON_RUNTIME_POOL_H */
