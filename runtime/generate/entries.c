/* Finds the entries start, advance and result in the model's tables, and checks
 * the inputs and outputs that every generation model has. */
#include "generator.h"

#include <string.h>

static const tenon_function_desc *find_function(tenon_generator *generator,
                                                const char *name) {
  const tenon_function_desc *found =
      tenon_find_function(generator->model, name);
  if (!found)
    tenon_text_add(&generator->text,
                   "the model does not generate text: it has no function "
                   "\"%s\"",
                   name);
  return found;
}

/* The place of the tensor `name`, of this dtype and rank; -1 if there is none.
 */
static int32_t place_of(const tenon_function_desc *function, int is_output,
                        const char *name, int32_t dtype, int32_t rank) {
  const tenon_tensor_desc *tensors =
      is_output ? function->outputs : function->inputs;
  int32_t count = is_output ? function->num_outputs : function->num_inputs;
  for (int32_t i = 0; i < count; ++i)
    if (strcmp(tensors[i].name, name) == 0 && tensors[i].dtype == dtype &&
        tensors[i].rank == rank)
      return i;
  return -1;
}

/* The same, with a text if there is none. */
static int32_t find_tensor(tenon_generator *generator,
                           const tenon_function_desc *function, int is_output,
                           const char *name, int32_t dtype, int32_t rank) {
  int32_t place = place_of(function, is_output, name, dtype, rank);
  if (place >= 0)
    return place;
  tenon_text_add(&generator->text,
                 "the model does not generate text: its function \"%s\" has no "
                 "%s \"%s\" of %s and rank %d",
                 function->name, is_output ? "output" : "input", name,
                 tenon_dtype_name(dtype), rank);
  return -1;
}

/* The place of the context extent `name`; -1 if there is none. */
static int32_t place_of_extent(const tenon_model_desc *desc, const char *name) {
  for (int32_t i = 0; i < desc->num_extents; ++i)
    if (strcmp(desc->extents[i].name, name) == 0)
      return i;
  return -1;
}

static int32_t find_extent(tenon_generator *generator, const char *name) {
  int32_t place = place_of_extent(generator->desc, name);
  if (place >= 0)
    return place;
  tenon_text_add(&generator->text,
                 "the model does not generate text: it has no context extent "
                 "\"%s\"",
                 name);
  return -1;
}

/* Masks of tokens are not needed, but by a call that has some. */
static void find_masks(tenon_entries *found) {
  found->allowed = place_of(found->advance, 0, "allowed", TENON_BOOL, 2);
  if (found->allowed >= 0)
    found->vocabulary = found->advance->inputs[found->allowed].dims[1].size;
  if (found->vocabulary <= 0)
    found->allowed = -1;
}

/* A model with an encoder that reads ids has all of these. */
static tenon_status find_encoder(tenon_generator *generator) {
  tenon_entries *found = &generator->entries;
  const tenon_function_desc *start = found->start;
  found->encoder_lengths = found->keep_encoder = -1;
  found->items = found->encoder_positions = -1;
  found->encoder_ids = place_of(start, 0, "encoder_ids", TENON_I64, 2);
  if (found->encoder_ids < 0)
    return TENON_OK;
  if ((found->encoder_lengths = find_tensor(
           generator, start, 0, "encoder_lengths", TENON_I64, 1)) < 0 ||
      (found->keep_encoder = find_tensor(generator, start, 0, "keep_encoder",
                                         TENON_BOOL, 0)) < 0 ||
      (found->items = find_extent(generator, "items")) < 0 ||
      (found->encoder_positions = find_extent(generator, "encoder_positions")) <
          0)
    return TENON_UNSUPPORTED;
  return TENON_OK;
}

int tenon_has_encoder(const tenon_generator *generator) {
  return generator->entries.encoder_ids >= 0;
}

tenon_status tenon_find_entries(tenon_generator *generator) {
  tenon_entries *found = &generator->entries;
  if (!(found->start = find_function(generator, "start")) ||
      !(found->advance = find_function(generator, "advance")) ||
      !(found->result = find_function(generator, "result")))
    return TENON_UNSUPPORTED;
  const struct {
    int32_t *place;
    const tenon_function_desc *function;
    int is_output;
    const char *name;
    int32_t dtype, rank;
  } tensors[] = {
      {&found->ids, found->start, 0, "ids", TENON_I64, 2},
      {&found->lengths, found->start, 0, "lengths", TENON_I64, 1},
      {&found->keep, found->start, 0, "keep", TENON_I64, 0},
      {&found->steps, found->advance, 0, "steps", TENON_I64, 0},
      {&found->new_ids, found->advance, 1, "ids", TENON_I64, 2},
      {&found->finished, found->advance, 1, "finished", TENON_BOOL, 0},
      {&found->sequences, found->result, 1, "sequences", TENON_I64, 2},
      {&found->counts, found->result, 1, "lengths", TENON_I64, 1},
      {&found->scores, found->result, 1, "scores", TENON_F32, 1},
      {&found->reasons, found->result, 1, "reasons", TENON_I64, 1},
  };
  for (size_t i = 0; i < sizeof tensors / sizeof *tensors; ++i) {
    *tensors[i].place =
        find_tensor(generator, tensors[i].function, tensors[i].is_output,
                    tensors[i].name, tensors[i].dtype, tensors[i].rank);
    if (*tensors[i].place < 0)
      return TENON_UNSUPPORTED;
  }
  find_masks(found);
  found->eos = place_of(found->start, 0, "eos_token_id", TENON_I64, 1);
  found->no_speech = place_of(found->start, 1, "no_speech", TENON_F32, 1);
  found->token_scores =
      place_of(found->result, 1, "token_scores", TENON_F32, 2);
  found->contrast_prompts =
      place_of_extent(generator->desc, "contrast_prompts");
  found->rows = find_extent(generator, "rows");
  if (found->rows < 0)
    return TENON_UNSUPPORTED;
  found->positions = find_extent(generator, "positions");
  if (found->positions < 0)
    return TENON_UNSUPPORTED;
  return find_encoder(generator);
}
