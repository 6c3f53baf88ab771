/* Non-maximum suppression without memory of its own. Candidates are visited in
 * falling order of score; the boxes taken so far are read back from the output.
 * */
#include "boxes.h"

/* The candidate after `last` in falling order of score; among equal scores the
 * lower index comes first. Returns -1 if none is left. Boxes with a NaN score
 * are never candidates. */
static int64_t next_candidate(const float *scores, int64_t count, int64_t last,
                              float threshold) {
  int64_t best = -1;
  for (int64_t i = 0; i < count; ++i) {
    if (!(scores[i] > threshold))
      continue;
    int after = last < 0 || scores[i] < scores[last] ||
                (scores[i] == scores[last] && i > last);
    if (after && (best < 0 || scores[i] > scores[best]))
      best = i;
  }
  return best;
}

int64_t tenon_core_nms(const float *boxes, const float *scores, int64_t batches,
                       int64_t classes, int64_t count, int64_t limit,
                       float iou_threshold, float score_threshold,
                       int32_t center, int64_t *selected) {
  int64_t total = 0;
  for (int64_t batch = 0; batch < batches; ++batch)
    for (int64_t class = 0; class < classes; ++class) {
      const float *own = scores + (batch * classes + class) * count;
      const float *place = boxes + batch * count * 4;
      int64_t first = total, candidate = -1;
      while (total - first < limit &&
             (candidate = next_candidate(own, count, candidate,
                                         score_threshold)) >= 0) {
        struct box box = load_box(place + candidate * 4, center);
        int clear = 1;
        for (int64_t i = first; i < total && clear; ++i)
          clear =
              !overlaps(box, load_box(place + selected[i * 3 + 2] * 4, center),
                        iou_threshold);
        if (!clear)
          continue;
        selected[total * 3] = batch;
        selected[total * 3 + 1] = class;
        selected[total * 3 + 2] = candidate;
        ++total;
      }
    }
  return total;
}
