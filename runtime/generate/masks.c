/* Masks of the tokens that may come next, filled by the caller before each
 * step. */
#include "generator.h"

#include <string.h>

/* Beams choose together, so a prompt has one mask in beam search. */
static size_t num_masks(const tenon_call_sizes *sizes) {
  return sizes->is_search ? sizes->prompts : sizes->sequences;
}

tenon_status tenon_reserve_masks(tenon_generator *generator,
                                 const tenon_generation *call,
                                 const tenon_call_sizes *sizes) {
  const tenon_entries *entries = &generator->entries;
  if (!call->allow)
    return TENON_OK;
  if (entries->allowed < 0) {
    tenon_text_add(&generator->text,
                   "the model takes no masks of tokens: its function \"%s\" "
                   "has no input \"allowed\" of bool, with the vocabulary as "
                   "its second extent",
                   entries->advance->name);
    return TENON_UNSUPPORTED;
  }
  return tenon_reserve(
      generator, &generator->masks,
      tenon_size_product(num_masks(sizes), (size_t)entries->vocabulary));
}

/* Makes the bytes 0 or 1. Returns nonzero if a token is allowed. */
static int normalize(uint8_t *mask, size_t vocabulary) {
  uint8_t any = 0;
  for (size_t i = 0; i < vocabulary; ++i)
    any |= mask[i] = mask[i] != 0;
  return any;
}

tenon_status tenon_fill_masks(tenon_generator *generator,
                              const tenon_generation *call,
                              const tenon_call_sizes *sizes, int64_t *dims,
                              tenon_tensor *input) {
  const tenon_entries *entries = &generator->entries;
  size_t vocabulary = (size_t)entries->vocabulary, masks = num_masks(sizes);
  const tenon_progress *progress = generator->progress.data;
  int restricts = 0;
  for (size_t i = 0; i < masks; ++i) {
    uint8_t *mask = (uint8_t *)generator->masks.data + i * vocabulary;
    int goes_on =
        sizes->is_search || (!progress[i].has_ended && !progress[i].is_stopped);
    memset(mask, 0, vocabulary);
    if (!goes_on || !call->allow(call->allow_state, i, (size_t)generator->steps,
                                 mask, vocabulary)) {
      memset(mask, 1, vocabulary);
    } else if (normalize(mask, vocabulary)) {
      restricts = 1;
    } else {
      tenon_text_add(&generator->text,
                     "the callback allows no token for %s %zu",
                     sizes->is_search ? "prompt" : "sequence", i);
      return TENON_BAD_INPUT;
    }
  }
  dims[0] = restricts ? (int64_t)masks : 0;
  dims[1] = (int64_t)vocabulary;
  const tenon_tensor_desc *desc = &entries->advance->inputs[entries->allowed];
  *input = (tenon_tensor){.struct_size = sizeof *input,
                          .name = desc->name,
                          .dtype = desc->dtype,
                          .rank = desc->rank,
                          .dims = dims,
                          .data = generator->masks.data,
                          .bytes = (size_t)dims[0] * vocabulary};
  return TENON_OK;
}
