/* Parallel loops, called by generated code. Tasks are grouped into pieces that
 * are large enough to hand to another thread. A cancelled run stops between
 * tasks, and starts no further kernel. */
#include "core.h"

enum {
  /* Low estimates of one core's rates per nanosecond. An estimate of the work
   * that is too large costs a microsecond for the pool; one that is too small
   * leaves cores unused. */
  FLOPS_A_NANOSECOND = 16,
  BYTES_A_NANOSECOND = 16,
  PIECE_NANOSECONDS = 2000,
  EVEN_PIECES = 8,
  MOST_PIECES = 1 << 14,
  /* One to two milliseconds of work at the rates of AVX-512. Tasks between two
   * polls of the cancel flag run in one call and share its preparations. */
  BYTES_BETWEEN_POLLS = 32000000,
  FLOPS_A_BYTE = 8,
};

static int32_t is_cancelled(tenon_call *call) {
  if (!call->cancel || *call->cancel == 0)
    return 0;
  tenon_core_fault(call, TENON_FAULT_CANCELLED, -1, 0, 0, 0);
  return 1;
}

void tenon_core_begin(tenon_call *call, int32_t launch, int64_t flops,
                      int64_t bytes) {
  if (call->profile)
    call->profile(call->profile_state, launch, 0, flops, bytes);
}

int32_t tenon_core_end(tenon_call *call, int32_t launch, int64_t flops,
                       int64_t bytes) {
  if (call->profile)
    call->profile(call->profile_state, launch, 1, flops, bytes);
  return is_cancelled(call);
}

struct loop {
  tenon_call *call;
  tenon_task_fn fn;
  void *args;
  int64_t tasks, pieces;
  int64_t step; /* tasks between two polls of the cancel flag */
};

/* The first task of a piece. Some pieces have one task more than others; they
 * are spread evenly, so that the first half of the pieces has half of the
 * tasks. Loops over the same data are then split at the same places. */
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
  /* Round up so that two, four or eight threads get equally many pieces. */
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
