/* Cuts the text of a window at its times, as Hugging Face's library does. */
#include "transcriber.h"

/* A time id is 0.02 s, which is two frames of the sound. */
static const double SECONDS = 0.02;

size_t tenon_cut_segments(const int64_t *ids, size_t count,
                          int64_t first_timestamp, int64_t width,
                          tenon_piece *pieces, int64_t *frames) {
  size_t made = 0, first = 0;
  int64_t last_time = -1;
  for (size_t i = 0; i < count; ++i) {
    int is_time = ids[i] >= first_timestamp;
    if (is_time)
      last_time = ids[i] - first_timestamp;
    if (i == 0 || !is_time || ids[i - 1] < first_timestamp)
      continue;
    /* A pair: its first time ends a piece, its second one begins the next. */
    pieces[made++] = (tenon_piece){.first = first, .count = i - first};
    first = i;
  }
  *frames = width;
  if (made == 0) {
    int64_t end = last_time > 0 ? last_time : width / 2;
    pieces[0] = (tenon_piece){.count = count, .end = (double)end * SECONDS};
    return 1;
  }
  int ends_with_time =
      ids[count - 1] >= first_timestamp && ids[count - 2] < first_timestamp;
  if (ends_with_time)
    pieces[made++] = (tenon_piece){.first = first, .count = count - first};
  for (size_t i = 0; i < made; ++i) {
    tenon_piece *piece = &pieces[i];
    int64_t start = ids[piece->first] - first_timestamp;
    int64_t end = ids[piece->first + piece->count - 1] - first_timestamp;
    piece->start = (double)start * SECONDS;
    piece->end = (double)end * SECONDS;
  }
  if (!ends_with_time) {
    /* The rest is unfinished: the next window begins at the last pair. The last
     * piece keeps both ids of it. */
    tenon_piece *last = &pieces[made - 1];
    *frames = 2 * (ids[last->first + last->count - 1] - first_timestamp);
    ++last->count;
  }
  return made;
}
