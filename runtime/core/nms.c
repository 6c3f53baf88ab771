/* Non-maximum suppression without memory of its own. Candidates are visited in
 * falling order of score; the boxes taken so far are read back from the output.
 * */
#include "core.h"

struct box {
  float low_y, low_x, high_y, high_x;
};

static struct box load_box(const float *at, int32_t center) {
  struct box box;
  float y1 = at[0], x1 = at[1], y2 = at[2], x2 = at[3];
  if (center) {
    x1 = at[0] - at[2] / 2;
    x2 = at[0] + at[2] / 2;
    y1 = at[1] - at[3] / 2;
    y2 = at[1] + at[3] / 2;
  }
  box.low_y = y1 < y2 ? y1 : y2;
  box.high_y = y1 < y2 ? y2 : y1;
  box.low_x = x1 < x2 ? x1 : x2;
  box.high_x = x1 < x2 ? x2 : x1;
  return box;
}

/* True if the boxes overlap by more than `threshold`. Boxes with no common area
 * never overlap, whatever the threshold. */
static int overlaps(struct box a, struct box b, float threshold) {
  float low_y = a.low_y > b.low_y ? a.low_y : b.low_y;
  float low_x = a.low_x > b.low_x ? a.low_x : b.low_x;
  float high_y = a.high_y < b.high_y ? a.high_y : b.high_y;
  float high_x = a.high_x < b.high_x ? a.high_x : b.high_x;
  float height = high_y - low_y, width = high_x - low_x;
  if (!(height > 0) || !(width > 0))
    return 0;
  float common = height * width;
  float area_a = (a.high_y - a.low_y) * (a.high_x - a.low_x);
  float area_b = (b.high_y - b.low_y) * (b.high_x - b.low_x);
  return common / (area_a + area_b - common) > threshold;
}

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
