/* The parallel loop as generated code calls it. */
#include "core.h"

void tenon_core_parallel(tenon_call *call, tenon_task_fn fn, void *args,
                         int64_t count) {
  if (count <= 0)
    return;
  if (count == 1 || !call->parallel)
    fn(args, 0, count);
  else
    call->parallel(call->pool, fn, args, count);
}
