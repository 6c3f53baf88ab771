/* A text that repeats itself is compressed well. */
#include "transcriber.h"

#include <zlib.h>

/* Bytes of an id: as many as the vocabulary's logarithm needs, and one. */
static size_t bytes_of_ids(int64_t vocabulary) {
  int bits = 0;
  while (vocabulary >> (bits + 1))
    ++bits;
  return (size_t)bits / 8 + 1;
}

tenon_status tenon_compression_ratio(tenon_transcriber *transcriber,
                                     const int64_t *ids, size_t count,
                                     float *ratio) {
  tenon_generator *generator = transcriber->generator;
  size_t width = bytes_of_ids(transcriber->speech.vocabulary);
  size_t bytes = tenon_size_product(count, width);
  uLongf room = compressBound(bytes);
  tenon_status status = tenon_reserve(generator, &transcriber->packed, bytes);
  if (status == TENON_OK)
    status = tenon_reserve(generator, &transcriber->compressed, room);
  if (status != TENON_OK)
    return tenon_generator_failed(transcriber, status);
  uint8_t *to = transcriber->packed.data;
  for (size_t i = 0; i < count; ++i)
    for (size_t byte = 0; byte < width; ++byte)
      *to++ = (uint8_t)((uint64_t)ids[i] >> (8 * byte));
  if (compress(transcriber->compressed.data, &room, transcriber->packed.data,
               bytes) != Z_OK) {
    tenon_text_add(&transcriber->text, "out of memory");
    return TENON_LIMIT;
  }
  *ratio = (float)((double)bytes / (double)room);
  return TENON_OK;
}
