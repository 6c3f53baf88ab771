/* Non-maximum suppression. Candidates are visited in falling order of score, a
 * batch at a time: memory is bounded, and a box that is taken strikes out the
 * candidates of its batch in one loop without branches. Later batches read the
 * boxes taken so far back from the output. */
#include "boxes.h"

/* More need fewer passes over the scores, and more of the stack. */
enum { BATCH = 512 };

struct batch {
  int64_t count;
  float scores[2 * BATCH]; /* twice as many while they are collected */
  int64_t places[2 * BATCH];
  float low_y[BATCH], low_x[BATCH], high_y[BATCH], high_x[BATCH];
  int32_t struck[BATCH]; /* nonzero: overlaps a box that was taken */
};

/* Strikes out the candidates from number `first` on that overlap the box. */
static void strike(struct batch *batch, int64_t first, struct box box,
                   float threshold) {
  for (int64_t i = first; i < batch->count; ++i) {
    struct box other = {batch->low_y[i], batch->low_x[i], batch->high_y[i],
                        batch->high_x[i]};
    batch->struck[i] |= overlaps(other, box, threshold);
  }
}

/* Orders the collected candidates by falling score, those with equal scores by
 * place, and keeps the first of them. */
static void keep_first(struct batch *batch) {
  tenon_core_sort_f32(batch->scores, batch->places, batch->count, 1, 1);
  batch->count = batch->count < BATCH ? batch->count : BATCH;
}

/* Collects the candidates that come after candidate `last`, or the first ones
 * if it is negative. Boxes with a NaN score are never candidates. */
static void collect(struct batch *batch, const float *scores, int64_t count,
                    int64_t last, float threshold) {
  int is_full = 0;
  float lowest = 0; /* if full: later candidates must be above it */
  batch->count = 0;
  for (int64_t i = 0; i < count; ++i) {
    float score = scores[i];
    if (!(score > threshold) || (is_full && !(score > lowest)))
      continue;
    if (last >= 0 && !(score < scores[last]) &&
        !(score == scores[last] && i > last))
      continue;
    batch->scores[batch->count] = score;
    batch->places[batch->count] = i;
    if (++batch->count < 2 * BATCH)
      continue;
    keep_first(batch);
    is_full = 1;
    lowest = batch->scores[BATCH - 1];
  }
  keep_first(batch);
}

static void load_boxes(struct batch *batch, const float *boxes,
                       int32_t center) {
  for (int64_t i = 0; i < batch->count; ++i) {
    struct box box = load_box(boxes + batch->places[i] * 4, center);
    batch->low_y[i] = box.low_y;
    batch->low_x[i] = box.low_x;
    batch->high_y[i] = box.high_y;
    batch->high_x[i] = box.high_x;
    batch->struck[i] = 0;
  }
}

int64_t tenon_core_nms(const float *boxes, const float *scores, int64_t batches,
                       int64_t classes, int64_t count, int64_t limit,
                       float iou_threshold, float score_threshold,
                       int32_t center, int64_t *selected) {
  struct batch batch;
  int64_t total = 0;
  for (int64_t entry = 0; entry < batches; ++entry)
    for (int64_t class = 0; class < classes; ++class) {
      const float *own = scores + (entry * classes + class) * count;
      const float *place = boxes + entry * count * 4;
      int64_t first = total, last = -1;
      while (total - first < limit) {
        collect(&batch, own, count, last, score_threshold);
        if (batch.count == 0)
          break;
        last = batch.places[batch.count - 1];
        load_boxes(&batch, place, center);
        for (int64_t i = first; i < total; ++i)
          strike(&batch, 0, load_box(place + selected[i * 3 + 2] * 4, center),
                 iou_threshold);
        for (int64_t i = 0; i < batch.count && total - first < limit; ++i) {
          if (batch.struck[i])
            continue;
          selected[total * 3] = entry;
          selected[total * 3 + 1] = class;
          selected[total * 3 + 2] = batch.places[i];
          ++total;
          strike(&batch, i + 1, load_box(place + batch.places[i] * 4, center),
                 iou_threshold);
        }
      }
    }
  return total;
}
