/* What a model's host code asks of the device: launches, copies, reads and
 * writes. A call that fails stores its text and status in the context and
 * reports TENON_FAULT_DEVICE. */
#include <string.h>

#include "nvidia.h"

enum {
  PASSAGE_BYTES = 256 << 10,
  /* Values of up to this size are arguments of a fill, which needs no host
   * memory. */
  MOST_WORDS = 4,
  WORD = sizeof(uint32_t),
  /* Low rates of a small GPU. */
  LONGEST_NANOSECONDS = 10000000,
  LAUNCH_NANOSECONDS = 2000,
  FLOPS_A_NANOSECOND = 8000,
  BYTES_A_NANOSECOND = 300
};

static int32_t fail(tenon_call *call, tenon_status status) {
  tenon_context *context = call->device_state;
  context->gpu->status = status;
  if (call->fault.code == TENON_FAULT_NONE)
    call->fault = (tenon_fault){.code = TENON_FAULT_DEVICE, .site = -1};
  return 1;
}

static int32_t fail_unless(tenon_call *call, tenon_status status) {
  return status == TENON_OK ? 0 : fail(call, status);
}

tenon_status tenon_gpu_wait(tenon_context *context, const char *what,
                            tenon_text *text) {
  tenon_gpu *gpu = context->model->gpu;
  tenon_gpu_context *side = context->gpu;
  tenon_status status =
      TENON_GPU_CALL(gpu, text, what, cuStreamSynchronize, side->stream);
  /* The caller frees or reads memory next: nothing may still be at work. */
  if (status != TENON_OK)
    (void)gpu->driver.cuStreamSynchronize(side->stream);
  side->passing = 0;
  side->window = 0;
  memset(side->is_marked, 0, sizeof side->is_marked);
  return status;
}

static int64_t estimate(int64_t flops, int64_t bytes) {
  int64_t time = LAUNCH_NANOSECONDS +
                 (flops > 0 ? flops : 0) / FLOPS_A_NANOSECOND +
                 (bytes > 0 ? bytes : 0) / BYTES_A_NANOSECOND;
  return time < LONGEST_NANOSECONDS ? time : LONGEST_NANOSECONDS;
}

/* Refuses a launch that no compiler should ask for. */
static tenon_status check_launch(tenon_context *context, int32_t kernel,
                                 int64_t blocks) {
  const tenon_gpu *gpu = context->model->gpu;
  if (kernel < 0 || kernel >= gpu->desc->num_kernels || blocks < 0) {
    tenon_text_add(&context->text, "the model launches kernel %d of %d", kernel,
                   gpu->desc->num_kernels);
    return TENON_INTERNAL;
  }
  if (blocks <= INT32_MAX)
    return TENON_OK;
  tenon_text_add(&context->text, "kernel ");
  tenon_text_add_name(&context->text, gpu->desc->kernels[kernel].name);
  tenon_text_add(
      &context->text,
      " needs %lld blocks, a device has %d\nhelp: use smaller inputs",
      (long long)blocks, INT32_MAX);
  return TENON_LIMIT;
}

static tenon_status start(tenon_context *context, int32_t kernel,
                          int64_t blocks, const uint64_t *arguments,
                          int64_t flops, int64_t bytes) {
  if (blocks == 0)
    return TENON_OK;
  return tenon_gpu_add(context,
                       (tenon_gpu_item){.kind = TENON_GPU_KERNEL,
                                        .kernel = kernel,
                                        .blocks = (uint32_t)blocks},
                       arguments, estimate(flops, bytes));
}

/* With a profile the host waits, so that the calls enclose the kernel's time
 * and nothing else. */
static tenon_status start_profiled(tenon_call *call, int32_t kernel,
                                   int32_t launch, int64_t blocks,
                                   const uint64_t *arguments, int64_t flops,
                                   int64_t bytes) {
  tenon_context *context = call->device_state;
  const char *name = context->model->gpu->desc->kernels[kernel].name;
  tenon_status status =
      tenon_gpu_wait(context, "work before a profiled kernel", &context->text);
  if (status != TENON_OK)
    return status;
  call->profile(call->profile_state, launch, 0, flops, bytes);
  status = start(context, kernel, blocks, arguments, flops, bytes);
  tenon_status waited =
      tenon_gpu_wait(context, name, status == TENON_OK ? &context->text : NULL);
  call->profile(call->profile_state, launch, 1, flops, bytes);
  return status == TENON_OK ? waited : status;
}

static int32_t launch_kernel(tenon_call *call, int32_t kernel, int32_t launch,
                             int64_t blocks, const uint64_t *arguments,
                             int64_t flops, int64_t bytes) {
  tenon_context *context = call->device_state;
  if (call->cancel && __atomic_load_n(call->cancel, __ATOMIC_RELAXED) != 0) {
    if (call->fault.code == TENON_FAULT_NONE)
      call->fault = (tenon_fault){.code = TENON_FAULT_CANCELLED, .site = -1};
    return 1;
  }
  tenon_status status = check_launch(context, kernel, blocks);
  if (status == TENON_OK && call->profile)
    status =
        start_profiled(call, kernel, launch, blocks, arguments, flops, bytes);
  else if (status == TENON_OK)
    status = start(context, kernel, blocks, arguments, flops, bytes);
  return fail_unless(call, status);
}

static int32_t copy_bytes(tenon_call *call, void *to, const void *from,
                          uint64_t bytes) {
  if (bytes == 0)
    return 0;
  return fail_unless(call,
                     tenon_gpu_add(call->device_state,
                                   (tenon_gpu_item){.kind = TENON_GPU_COPY,
                                                    .to = (uintptr_t)to,
                                                    .from = (uintptr_t)from,
                                                    .bytes = bytes},
                                   NULL, estimate(0, (int64_t)bytes)));
}

/* Also reads the record of faults: host code must not act on values that were
 * computed after one. */
static int32_t read_bytes(tenon_call *call, void *host, const void *from,
                          uint64_t bytes) {
  tenon_context *context = call->device_state;
  tenon_gpu *gpu = context->model->gpu;
  tenon_gpu_context *side = context->gpu;
  const char *what = "a read";
  tenon_status status = tenon_gpu_submit(context, &context->text);
  if (status == TENON_OK && bytes > 0)
    status = TENON_GPU_CALL(gpu, &context->text, what, cuMemcpyDtoHAsync, host,
                            (uintptr_t)from, bytes, side->stream);
  if (status == TENON_OK)
    status = TENON_GPU_CALL(gpu, &context->text, what, cuMemcpyDtoHAsync,
                            &side->fault,
                            side->faults.address + offsetof(tenon_call, fault),
                            sizeof side->fault, side->stream);
  tenon_status waited =
      tenon_gpu_wait(context, what, status == TENON_OK ? &context->text : NULL);
  status = status == TENON_OK ? waited : status;
  if (status != TENON_OK)
    return fail(call, status);
  if (side->fault.code == TENON_FAULT_NONE)
    return 0;
  side->has_old_fault = 1;
  if (call->fault.code == TENON_FAULT_NONE)
    call->fault = side->fault;
  return 1;
}

/* Writes a few words, or bytes, as arguments of fills. */
static tenon_status fill(tenon_context *context, nv_pointer to,
                         const char *host, uint64_t bytes) {
  uint64_t step = bytes % WORD == 0 && to % WORD == 0 ? WORD : 1;
  tenon_status status = TENON_OK;
  for (uint64_t at = 0; status == TENON_OK && at < bytes; at += step) {
    tenon_gpu_item item = {.kind = step == WORD ? TENON_GPU_FILL_WORD
                                                : TENON_GPU_FILL_BYTE,
                           .to = to + at};
    memcpy(&item.value, host + at, step);
    status = tenon_gpu_add(context, item, NULL, estimate(0, WORD));
  }
  return status;
}

/* True if `fill` needs few calls. */
static int is_small(nv_pointer to, uint64_t bytes) {
  return bytes <= MOST_WORDS ||
         (bytes <= MOST_WORDS * WORD && bytes % WORD == 0 && to % WORD == 0);
}

/* Copies the bytes to pinned memory, from where the device takes them later. */
static tenon_status pass(tenon_context *context, nv_pointer to,
                         const char *host, uint64_t bytes) {
  tenon_gpu *gpu = context->model->gpu;
  tenon_gpu_context *side = context->gpu;
  tenon_text *text = &context->text;
  const char *what = "a write";
  tenon_status status = TENON_OK;
  if (!side->passage) {
    void *passage = NULL;
    status = TENON_GPU_CALL(gpu, text, what, cuMemAllocHost, &passage,
                            PASSAGE_BYTES);
    side->passage = status == TENON_OK ? passage : NULL;
  }
  if (status == TENON_OK && side->passing + bytes > PASSAGE_BYTES) {
    status = tenon_gpu_submit(context, text);
    if (status == TENON_OK)
      status = tenon_gpu_wait(context, what, text);
  }
  if (status != TENON_OK)
    return status;
  char *from = side->passage + side->passing;
  memcpy(from, host, bytes);
  side->passing += bytes;
  return tenon_gpu_add(context,
                       (tenon_gpu_item){.kind = TENON_GPU_WRITE,
                                        .to = to,
                                        .from = (uintptr_t)from,
                                        .bytes = bytes},
                       NULL, estimate(0, (int64_t)bytes));
}

/* Copies from the host's memory and waits. */
static tenon_status write_large(tenon_context *context, nv_pointer to,
                                const void *host, uint64_t bytes) {
  tenon_text *text = &context->text;
  const char *what = "a write";
  tenon_status status = tenon_gpu_submit(context, text);
  if (status == TENON_OK)
    status = TENON_GPU_CALL(context->model->gpu, text, what, cuMemcpyHtoDAsync,
                            to, host, bytes, context->gpu->stream);
  tenon_status waited =
      tenon_gpu_wait(context, what, status == TENON_OK ? text : NULL);
  return status == TENON_OK ? waited : status;
}

static int32_t write_bytes(tenon_call *call, void *to, const void *host,
                           uint64_t bytes) {
  tenon_context *context = call->device_state;
  nv_pointer address = (uintptr_t)to;
  if (is_small(address, bytes))
    return fail_unless(call, fill(context, address, host, bytes));
  return fail_unless(call, bytes <= PASSAGE_BYTES
                               ? pass(context, address, host, bytes)
                               : write_large(context, address, host, bytes));
}

const tenon_device_calls tenon_gpu_calls = {
    .struct_size = sizeof(tenon_device_calls),
    .launch = launch_kernel,
    .copy = copy_bytes,
    .read = read_bytes,
    .write = write_bytes,
};
