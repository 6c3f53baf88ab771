/* Prompts as columns of ids with pads on the left, and the columns at their
 * begin that the context still holds from the call before. */
#include "generator.h"

#include <string.h>

static int is_contrastive(const tenon_call_sizes *sizes) {
  return sizes->contrast_prompts > 0;
}

/* Columns that the prompts have in common with what the context holds. The
 * last column is always computed: the first new id follows from it. */
static size_t common_columns(const tenon_generator *generator,
                             const tenon_call_sizes *sizes) {
  const tenon_held *held = &generator->held;
  const int64_t *ids = generator->ids.data, *lengths = generator->lengths.data;
  const size_t *pads = held->pads.data;
  const int64_t *old = held->ids.data;
  if (!sizes->is_plain || held->prompts != sizes->prompts ||
      held->rows != sizes->rows ||
      held->is_contrastive != is_contrastive(sizes))
    return 0;
  /* Columns follow from the source that they were computed with. */
  if (tenon_has_encoder(generator) && !generator->source.is_kept)
    return 0;
  size_t common = sizes->columns - 1;
  if (common > held->columns)
    common = held->columns;
  for (size_t row = 0; row < sizes->prompts; ++row) {
    if (sizes->columns - (size_t)lengths[row] != pads[row])
      return 0;
    size_t same = 0;
    while (same < common &&
           ids[row * sizes->columns + same] == old[row * held->stride + same])
      ++same;
    common = same;
  }
  return common;
}

tenon_status tenon_lay_out_prompts(tenon_generator *generator,
                                   const tenon_generation *call,
                                   const tenon_call_sizes *sizes) {
  size_t bytes = tenon_size_product(
      tenon_size_product(sizes->prompts, sizes->columns), sizeof(int64_t));
  tenon_status status = tenon_reserve(generator, &generator->ids, bytes);
  if (status == TENON_OK)
    status = tenon_reserve(generator, &generator->lengths,
                           tenon_size_product(sizes->prompts, sizeof(int64_t)));
  if (status != TENON_OK)
    return status;
  int64_t pad = tenon_option_value(generator, "pad_token_id", 0);
  int64_t first = tenon_option_value(generator, "decoder_start_token_id", 0);
  const tenon_prompt start = {&first, 1}, *prompts = call->prompts;
  if (tenon_has_encoder(generator))
    prompts = call->decoder_prompts;
  int64_t *ids = generator->ids.data, *lengths = generator->lengths.data;
  for (size_t row = 0; row < sizes->prompts; ++row) {
    const tenon_prompt *prompt = prompts ? &prompts[row] : &start;
    size_t pads = sizes->columns - prompt->count;
    for (size_t i = 0; i < pads; ++i)
      *ids++ = pad;
    memcpy(ids, prompt->ids, prompt->count * sizeof *ids);
    ids += prompt->count;
    lengths[row] = (int64_t)prompt->count;
  }
  generator->keep = common_columns(generator, sizes);
  return TENON_OK;
}

void tenon_hold_nothing(tenon_generator *generator) {
  generator->held.prompts = generator->held.columns = 0;
  generator->source.old_rows = 0;
}

tenon_status tenon_reserve_held(tenon_generator *generator,
                                const tenon_call_sizes *sizes) {
  tenon_held *held = &generator->held;
  tenon_hold_nothing(generator);
  held->stride = (size_t)sizes->positions;
  tenon_status status =
      tenon_reserve(generator, &held->pads,
                    tenon_size_product(sizes->prompts, sizeof(size_t)));
  if (status != TENON_OK)
    return status;
  return tenon_reserve(
      generator, &held->ids,
      tenon_size_product(tenon_size_product(sizes->prompts, held->stride),
                         sizeof(int64_t)));
}

void tenon_hold_prompts(tenon_generator *generator,
                        const tenon_call_sizes *sizes) {
  tenon_held *held = &generator->held;
  const int64_t *ids = generator->ids.data, *lengths = generator->lengths.data;
  if (!sizes->is_plain)
    return;
  for (size_t row = 0; row < sizes->prompts; ++row) {
    memcpy((int64_t *)held->ids.data + row * held->stride,
           ids + row * sizes->columns, sizes->columns * sizeof *ids);
    ((size_t *)held->pads.data)[row] = sizes->columns - (size_t)lengths[row];
  }
  held->prompts = sizes->prompts;
  held->rows = sizes->rows;
  held->is_contrastive = is_contrastive(sizes);
  held->columns = held->written = sizes->columns;
  held->has_ended = 0;
}

void tenon_hold_columns(tenon_generator *generator, const int64_t *ids,
                        size_t count) {
  tenon_held *held = &generator->held;
  for (size_t column = 0; column < count; ++column) {
    /* The ids after the end of a row are pads, which the context need not
     * hold. */
    if (held->prompts == 0 || held->has_ended || held->written == held->stride)
      return;
    for (size_t row = 0; row < held->prompts; ++row) {
      int64_t id = ids[row * count + column];
      ((int64_t *)held->ids.data)[row * held->stride + held->written] = id;
      held->has_ended |= tenon_is_eos(generator, id);
    }
    /* The newest column is computed with the one after it. */
    held->columns = held->written++;
  }
}
