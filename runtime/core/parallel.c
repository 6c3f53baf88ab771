/* Launches as generated code makes them. Tasks are put together into pieces
 * that are worth handing to another thread; a run that is cancelled stops
 * between tasks, and at the next launch for good. */
#include "core.h"

enum {
  /* What a processor does in a nanosecond, at the least: to judge work too
   * large costs a microsecond, to judge it too small costs a processor. */
  FLOPS_A_NANOSECOND = 16,
  BYTES_A_NANOSECOND = 16,
  PIECE_NANOSECONDS = 2000,
  EVEN_PIECES = 8,
  MOST_PIECES = 1 << 14,
  /* A millisecond or two of work at the rates of AVX-512. Tasks between two
   * looks at the cancel flag share what they prepare. */
  BYTES_BETWEEN_POLLS = 32000000,
  FLOPS_A_BYTE = 8,
};

static int32_t is_cancelled(tenon_call *call) {
  if (!call->cancel || *call->cancel == 0)
    return 0;
  tenon_core_fault(call, TENON_FAULT_CANCELLED, -1, 0, 0, 0);
  return 1;
}

int32_t tenon_core_begin(tenon_call *call, int32_t launch, int64_t flops,
                         int64_t bytes) {
  if (is_cancelled(call))
    return 1;
  if (call->profile)
    call->profile(call->profile_state, launch, 0, flops, bytes);
  return 0;
}

void tenon_core_end(tenon_call *call, int32_t launch, int64_t flops,
                    int64_t bytes) {
  if (call->profile)
    call->profile(call->profile_state, launch, 1, flops, bytes);
}

struct loop {
  tenon_call *call;
  tenon_task_fn fn;
  void *args;
  int64_t tasks, pieces;
  int64_t step; /* tasks between looks at the cancel flag */
};

/* Pieces that are one task longer than others are spread among them: half of
 * the pieces are half of the tasks, of all loops over the same data. */
static int64_t first_task(const struct loop *loop, int64_t piece) {
  return piece * (loop->tasks / loop->pieces) +
         piece * (loop->tasks % loop->pieces) / loop->pieces;
}

/* Runs the pieces [begin, end). */
static void run_pieces(void *args, int64_t begin, int64_t end) {
  const struct loop *loop = args;
  int64_t last = first_task(loop, end);
  for (int64_t at = first_task(loop, begin), next; at < last; at = next) {
    if (is_cancelled(loop->call))
      return;
    next = last - at < loop->step ? last : at + loop->step;
    loop->fn(loop->args, at, next);
  }
}

void tenon_core_parallel(tenon_call *call, tenon_task_fn fn, void *args,
                         int64_t tasks, int64_t flops, int64_t bytes) {
  if (tasks <= 0)
    return;
  int64_t work = flops / FLOPS_A_NANOSECOND + bytes / BYTES_A_NANOSECOND;
  int64_t pieces = work / PIECE_NANOSECONDS;
  int64_t steps = (flops / FLOPS_A_BYTE + bytes) / BYTES_BETWEEN_POLLS;
  if (pieces > MOST_PIECES)
    pieces = MOST_PIECES;
  /* As many for each of two, four or eight threads. */
  int64_t even = pieces < EVEN_PIECES ? 2 : EVEN_PIECES;
  if (pieces > 1)
    pieces = (pieces + even - 1) / even * even;
  if (pieces > tasks)
    pieces = tasks;
  if (pieces < 1)
    pieces = 1;
  struct loop loop = {call, fn, args, tasks, pieces, tasks};
  if (steps > 0)
    loop.step = tasks / steps > 0 ? tasks / steps : 1;
  if (pieces == 1 || !call->parallel)
    run_pieces(&loop, 0, pieces);
  else
    call->parallel(call->pool, run_pieces, &loop, pieces);
}
