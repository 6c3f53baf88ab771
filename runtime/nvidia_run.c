/* A run of a device version. Tensors in host memory pass through one staging
 * region of the device; tensors on the device are used where they lie.
 * Afterwards the stream is idle, and the fault that a kernel recorded is the
 * call's. */
#include "nvidia.h"

enum { STAGING_ALIGNMENT = 256 };

static int add_aligned(uint64_t *total, uint64_t bytes) {
  uint64_t rounded;
  return !__builtin_add_overflow(bytes, STAGING_ALIGNMENT - 1, &rounded) &&
         !__builtin_add_overflow(
             *total, rounded / STAGING_ALIGNMENT * STAGING_ALIGNMENT, total);
}

uint64_t tenon_gpu_staging_bytes(const tenon_context *context,
                                 const tenon_function *function) {
  const tenon_gpu_context *side = context->gpu;
  uint64_t total = 0;
  int fits = 1;
  for (int32_t i = 0; i < function->desc->num_inputs; ++i)
    if (!side->inputs[i])
      fits = fits && add_aligned(&total, side->input_bytes[i]);
  for (int32_t i = 0; i < function->desc->num_outputs; ++i)
    if (!tenon_lies_on_device(context->output_tensors[i]))
      fits = fits && add_aligned(&total, context->output_bytes[i]);
  return fits ? total : UINT64_MAX;
}

tenon_status tenon_gpu_check_address(tenon_context *context, const void *data) {
  tenon_gpu *gpu = context->model->gpu;
  int ordinal = -1;
  nv_result result = gpu->driver.cuPointerGetAttribute(
      &ordinal, NV_POINTER_DEVICE_ORDINAL, (uintptr_t)data);
  if (result != NV_SUCCESS && result != NV_INVALID_VALUE)
    return tenon_gpu_check(gpu, &context->text, "cuPointerGetAttribute",
                           "the data of a tensor", result);
  return result == NV_SUCCESS && ordinal == gpu->device ? TENON_OK
                                                        : TENON_BAD_INPUT;
}

tenon_status tenon_gpu_read_input(tenon_context *context, int32_t input,
                                  const void *data, uint64_t bytes,
                                  const void **host) {
  tenon_gpu *gpu = context->model->gpu;
  tenon_gpu_context *side = context->gpu;
  tenon_region *region = &side->values[input];
  const char *what = "an input that host code reads";
  if (tenon_region_reserve(region, bytes ? bytes : 1) != 0) {
    tenon_text_add(&context->text, "out of memory: it needs %llu bytes",
                   (unsigned long long)bytes);
    return TENON_LIMIT;
  }
  *host = region->data;
  if (bytes == 0)
    return TENON_OK;
  tenon_status status =
      TENON_GPU_CALL(gpu, &context->text, what, cuMemcpyDtoHAsync, region->data,
                     (uintptr_t)data, bytes, side->stream);
  tenon_status waited =
      tenon_gpu_wait(context, what, status == TENON_OK ? &context->text : NULL);
  return status == TENON_OK ? waited : status;
}

/* Provides the memory of the run. */
static tenon_status reserve(tenon_context *context,
                            const tenon_function *function,
                            uint64_t arena_bytes) {
  tenon_gpu *gpu = context->model->gpu;
  tenon_gpu_context *side = context->gpu;
  tenon_text *text = &context->text;
  uint64_t staging = tenon_gpu_staging_bytes(context, function);
  tenon_status status = tenon_gpu_reserve(
      gpu, &side->arena, arena_bytes ? arena_bytes : 1, "the arena", text);
  /* Not empty, so that tensors without elements have an address. */
  if (status == TENON_OK)
    status = tenon_gpu_reserve(gpu, &side->staging, staging ? staging : 1,
                               "staging of inputs and outputs", text);
  if (status == TENON_OK &&
      tenon_region_reserve_lazily(&side->host_arena, arena_bytes) != 0) {
    tenon_text_add(text,
                   "out of memory: the host's arena has %llu bytes of "
                   "addresses",
                   (unsigned long long)arena_bytes);
    status = TENON_LIMIT;
  }
  return status;
}

/* Gives each tensor in host memory its place in the staging region, and copies
 * the inputs. */
static tenon_status stage(tenon_context *context,
                          const tenon_function *function) {
  tenon_gpu *gpu = context->model->gpu;
  tenon_gpu_context *side = context->gpu;
  const tenon_function_desc *desc = function->desc;
  tenon_status status = TENON_OK;
  uint64_t offset = 0;
  for (int32_t i = 0; status == TENON_OK && i < desc->num_inputs; ++i) {
    int is_read = (desc->inputs[i].flags & TENON_INPUT_HOST) != 0;
    side->host_inputs[i] = is_read ? context->inputs[i] : NULL;
    if (side->inputs[i])
      continue;
    nv_pointer place = side->staging.address + offset;
    uint64_t bytes = side->input_bytes[i];
    (void)add_aligned(&offset, bytes);
    side->inputs[i] = (const void *)(uintptr_t)place;
    if (bytes > 0)
      status = TENON_GPU_CALL(gpu, &context->text, desc->inputs[i].name,
                              cuMemcpyHtoDAsync, place, context->inputs[i],
                              bytes, side->stream);
  }
  for (int32_t i = 0; i < desc->num_outputs; ++i) {
    if (tenon_lies_on_device(context->output_tensors[i])) {
      side->outputs[i] = context->outputs[i];
      continue;
    }
    side->outputs[i] = (void *)(uintptr_t)(side->staging.address + offset);
    (void)add_aligned(&offset, context->output_bytes[i]);
  }
  return status;
}

static tenon_status begin(tenon_context *context,
                          const tenon_function *function, tenon_call *call) {
  tenon_gpu *gpu = context->model->gpu;
  tenon_gpu_context *side = context->gpu;
  tenon_status status = reserve(context, function, call->arena_bytes);
  tenon_gpu_begin_list(context, call->profile != NULL);
  if (status == TENON_OK && side->has_old_fault)
    status = TENON_GPU_CALL(gpu, &context->text, "the record of faults",
                            cuMemsetD8Async, side->faults.address, 0,
                            sizeof(tenon_call), side->stream);
  if (status == TENON_OK)
    status = stage(context, function);
  call->inputs = side->inputs;
  call->outputs = side->outputs;
  call->arena = (void *)(uintptr_t)side->arena.address;
  call->weights = (const void *)(uintptr_t)gpu->weights;
  call->state = (void *)(uintptr_t)side->state.address;
  call->device = &tenon_gpu_calls;
  call->device_state = context;
  call->device_faults = (void *)(uintptr_t)side->faults.address;
  call->host_inputs = side->host_inputs;
  call->host_weights = context->model->weights.data;
  call->host_arena = side->host_arena.data;
  return status;
}

/* Copies the outputs that the caller wants in host memory. What became larger
 * than planned is not copied: the caller of the run refuses it. */
static tenon_status copy_outputs(tenon_context *context,
                                 const tenon_function *function) {
  tenon_gpu *gpu = context->model->gpu;
  tenon_gpu_context *side = context->gpu;
  tenon_status status = TENON_OK;
  for (int32_t i = 0; status == TENON_OK && i < function->desc->num_outputs;
       ++i) {
    const tenon_tensor_desc *desc = &function->desc->outputs[i];
    int overflow;
    uint64_t bytes = tenon_dense_bytes(desc->dtype, desc->rank,
                                       context->output_dims[i], &overflow);
    if (tenon_lies_on_device(context->output_tensors[i]) || overflow ||
        bytes == 0 || bytes > context->output_bytes[i])
      continue;
    status = TENON_GPU_CALL(gpu, &context->text, desc->name, cuMemcpyDtoHAsync,
                            context->outputs[i], (uintptr_t)side->outputs[i],
                            bytes, side->stream);
  }
  return status;
}

/* Starts what the run has not started. A run that was cancelled and one whose
 * device failed do no more. */
static tenon_status start_rest(tenon_context *context, const tenon_fault *fault,
                               tenon_text *text) {
  if (fault->code != TENON_FAULT_CANCELLED && fault->code != TENON_FAULT_DEVICE)
    return tenon_gpu_submit(context, text);
  tenon_gpu_drop_list(context);
  return TENON_OK;
}

/* Reads the record of faults after all work; on success the outputs too. */
static tenon_status end(tenon_context *context, const tenon_function *function,
                        const tenon_fault *fault, int failed) {
  tenon_gpu *gpu = context->model->gpu;
  tenon_gpu_context *side = context->gpu;
  tenon_text *text = failed ? NULL : &context->text;
  tenon_status status = start_rest(context, fault, text);
  if (status == TENON_OK && !failed)
    status = copy_outputs(context, function);
  if (status == TENON_OK)
    status = TENON_GPU_CALL(gpu, text, "the record of faults",
                            cuMemcpyDtoHAsync, &side->fault,
                            side->faults.address + offsetof(tenon_call, fault),
                            sizeof side->fault, side->stream);
  tenon_status waited = tenon_gpu_wait(context, "the end of the run",
                                       status == TENON_OK ? text : NULL);
  return status == TENON_OK ? waited : status;
}

int32_t tenon_gpu_run(tenon_context *context, const tenon_function *function,
                      tenon_call *call) {
  tenon_gpu_context *side = context->gpu;
  side->status = begin(context, function, call);
  if (side->status != TENON_OK) {
    /* The record of faults may have no value yet. */
    side->has_old_fault = 1;
    call->fault = (tenon_fault){.code = TENON_FAULT_DEVICE, .site = -1};
    (void)tenon_gpu_wait(context, "the end of the run", NULL);
    return 1;
  }
  int32_t failed = function->desc->run(call);
  tenon_status status = end(context, function, &call->fault, failed);
  side->has_old_fault = status != TENON_OK || side->fault.code != 0;
  if (status != TENON_OK && !failed) {
    side->status = status;
    call->fault = (tenon_fault){.code = TENON_FAULT_DEVICE, .site = -1};
    return 1;
  }
  /* A fault of a kernel comes before one of host code that ran after it. */
  if (status == TENON_OK && side->fault.code != TENON_FAULT_NONE &&
      (!failed || (call->fault.code != TENON_FAULT_CANCELLED &&
                   call->fault.code != TENON_FAULT_DEVICE))) {
    call->fault = side->fault;
    return 1;
  }
  return failed;
}
