/* The part of the runtime that compiled models contain. Clang compiles this C
 * to bitcode when Tenon is built, and the compiler links it into each model's
 * module. It calls nothing but memcpy and memmove. */
#ifndef TENON_RUNTIME_CORE_CORE_H
#define TENON_RUNTIME_CORE_CORE_H

#include "../tenon_abi.h"

/* Called before and after a kernel. tenon_core_end returns nonzero if the run is
 * cancelled. The kernel may then have skipped tasks: nothing that follows from
 * its results may be written, and no further kernel be launched. */
void tenon_core_begin(tenon_call *call, int32_t launch, int64_t flops,
                      int64_t bytes);
int32_t tenon_core_end(tenon_call *call, int32_t launch, int64_t flops,
                       int64_t bytes);

/* The version that a call runs, counted from 1. It is call->version if that is
 * set. Otherwise it is the first of `count` versions that this machine can run
 * without a device, which is then stored in call->version. If there is none,
 * returns 0 after a fault. */
int32_t tenon_core_version(tenon_call *call, const tenon_version_desc *versions,
                           int32_t count);

/* Runs fn over [0, tasks). The call's pool is used if there is one and the
 * work, estimated from `flops` and `bytes`, is large enough; otherwise the
 * calling thread runs all tasks. Tasks that have not begun when the run is
 * cancelled are skipped. */
void tenon_core_parallel(tenon_call *call, tenon_task_fn fn, void *args,
                         int64_t tasks, int64_t flops, int64_t bytes);

/* Records a fault of the run, unless an earlier fault is recorded. The entry
 * reads the fault after the parallel loop has ended, so no memory ordering is
 * needed here. */
void tenon_core_fault(tenon_call *call, int32_t code, int32_t site,
                      int64_t found, int64_t low, int64_t high);

/* Sorts a row of keys that stand `stride` elements apart, and permutes
 * `indices` with them. Indices must be distinct; equal keys are ordered by
 * their indices. NaN is greater than every number and equal to NaN, and -0
 * equals 0. f16 and bf16 keys are passed as their bits. */
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

/* tenon_core_top_TYPE writes the `wanted` first elements of the sorted row, and
 * their positions in the row. The elements of the row, of `keys` and of
 * `indices` stand `stride` elements apart; `wanted` is at most `count`. */
#define TENON_CORE_DECLARE(NAME, TYPE)                                         \
  void tenon_core_sort_##NAME(TYPE *keys, int64_t *indices, int64_t count,     \
                              int64_t stride, int32_t descending);             \
  void tenon_core_top_##NAME(const TYPE *row, int64_t count, TYPE *keys,       \
                             int64_t *indices, int64_t wanted, int64_t stride, \
                             int32_t descending);
TENON_CORE_SORTS(TENON_CORE_DECLARE)
#undef TENON_CORE_DECLARE

/* The `wanted` elements with the greatest ranks of one row; among equal ranks
 * the lower places come first. The caller goes over the row once, with
 * ascending places, and takes at least the elements whose ranks reach the limit
 * that the last call returned. `wanted` is at least 1.
 *
 * `memory` is TENON_TOP_WORDS + 2 * room words, where the room is even and at
 * least 2 * wanted + 128. The samples are lower bounds: `count` different
 * elements of the row have ranks that are not below them. They raise the first
 * limit and may be omitted. */
enum { TENON_TOP_WORDS = 4 };
int32_t tenon_core_top_begin(int32_t *memory, int64_t room, int64_t wanted,
                             const int32_t *samples, int64_t count);

/* Takes the elements at the places first + i for each bit i of the mask;
 * ranks[i] is the rank. */
int32_t tenon_core_top_take(int32_t *memory, const int32_t *ranks,
                            uint64_t mask, int64_t first);

/* Writes the places of the elements in falling order of rank. Fewer than
 * `wanted` elements are written if no more were taken. */
void tenon_core_top_end(int32_t *memory, int64_t *order);

/* Greedy non-maximum suppression of `boxes` [batches, boxes, 4] by `scores`
 * [batches, classes, boxes]. For each batch and class it takes at most `limit`
 * boxes in falling order of score. Each has a score above `score_threshold` and
 * overlaps no box taken before by more than `iou_threshold`. A row (batch,
 * class, box) is written to `selected` for each box taken; returns the number
 * of rows. A box is two opposite corners (y1, x1, y2, x2), or with `center` (x,
 * y, width, height). */
int64_t tenon_core_nms(const float *boxes, const float *scores, int64_t batches,
                       int64_t classes, int64_t count, int64_t limit,
                       float iou_threshold, float score_threshold,
                       int32_t center, int64_t *selected);

#endif /* TENON_RUNTIME_CORE_CORE_H */
