/* Gives C++ tests access to a pool: allocates it and passes a plain pointer. */
#include "pool_door.h"

#include <stdlib.h>

#include "runtime/pool.h"

void *pool_create(int32_t threads) {
  tenon_pool *pool = aligned_alloc(64, sizeof *pool);
  tenon_pool_init(pool, threads);
  return pool;
}

void pool_run(void *pool, tenon_task_fn fn, void *args, int64_t count) {
  tenon_pool_parallel(pool, fn, args, count);
}

void pool_destroy(void *pool) {
  tenon_pool_destroy(pool);
  free(pool);
}

int32_t allowed_cpus(void) { return tenon_allowed_cpus(); }
