/* The state of a context: memory that keeps values from one run to the next. It
 * starts with the values that the descriptor names. Its zeros are pages that
 * the system has not given yet, so a large state costs what runs have used. */
#include <stdlib.h>
#include <string.h>

#include "nvidia.h"

#define SMALLER_EXTENTS "\nhelp: choose smaller context extents"

/* True if [offset, offset + bytes) lies in [0, total). */
static int lies_within(uint64_t offset, uint64_t bytes, uint64_t total) {
  return offset <= total && bytes <= total - offset;
}

static int extents_are_sane(const tenon_model_desc *desc) {
  if (desc->num_extents < 0 || (desc->num_extents > 0 && !desc->extents))
    return 0;
  for (int32_t i = 0; i < desc->num_extents; ++i) {
    const tenon_extent_desc *extent = &desc->extents[i];
    if (!extent->name || extent->least < 0 || extent->initial < extent->least ||
        extent->most < extent->initial)
      return 0;
  }
  return 1;
}

/* The number of the state's dimensions that are extents of the context; -1 if
 * its fields are not as they must be. */
static int32_t count_extents(const tenon_model_desc *desc,
                             const tenon_state_desc *state) {
  int32_t count = 0;
  if (!state->name || tenon_dtype_bytes(state->dtype) == 0 || state->rank < 0 ||
      state->rank > TENON_MAX_RANK || (state->rank > 0 && !state->dims))
    return -1;
  for (int32_t d = 0; d < state->rank; ++d) {
    if (state->dims[d] < -(int64_t)desc->num_extents)
      return -1;
    count += state->dims[d] < 0;
  }
  return count;
}

int tenon_states_are_sane(const tenon_model_desc *desc) {
  uint64_t end = 0;
  int open = 0;
  if (!extents_are_sane(desc) || desc->num_states < 0 ||
      (desc->num_states > 0 && !desc->states) || desc->state_bytes > INT64_MAX)
    return 0;
  for (int32_t i = 0; i < desc->num_states; ++i) {
    const tenon_state_desc *state = &desc->states[i];
    int32_t extents = count_extents(desc, state);
    if (extents < 0 || (open && extents == 0))
      return 0;
    if (extents > 0) {
      open = 1;
      if (state->offset != TENON_STATE_OPEN || state->bytes != 0 ||
          state->initial != TENON_STATE_ZERO)
        return 0;
      continue;
    }
    int overflow;
    uint64_t bytes =
        tenon_dense_bytes(state->dtype, state->rank, state->dims, &overflow);
    if (overflow || bytes != state->bytes || state->offset < end ||
        state->offset % TENON_STATE_ALIGNMENT != 0 ||
        !lies_within(state->offset, bytes, desc->state_bytes) ||
        (state->initial != TENON_STATE_ZERO &&
         !lies_within(state->initial, bytes, desc->weight_bytes)))
      return 0;
    end = state->offset + bytes;
  }
  return 1;
}

/* Copies the initial values that are not zeros to a state of zeros. */
static void copy_initial_values(tenon_context *context) {
  const tenon_model *model = context->model;
  const tenon_model_desc *desc = model->desc;
  for (int32_t i = 0; i < desc->num_states; ++i) {
    const tenon_state_desc *tensor = &desc->states[i];
    if (tensor->initial != TENON_STATE_ZERO && tensor->bytes > 0)
      memcpy((char *)context->state.data + tensor->offset,
             (const char *)model->weights.data + tensor->initial,
             tensor->bytes);
  }
}

static const tenon_extent_desc *find_extent(const tenon_model_desc *desc,
                                            const char *name) {
  for (int32_t i = 0; name && i < desc->num_extents; ++i)
    if (strcmp(desc->extents[i].name, name) == 0)
      return &desc->extents[i];
  return NULL;
}

static void add_extent_name(tenon_text *text, const char *name) {
  tenon_text_add(text, "context extent \"");
  tenon_text_add_name(text, name ? name : "");
  tenon_text_add(text, "\"");
}

static tenon_status no_extent(const tenon_model_desc *desc, const char *name,
                              tenon_text *text) {
  tenon_text_add(text, "no ");
  add_extent_name(text, name);
  tenon_text_add(text, "\nhelp: the model has ");
  for (int32_t i = 0; i < desc->num_extents; ++i) {
    tenon_text_add(text, i ? ", " : "");
    tenon_text_add_name(text, desc->extents[i].name);
    tenon_text_add(text, " (%lld to %lld)", (long long)desc->extents[i].least,
                   (long long)desc->extents[i].most);
  }
  tenon_text_add(text, desc->num_extents ? "" : "none");
  return TENON_BAD_INPUT;
}

static tenon_status choose_extents(tenon_context *context,
                                   const tenon_extent *chosen, size_t count,
                                   tenon_text *text) {
  const tenon_model_desc *desc = context->model->desc;
  for (int32_t i = 0; i < desc->num_extents; ++i)
    context->state_extents[i] = desc->extents[i].initial;
  if (count > 0 && !chosen) {
    tenon_text_add(text, "extents is null");
    return TENON_BAD_INPUT;
  }
  for (size_t i = 0; i < count; ++i) {
    const tenon_extent_desc *extent = find_extent(desc, chosen[i].name);
    if (!extent)
      return no_extent(desc, chosen[i].name, text);
    for (size_t j = 0; j < i; ++j)
      if (strcmp(chosen[j].name, chosen[i].name) == 0) {
        add_extent_name(text, chosen[i].name);
        tenon_text_add(text, " is given twice");
        return TENON_BAD_INPUT;
      }
    if (chosen[i].size < extent->least || chosen[i].size > extent->most) {
      add_extent_name(text, extent->name);
      tenon_text_add(text, ": expected %lld to %lld, got %lld",
                     (long long)extent->least, (long long)extent->most,
                     (long long)chosen[i].size);
      return TENON_BAD_INPUT;
    }
    context->state_extents[extent - desc->extents] = chosen[i].size;
  }
  return TENON_OK;
}

static tenon_status make_tables(tenon_context *context, tenon_text *text) {
  const tenon_model_desc *desc = context->model->desc;
  size_t dims = 0;
  for (int32_t i = 0; i < desc->num_states; ++i)
    dims += (size_t)desc->states[i].rank;
  context->state_extents =
      calloc((size_t)desc->num_extents + 1, sizeof *context->state_extents);
  context->state_offsets =
      calloc((size_t)desc->num_states + 1, sizeof *context->state_offsets);
  context->state_dims = calloc(dims + 1, sizeof *context->state_dims);
  if (context->state_extents && context->state_offsets && context->state_dims)
    return TENON_OK;
  tenon_text_add(text, "out of memory");
  return TENON_LIMIT;
}

/* Lays out the states of the context within `limit` bytes. */
static tenon_status lay_out(tenon_context *context, uint64_t limit,
                            tenon_text *text) {
  const tenon_model_desc *desc = context->model->desc;
  uint64_t bytes = tenon_lay_out_states(desc, context->state_extents,
                                        context->state_offsets);
  const char *help = desc->num_extents ? SMALLER_EXTENTS : "";
  if (bytes == UINT64_MAX) {
    tenon_text_add(text, "the state has more than 2^63 bytes%s", help);
    return TENON_LIMIT;
  }
  if (limit != 0 && bytes > limit) {
    tenon_text_add(text,
                   "the state alone is larger than memory_limit: it has %llu "
                   "bytes%s",
                   (unsigned long long)bytes, help);
    return TENON_LIMIT;
  }
  context->state_bytes = bytes;
  return TENON_OK;
}

static tenon_status reserve(tenon_context *context, tenon_text *text) {
  if (context->model->gpu)
    return tenon_gpu_context_create(context, text);
  uint64_t bytes = context->state_bytes;
  if (tenon_region_reserve(&context->state, bytes) != 0) {
    tenon_text_add(text,
                   "out of memory: the state of the model has %llu bytes%s",
                   (unsigned long long)bytes,
                   context->model->desc->num_extents ? SMALLER_EXTENTS : "");
    return TENON_LIMIT;
  }
  tenon_region_clear(&context->state, bytes);
  copy_initial_values(context);
  return TENON_OK;
}

tenon_status tenon_state_create(tenon_context *context,
                                const tenon_context_options *options,
                                tenon_text *text) {
  const tenon_model_desc *desc = context->model->desc;
  tenon_status status = make_tables(context, text);
  if (status == TENON_OK)
    status =
        choose_extents(context, options->extents, options->num_extents, text);
  if (status == TENON_OK)
    status = lay_out(context, options->memory_limit, text);
  if (status == TENON_OK)
    status = reserve(context, text);
  if (status != TENON_OK) {
    tenon_state_free(context);
    return status;
  }
  int64_t *dims = context->state_dims;
  for (int32_t i = 0; i < desc->num_states; ++i)
    for (int32_t d = 0; d < desc->states[i].rank; ++d)
      *dims++ = tenon_state_dim(&desc->states[i], d, context->state_extents);
  return TENON_OK;
}

void tenon_state_free(tenon_context *context) {
  tenon_region_free(&context->state);
  free(context->state_extents);
  free(context->state_offsets);
  free(context->state_dims);
}

tenon_status tenon_context_reset_state(tenon_context *context) {
  tenon_status status = tenon_context_enter(context);
  if (status != TENON_OK)
    return status;
  if (context->gpu) {
    status = tenon_gpu_reset_state(context, &context->text);
  } else {
    tenon_region_clear(&context->state, context->state_bytes);
    copy_initial_values(context);
  }
  tenon_context_leave(context);
  return status;
}

static char *memory_of(const tenon_context *context) {
  return context->gpu ? (char *)(uintptr_t)context->gpu->state.address
                      : context->state.data;
}

void *tenon_context_state(tenon_context *context) {
  return context ? memory_of(context) : NULL;
}

uint64_t tenon_context_state_bytes(const tenon_context *context) {
  return context ? context->state_bytes : 0;
}

tenon_status tenon_context_get_extents(const tenon_context *context,
                                       int64_t *sizes, size_t count) {
  if (!context || count != (size_t)context->model->desc->num_extents ||
      (count > 0 && !sizes))
    return TENON_BAD_INPUT;
  for (size_t i = 0; i < count; ++i)
    sizes[i] = context->state_extents[i];
  return TENON_OK;
}

tenon_status tenon_context_find_state(const tenon_context *context,
                                      const char *name, tenon_tensor *state) {
  if (!context || !name || !state ||
      state->struct_size < offsetof(tenon_tensor, device))
    return TENON_BAD_INPUT;
  const tenon_model_desc *desc = context->model->desc;
  int64_t *dims = context->state_dims;
  for (int32_t i = 0; i < desc->num_states; dims += desc->states[i++].rank) {
    const tenon_state_desc *found = &desc->states[i];
    if (strcmp(found->name, name) != 0)
      continue;
    int overflow;
    state->name = found->name;
    state->dtype = found->dtype;
    state->rank = found->rank;
    state->dims = dims;
    state->data = memory_of(context) + context->state_offsets[i];
    if (state->struct_size >= sizeof *state)
      state->device = context->gpu ? TENON_ON_DEVICE : TENON_ON_HOST;
    state->bytes =
        tenon_dense_bytes(found->dtype, found->rank, dims, &overflow);
    return TENON_OK;
  }
  return TENON_BAD_INPUT;
}
