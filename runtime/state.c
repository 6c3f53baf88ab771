/* The state of a context: memory that keeps values from one run to the next. It
 * starts with the values that the descriptor names. */
#include <string.h>

#include "model.h"

/* True if [offset, offset + bytes) lies in [0, total). */
static int lies_within(uint64_t offset, uint64_t bytes, uint64_t total) {
  return offset <= total && bytes <= total - offset;
}

int tenon_states_are_sane(const tenon_model_desc *desc) {
  uint64_t end = 0;
  if (desc->num_states < 0 || (desc->num_states > 0 && !desc->states))
    return 0;
  for (int32_t i = 0; i < desc->num_states; ++i) {
    const tenon_state_desc *state = &desc->states[i];
    int overflow;
    if (!state->name || tenon_dtype_bytes(state->dtype) == 0 ||
        state->rank < 0 || state->rank > TENON_MAX_RANK ||
        (state->rank > 0 && !state->dims))
      return 0;
    for (int32_t d = 0; d < state->rank; ++d)
      if (state->dims[d] < 0)
        return 0;
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

static void fill(tenon_context *context) {
  const tenon_model *model = context->model;
  const tenon_model_desc *desc = model->desc;
  char *state = context->state.data;
  if (desc->state_bytes == 0)
    return;
  memset(state, 0, desc->state_bytes);
  for (int32_t i = 0; i < desc->num_states; ++i) {
    const tenon_state_desc *tensor = &desc->states[i];
    if (tensor->initial != TENON_STATE_ZERO && tensor->bytes > 0)
      memcpy(state + tensor->offset,
             (const char *)model->weights.data + tensor->initial,
             tensor->bytes);
  }
}

int tenon_state_create(tenon_context *context) {
  uint64_t bytes = context->model->desc->state_bytes;
  if (tenon_region_reserve(&context->state, bytes) != 0)
    return 0;
  fill(context);
  return 1;
}

tenon_status tenon_context_reset_state(tenon_context *context) {
  tenon_status status = tenon_context_enter(context);
  if (status != TENON_OK)
    return status;
  fill(context);
  tenon_context_leave(context);
  return TENON_OK;
}

void *tenon_context_state(tenon_context *context) {
  return context ? context->state.data : NULL;
}
