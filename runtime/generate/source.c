/* What an encoder reads. The encoder's results do not depend on the options, so
 * a call with the prompts of the call before does not compute them again. */
#include "generator.h"

#include <string.h>

static int is_held(const tenon_source *source) {
  size_t bytes = source->rows * sizeof(int64_t);
  return source->old_rows == source->rows &&
         source->old_columns == source->columns &&
         memcmp(source->old_lengths.data, source->lengths.data, bytes) == 0 &&
         memcmp(source->old_ids.data, source->ids.data,
                bytes * source->columns) == 0;
}

/* Memory for this call's source and the one before. */
static tenon_status reserve(tenon_generator *generator, size_t bytes) {
  tenon_source *source = &generator->source;
  tenon_buffer *buffers[] = {&source->lengths, &source->ids,
                             &source->old_lengths, &source->old_ids};
  size_t all = tenon_size_product(bytes, source->columns);
  size_t needed[] = {bytes, all, bytes, all};
  for (size_t i = 0; i < 4; ++i) {
    if (i >= 2 && buffers[i]->bytes < needed[i])
      source->old_rows = 0;
    tenon_status status = tenon_reserve(generator, buffers[i], needed[i]);
    if (status != TENON_OK)
      return status;
  }
  return TENON_OK;
}

tenon_status tenon_lay_out_source(tenon_generator *generator,
                                  const tenon_generation *call,
                                  const tenon_call_sizes *sizes) {
  tenon_source *source = &generator->source;
  source->rows = sizes->prompts;
  source->columns = (size_t)sizes->encoder_positions;
  tenon_status status =
      reserve(generator, tenon_size_product(source->rows, sizeof(int64_t)));
  if (status != TENON_OK)
    return status;
  int64_t pad = tenon_option_value(generator, "pad_token_id", 0);
  int64_t *ids = source->ids.data, *lengths = source->lengths.data;
  for (size_t row = 0; row < source->rows; ++row) {
    const tenon_prompt *prompt = &call->prompts[row];
    memcpy(ids, prompt->ids, prompt->count * sizeof *ids);
    for (size_t i = prompt->count; i < source->columns; ++i)
      ids[i] = pad;
    ids += source->columns;
    lengths[row] = (int64_t)prompt->count;
  }
  source->is_kept = is_held(source);
  return TENON_OK;
}

void tenon_hold_source(tenon_generator *generator) {
  tenon_source *source = &generator->source;
  tenon_buffer ids = source->old_ids, lengths = source->old_lengths;
  source->old_ids = source->ids;
  source->old_lengths = source->lengths;
  source->ids = ids;
  source->lengths = lengths;
  source->old_rows = source->rows;
  source->old_columns = source->columns;
}
