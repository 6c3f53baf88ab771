/* The built-in thread pool. It runs one parallel loop at a time on a few
 * workers, which spin for a short time and then sleep. */
#ifndef TENON_RUNTIME_POOL_H
#define TENON_RUNTIME_POOL_H

#include "tenon_abi.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

struct tenon_pool;

/* The units of the current loop that one thread has not taken yet; the first
 * share is the caller's. It has a cache line of its own, because a waiting
 * worker reads it all the time. */
typedef struct tenon_share {
  _Alignas(64) _Atomic uint64_t left;
  struct tenon_pool *pool;
  int closed; /* the worker's affinity excludes the caller's CPU */
} tenon_share;

typedef struct tenon_pool {
  /* The current loop, written only when no unit is taken. A unit is a run of
   * tasks. */
  _Alignas(64) tenon_task_fn fn;
  void *args;
  int64_t least;  /* tasks of each unit ... */
  int64_t longer; /* ... and this many units have one more, spread evenly */
  uint32_t units, loops;
  tenon_share *shares;
  /* Units not yet done. Bit 31: the caller sleeps until there are none. */
  _Alignas(64) _Atomic uint32_t pending;
  _Alignas(64) _Atomic uint32_t calls; /* wake-ups; sleepers wait on it */
  _Atomic uint32_t sleepers;
  _Atomic int stop;
  _Atomic int ready;             /* all workers are started */
  _Alignas(64) _Atomic int busy; /* a loop runs; others run inline */
  int32_t wanted;  /* number of workers wanted, without the caller */
  int32_t started; /* number started; -1: not tried yet */
  uint32_t spin_ticks;
  pid_t process;
  pthread_t *workers;
} tenon_pool;

/* The number of CPUs this process may use, at least 1. */
int32_t tenon_allowed_cpus(void);

/* Prepares a pool of `threads` threads, including the caller. Workers are
 * started by the first loop. */
void tenon_pool_init(tenon_pool *pool, int32_t threads);

/* Ends the workers. No loop may be running. */
void tenon_pool_destroy(tenon_pool *pool);

/* A tenon_parallel_fn; `pool` is a tenon_pool. The calling thread alone runs
 * loops of one task, nested loops, and loops that start while the pool is busy.
 * */
void tenon_pool_parallel(void *pool, tenon_task_fn fn, void *args,
                         int64_t count);

#endif /* TENON_RUNTIME_POOL_H */
