/* The built-in thread pool: one parallel loop at a time over a few workers that
 * spin shortly and then sleep. */
#ifndef TENON_RUNTIME_POOL_H
#define TENON_RUNTIME_POOL_H

#include "tenon_abi.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

typedef struct tenon_pool {
  /* The loop under way. Below: its chunks not yet taken; above: its number.
   * The fields beside it, on the line a waiting worker reads anyway, are
   * written only while no chunk is out. */
  _Alignas(64) _Atomic uint64_t loop;
  tenon_task_fn fn;
  void *args;
  uint32_t chunks;
  uint32_t longer; /* so many chunks, the first, have one task more ... */
  int64_t least;   /* ... than this */
  uint32_t loops;
  /* Chunks not yet done; bit 31: the caller sleeps until none is. */
  _Alignas(64) _Atomic uint32_t pending;
  _Alignas(64) _Atomic uint32_t calls; /* to sleepers, who sleep on it */
  _Atomic uint32_t sleepers;
  _Atomic int stop;
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
