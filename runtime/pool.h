/* The built-in thread pool: one parallel loop at a time over a few workers that
 * spin shortly and then sleep. */
#ifndef TENON_RUNTIME_POOL_H
#define TENON_RUNTIME_POOL_H

#include "tenon_abi.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

typedef struct tenon_pool {
  /* The loop under way; written only while no worker is inside. */
  tenon_task_fn fn;
  void *args;
  int64_t count;
  int64_t chunk;
  _Alignas(64) _Atomic int64_t next; /* first task not yet taken */
  /* Bit 31: the loop may be joined. Bit 30: the caller sleeps until nobody is
   * inside. Below: the number of workers inside. */
  _Alignas(64) _Atomic uint32_t gate;
  _Alignas(64) _Atomic uint32_t epoch; /* counts loops; workers sleep on it */
  _Atomic uint32_t sleepers;
  _Atomic int busy; /* a loop is under way; others run inline */
  _Atomic int stop;
  int32_t wanted;  /* workers, the caller not counted */
  int32_t started; /* of them; -1: none tried yet */
  int32_t spins;
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
