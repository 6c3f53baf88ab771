/* Boxes of non-maximum suppression, and when two of them overlap. */
#ifndef TENON_RUNTIME_CORE_BOXES_H
#define TENON_RUNTIME_CORE_BOXES_H

#include "core.h"

struct box {
  float low_y, low_x, high_y, high_x;
};

static inline struct box load_box(const float *at, int32_t center) {
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
static inline int overlaps(struct box a, struct box b, float threshold) {
  float low_y = a.low_y > b.low_y ? a.low_y : b.low_y;
  float low_x = a.low_x > b.low_x ? a.low_x : b.low_x;
  float high_y = a.high_y < b.high_y ? a.high_y : b.high_y;
  float high_x = a.high_x < b.high_x ? a.high_x : b.high_x;
  float height = high_y - low_y, width = high_x - low_x;
  float common = height * width;
  float area_a = (a.high_y - a.low_y) * (a.high_x - a.low_x);
  float area_b = (b.high_y - b.low_y) * (b.high_x - b.low_x);
  float share = common / (area_a + area_b - common);
  /* Without branches, so that a loop over boxes can use vectors. */
  return (height > 0) & (width > 0) & (share > threshold);
}

#endif /* TENON_RUNTIME_CORE_BOXES_H */
