/* What compiled models carry of the runtime: C that Clang turns into bitcode
 * when Tenon is built and that is linked into each model's module. Calls
 * nothing but memcpy and memmove. */
#ifndef TENON_RUNTIME_CORE_CORE_H
#define TENON_RUNTIME_CORE_CORE_H

#include "../tenon_abi.h"

/* Before and after a kernel. A nonzero answer of the first says that the run is
 * cancelled: nothing more is to be launched. */
int32_t tenon_core_begin(tenon_call *call, int32_t launch, int64_t flops,
                         int64_t bytes);
void tenon_core_end(tenon_call *call, int32_t launch, int64_t flops,
                    int64_t bytes);

/* Which of `count` versions a call runs, counted from 1: the one it names, or
 * the first that this machine can run, which it then names. 0 after a fault:
 * there is none. */
int32_t tenon_core_version(tenon_call *call, const tenon_version_desc *versions,
                           int32_t count);

/* Runs fn over [0, tasks): through the pool of the call where there is one and
 * the work, `flops` and `bytes`, is worth it, else on the spot. Tasks not begun
 * when the run is cancelled are left out. */
void tenon_core_parallel(tenon_call *call, tenon_task_fn fn, void *args,
                         int64_t tasks, int64_t flops, int64_t bytes);

/* Records a fault of the run, unless another one came first. The entry reads it
 * after the parallel loop, so the claim needs no ordering of its own. */
void tenon_core_fault(tenon_call *call, int32_t code, int32_t site,
                      int64_t found, int64_t low, int64_t high);

/* Sorts a line of keys that stand `stride` elements apart, and moves `indices`,
 * all different, with them; equal keys keep the order of their indices. NaN is
 * greater than every number and equal to NaN, -0 equals 0. f16 and bf16 are
 * their bits. */
#define TENON_CORE_SORTS(SORT)                                                 \
  SORT(f32, float)                                                             \
  SORT(f64, double)                                                            \
  SORT(f16, uint16_t)                                                          \
  SORT(bf16, uint16_t)                                                         \
  SORT(i8, int8_t)                                                             \
  SORT(i16, int16_t)                                                           \
  SORT(i32, int32_t)                                                           \
  SORT(i64, int64_t)                                                           \
  SORT(u8, uint8_t)                                                            \
  SORT(u16, uint16_t)                                                          \
  SORT(u32, uint32_t)                                                          \
  SORT(u64, uint64_t)

#define TENON_CORE_DECLARE(NAME, TYPE)                                         \
  void tenon_core_sort_##NAME(TYPE *keys, int64_t *indices, int64_t count,     \
                              int64_t stride, int32_t descending);
TENON_CORE_SORTS(TENON_CORE_DECLARE)
#undef TENON_CORE_DECLARE

/* Greedy non-maximum suppression of `boxes` [batches, boxes, 4] by `scores`
 * [batches, classes, boxes]: per batch and class at most `limit` boxes in
 * falling order of score, each above `score_threshold` and overlapping no box
 * taken before by more than `iou_threshold`. Rows (batch, class, box) go to
 * `selected`; returns how many. Boxes are (y1, x1, y2, x2), corners in any
 * order, or with `center` (x, y, width, height). */
int64_t tenon_core_nms(const float *boxes, const float *scores, int64_t batches,
                       int64_t classes, int64_t count, int64_t limit,
                       float iou_threshold, float score_threshold,
                       int32_t center, int64_t *selected);

#endif /* TENON_RUNTIME_CORE_CORE_H */
