/* The runtime's pool for C++ tests: pool.h uses C atomics. */
#ifndef TENON_TEST_RUNTIME_POOL_DOOR_H
#define TENON_TEST_RUNTIME_POOL_DOOR_H

#include "runtime/tenon_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

void *pool_create(int32_t threads);
void pool_run(void *pool, tenon_task_fn fn, void *args, int64_t count);
void pool_destroy(void *pool);
int32_t allowed_cpus(void);

#ifdef __cplusplus
}
#endif

#endif /* TENON_TEST_RUNTIME_POOL_DOOR_H */
