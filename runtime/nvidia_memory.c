/* A context's part on the device: its stream, its memory and its state. All is
 * allocated here or when a size grows, and freed with the context. */
#include <stdlib.h>

#include "nvidia.h"

tenon_status tenon_gpu_reserve(tenon_gpu *gpu, tenon_gpu_region *region,
                               uint64_t bytes, const char *what,
                               tenon_text *text) {
  if (bytes <= region->bytes)
    return TENON_OK;
  tenon_gpu_free(gpu, region);
  tenon_status status = TENON_GPU_CALL(gpu, text, what, cuMemAlloc,
                                       &region->address, (size_t)bytes);
  size_t available = 0, total = 0;
  if (status == TENON_OK)
    region->bytes = bytes;
  else
    region->address = 0;
  if (status == TENON_LIMIT && text &&
      gpu->driver.cuMemGetInfo(&available, &total) == NV_SUCCESS)
    tenon_text_add(text, "\n%llu bytes are needed; %llu of %llu are free",
                   (unsigned long long)bytes, (unsigned long long)available,
                   (unsigned long long)total);
  return status;
}

void tenon_gpu_free(tenon_gpu *gpu, tenon_gpu_region *region) {
  if (region->address)
    (void)gpu->driver.cuMemFree(region->address);
  *region = (tenon_gpu_region){0};
}

static size_t most_parameters(const tenon_device_desc *desc) {
  size_t most = 1;
  for (int32_t i = 0; i < desc->num_kernels; ++i)
    if ((size_t)desc->kernels[i].num_parameters > most)
      most = (size_t)desc->kernels[i].num_parameters;
  return most;
}

static int make_tables(tenon_gpu_context *side, size_t inputs, size_t outputs,
                       size_t parameters) {
  side->parameters = calloc(parameters, sizeof *side->parameters);
  side->inputs = calloc(inputs, sizeof *side->inputs);
  side->host_inputs = calloc(inputs, sizeof *side->host_inputs);
  side->input_bytes = calloc(inputs, sizeof *side->input_bytes);
  side->values = calloc(inputs, sizeof *side->values);
  side->outputs = calloc(outputs, sizeof *side->outputs);
  side->owned = calloc(outputs, sizeof *side->owned);
  return side->parameters && side->inputs && side->host_inputs &&
         side->input_bytes && side->values && side->outputs && side->owned;
}

static tenon_status make_stream(tenon_context *context, tenon_text *text) {
  tenon_gpu *gpu = context->model->gpu;
  tenon_gpu_context *side = context->gpu;
  /* An ordinary stream: work that the host program has put into CUDA's default
   * stream is done first. */
  tenon_status status =
      TENON_GPU_CALL(gpu, text, "a stream", cuStreamCreate, &side->stream, 0);
  for (int i = 0; status == TENON_OK && i < TENON_GPU_MARKS; ++i)
    status = TENON_GPU_CALL(gpu, text, "an event", cuEventCreate,
                            &side->marks[i], NV_EVENT_DISABLE_TIMING);
  return status;
}

tenon_status tenon_gpu_context_create(tenon_context *context,
                                      tenon_text *text) {
  tenon_gpu *gpu = context->model->gpu;
  tenon_gpu_context *side = calloc(1, sizeof *side);
  if (!side ||
      !make_tables(side, (size_t)context->num_inputs,
                   (size_t)context->num_owned, most_parameters(gpu->desc))) {
    context->gpu = side;
    tenon_gpu_context_destroy(context);
    tenon_text_add(text, "out of memory");
    return TENON_LIMIT;
  }
  context->gpu = side;
  side->has_old_fault = 1;
  tenon_status status = tenon_gpu_enter(gpu, text);
  if (status == TENON_OK) {
    status = make_stream(context, text);
    if (status == TENON_OK)
      status = tenon_gpu_reserve(gpu, &side->faults, sizeof(tenon_call),
                                 "the record of faults", text);
    if (status == TENON_OK && context->state_bytes > 0)
      status = tenon_gpu_reserve(gpu, &side->state, context->state_bytes,
                                 "the state", text);
    tenon_gpu_leave(gpu);
  }
  if (status == TENON_OK)
    status = tenon_gpu_reset_state(context, text);
  if (status != TENON_OK)
    tenon_gpu_context_destroy(context);
  return status;
}

static void free_on_device(tenon_gpu *gpu, tenon_context *context) {
  tenon_gpu_context *side = context->gpu;
  const tenon_nvidia_driver *driver = &gpu->driver;
  if (side->stream)
    (void)driver->cuStreamSynchronize(side->stream);
  tenon_gpu_destroy_graphs(context);
  for (int i = 0; i < TENON_GPU_MARKS; ++i)
    if (side->marks[i])
      (void)driver->cuEventDestroy(side->marks[i]);
  if (side->passage)
    (void)driver->cuMemFreeHost(side->passage);
  for (int32_t i = 0; side->owned && i < context->num_owned; ++i)
    tenon_gpu_free(gpu, &side->owned[i]);
  tenon_gpu_free(gpu, &side->arena);
  tenon_gpu_free(gpu, &side->staging);
  tenon_gpu_free(gpu, &side->state);
  tenon_gpu_free(gpu, &side->faults);
  if (side->stream)
    (void)driver->cuStreamDestroy(side->stream);
}

void tenon_gpu_context_destroy(tenon_context *context) {
  tenon_gpu_context *side = context->gpu;
  tenon_gpu *gpu = context->model->gpu;
  if (!side)
    return;
  if (tenon_gpu_enter_to_free(gpu)) {
    free_on_device(gpu, context);
    tenon_gpu_leave(gpu);
  }
  tenon_gpu_free_graphs(context);
  tenon_gpu_free_list(&side->list);
  free(side->parameters);
  tenon_region_free(&side->host_arena);
  for (int32_t i = 0; side->values && i < context->num_inputs; ++i)
    tenon_region_free(&side->values[i]);
  free(side->values);
  free(side->inputs);
  free(side->host_inputs);
  free(side->input_bytes);
  free(side->outputs);
  free(side->owned);
  free(side);
  context->gpu = NULL;
}

uint64_t tenon_gpu_context_memory(const tenon_context *context) {
  const tenon_gpu_context *side = context->gpu;
  uint64_t bytes = side->arena.bytes + side->staging.bytes + side->state.bytes;
  for (int32_t i = 0; i < context->num_owned; ++i)
    bytes += side->owned[i].bytes;
  return bytes;
}

/* Zeros, then copies of the weights that are initial values. */
static tenon_status write_state(tenon_context *context, tenon_text *text) {
  tenon_gpu *gpu = context->model->gpu;
  tenon_gpu_context *side = context->gpu;
  const tenon_model_desc *desc = context->model->desc;
  const char *what = "the state";
  tenon_status status =
      TENON_GPU_CALL(gpu, text, what, cuMemsetD8Async, side->state.address, 0,
                     context->state_bytes, side->stream);
  for (int32_t i = 0; status == TENON_OK && i < desc->num_states; ++i) {
    const tenon_state_desc *state = &desc->states[i];
    if (state->initial != TENON_STATE_ZERO && state->bytes > 0)
      status = TENON_GPU_CALL(gpu, text, what, cuMemcpyDtoDAsync,
                              side->state.address + state->offset,
                              gpu->weights + state->initial, state->bytes,
                              side->stream);
  }
  tenon_status waited =
      tenon_gpu_wait(context, what, status == TENON_OK ? text : NULL);
  return status == TENON_OK ? waited : status;
}

tenon_status tenon_gpu_reset_state(tenon_context *context, tenon_text *text) {
  tenon_gpu *gpu = context->model->gpu;
  if (context->state_bytes == 0)
    return TENON_OK;
  tenon_status status = tenon_gpu_enter(gpu, text);
  if (status != TENON_OK)
    return status;
  status = write_state(context, text);
  tenon_gpu_leave(gpu);
  return status;
}
