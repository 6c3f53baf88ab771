/* Finds the entries of a speech model and the ids in its tables: the defaults
 * of the inputs of the entry `tokens`, which is never run. */
#include "transcriber.h"

#include <string.h>

/* Frames of a window if the model's tables do not say it. */
enum { WINDOW = 3000 };

static int fail(tenon_transcriber *transcriber, const char *what,
                const char *function, const char *name) {
  tenon_text_add(&transcriber->text, "the model does not transcribe sound: ");
  if (name)
    tenon_text_add(&transcriber->text, "its function \"%s\" has no %s \"%s\"",
                   function, what, name);
  else
    tenon_text_add(&transcriber->text, "it has no %s \"%s\"", what, function);
  return 0;
}

static const tenon_function_desc *find_function(tenon_transcriber *transcriber,
                                                const char *name) {
  const tenon_function_desc *found =
      tenon_find_function(transcriber->model, name);
  if (!found)
    fail(transcriber, "function", name, NULL);
  return found;
}

static int find_tensor(tenon_transcriber *transcriber,
                       const tenon_function_desc *function, int is_output,
                       const char *name, int32_t dtype, int32_t rank,
                       int32_t *place) {
  const tenon_tensor_desc *tensors =
      is_output ? function->outputs : function->inputs;
  int32_t count = is_output ? function->num_outputs : function->num_inputs;
  for (*place = 0; *place < count; ++*place)
    if (strcmp(tensors[*place].name, name) == 0 &&
        tensors[*place].dtype == dtype && tensors[*place].rank == rank)
      return 1;
  return fail(transcriber, is_output ? "output" : "input", function->name,
              name);
}

/* The default of an input of `tokens`. */
static int find_default(tenon_transcriber *transcriber, const char *name,
                        int32_t dtype, tenon_tensor *value) {
  *value = (tenon_tensor){.struct_size = sizeof *value};
  return (tenon_get_default(transcriber->model, "tokens", name, value) ==
              TENON_OK &&
          value->dtype == dtype) ||
         fail(transcriber, "default of the input", "tokens", name);
}

static int find_list(tenon_transcriber *transcriber, const char *name,
                     const int64_t **ids, size_t *count) {
  tenon_tensor value;
  if (!find_default(transcriber, name, TENON_I64, &value))
    return 0;
  *ids = value.data;
  *count = value.bytes / sizeof **ids;
  return 1;
}

static int find_names(tenon_transcriber *transcriber, const char *ids,
                      const char *names, tenon_named_ids *list) {
  tenon_tensor value;
  if (!find_list(transcriber, ids, &list->ids, &list->count) ||
      !find_default(transcriber, names, TENON_U8, &value))
    return 0;
  list->names = value.data;
  list->bytes = value.bytes;
  return 1;
}

static int find_id(tenon_transcriber *transcriber, const char *function,
                   const char *name, int64_t *id) {
  tenon_tensor value = {.struct_size = sizeof value};
  if (tenon_get_default(transcriber->model, function, name, &value) !=
          TENON_OK ||
      value.dtype != TENON_I64 || value.rank != 0)
    return fail(transcriber, "default of the input", function, name);
  memcpy(id, value.data, sizeof *id);
  return 1;
}

static int find_ids(tenon_transcriber *transcriber) {
  tenon_speech *found = &transcriber->speech;
  tenon_tensor value;
  if (!find_function(transcriber, "tokens") ||
      !find_names(transcriber, "languages", "language_names",
                  &found->languages) ||
      !find_names(transcriber, "tasks", "task_names", &found->tasks) ||
      !find_list(transcriber, "first_tokens", &found->first_ids,
                 &found->num_first_ids) ||
      !find_id(transcriber, "start", "decoder_start_token_id", &found->start) ||
      !find_id(transcriber, "tokens", "no_timestamps_token_id",
               &found->no_timestamps) ||
      !find_id(transcriber, "tokens", "prev_sot_token_id",
               &found->previous_text) ||
      !find_default(transcriber, "is_multilingual", TENON_BOOL, &value))
    return 0;
  found->is_multilingual = *(const uint8_t *)value.data;
  /* Start, language, task and no timestamps may be added. */
  if (found->num_first_ids + 4 <= MOST_FIRST_IDS)
    return 1;
  tenon_text_add(&transcriber->text,
                 "the model has %zu first tokens, allowed are up to %d",
                 found->num_first_ids, MOST_FIRST_IDS - 4);
  return 0;
}

static int64_t most_positions(const tenon_transcriber *transcriber) {
  const tenon_model_desc *desc = tenon_describe(transcriber->model);
  for (int32_t i = 0; i < desc->num_extents; ++i)
    if (strcmp(desc->extents[i].name, "positions") == 0)
      return desc->extents[i].most;
  return 0;
}

tenon_status tenon_find_speech(tenon_transcriber *transcriber) {
  tenon_speech *found = &transcriber->speech;
  const tenon_function_desc *start, *advance;
  int32_t frames;
  if (!(found->features = find_function(transcriber, "features")) ||
      !(start = find_function(transcriber, "start")) ||
      !(advance = find_function(transcriber, "advance")) ||
      !find_tensor(transcriber, found->features, 0, "samples", TENON_F32, 1,
                   &found->samples) ||
      !find_tensor(transcriber, found->features, 0, "before", TENON_I64, 0,
                   &found->before) ||
      !find_tensor(transcriber, found->features, 0, "after", TENON_I64, 0,
                   &found->after) ||
      !find_tensor(transcriber, found->features, 1, "features", TENON_F32, 2,
                   &found->feature_output) ||
      !find_tensor(transcriber, found->features, 1, "greatest", TENON_F32, 0,
                   &found->greatest) ||
      !find_tensor(transcriber, start, 0, "features", TENON_F32, 3, &frames) ||
      !find_tensor(transcriber, advance, 0, "allowed", TENON_BOOL, 2,
                   &found->allowed) ||
      !find_ids(transcriber))
    return TENON_UNSUPPORTED;
  const tenon_dim_desc *width = &start->inputs[frames].dims[2];
  found->window = width->max > 0 && width->max < 1 << 20 ? width->max : WINDOW;
  found->vocabulary = advance->inputs[found->allowed].dims[1].size;
  found->positions = most_positions(transcriber);
  return TENON_OK;
}

ptrdiff_t tenon_find_named(const tenon_named_ids *list, const char *name,
                           size_t length) {
  const char *at = list->names, *end = list->names + list->bytes;
  for (size_t i = 0; i < list->count && at < end; ++i) {
    size_t bytes = strnlen(at, (size_t)(end - at));
    if (bytes == length && memcmp(at, name, length) == 0)
      return (ptrdiff_t)i;
    at += bytes + 1;
  }
  return -1;
}

const char *tenon_name_of(const tenon_named_ids *list, int64_t id) {
  const char *at = list->names, *end = list->names + list->bytes;
  for (size_t i = 0; i < list->count && at < end; ++i) {
    size_t bytes = strnlen(at, (size_t)(end - at));
    if (list->ids[i] == id)
      return at + bytes < end ? at : NULL;
    at += bytes + 1;
  }
  return NULL;
}
