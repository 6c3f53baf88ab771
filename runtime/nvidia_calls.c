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
  /* A window of work, by low rates of a small GPU: a run that is cancelled ends
   * after two of them. */
  WINDOW_NANOSECONDS = 10000000,
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

/* Begins a window: waits for the end of the window before the last. */
static tenon_status begin_window(tenon_context *context) {
  tenon_gpu *gpu = context->model->gpu;
  tenon_gpu_context *side = context->gpu;
  int32_t mark = side->next_mark, oldest = (mark + 1) % TENON_GPU_MARKS;
  tenon_status status =
      TENON_GPU_CALL(gpu, &context->text, "a mark", cuEventRecord,
                     side->marks[mark], side->stream);
  if (status != TENON_OK)
    return status;
  side->is_marked[mark] = 1;
  side->next_mark = oldest;
  side->window = 0;
  return !side->is_marked[oldest]
             ? TENON_OK
             : TENON_GPU_CALL(gpu, &context->text, "the kernels",
                              cuEventSynchronize, side->marks[oldest]);
}

static int64_t estimate(int64_t flops, int64_t bytes) {
  int64_t time = LAUNCH_NANOSECONDS +
                 (flops > 0 ? flops : 0) / FLOPS_A_NANOSECOND +
                 (bytes > 0 ? bytes : 0) / BYTES_A_NANOSECOND;
  return time < WINDOW_NANOSECONDS ? time : WINDOW_NANOSECONDS;
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
                          int64_t blocks, void *const *arguments) {
  tenon_gpu *gpu = context->model->gpu;
  const tenon_device_kernel_desc *desc = &gpu->desc->kernels[kernel];
  if (blocks == 0)
    return TENON_OK;
  return TENON_GPU_CALL(gpu, &context->text, desc->name, cuLaunchKernel,
                        gpu->kernels[kernel], (unsigned)blocks, 1, 1,
                        (unsigned)desc->threads, 1, 1,
                        (unsigned)desc->shared_bytes, context->gpu->stream,
                        (void **)arguments, NULL);
}

/* With a profile the host waits, so that the calls enclose the kernel's time
 * and nothing else. */
static tenon_status start_profiled(tenon_call *call, int32_t kernel,
                                   int32_t launch, int64_t blocks,
                                   void *const *arguments, int64_t flops,
                                   int64_t bytes) {
  tenon_context *context = call->device_state;
  const char *name = context->model->gpu->desc->kernels[kernel].name;
  tenon_status status =
      tenon_gpu_wait(context, "work before a profiled kernel", &context->text);
  if (status != TENON_OK)
    return status;
  call->profile(call->profile_state, launch, 0, flops, bytes);
  status = start(context, kernel, blocks, arguments);
  tenon_status waited =
      tenon_gpu_wait(context, name, status == TENON_OK ? &context->text : NULL);
  call->profile(call->profile_state, launch, 1, flops, bytes);
  return status == TENON_OK ? waited : status;
}

static int32_t launch_kernel(tenon_call *call, int32_t kernel, int32_t launch,
                             int64_t blocks, void *const *arguments,
                             int64_t flops, int64_t bytes) {
  tenon_context *context = call->device_state;
  tenon_gpu_context *side = context->gpu;
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
    status = start(context, kernel, blocks, arguments);
  side->window += estimate(flops, bytes);
  if (status == TENON_OK && side->window >= WINDOW_NANOSECONDS)
    status = begin_window(context);
  return fail_unless(call, status);
}

static int32_t copy_bytes(tenon_call *call, void *to, const void *from,
                          uint64_t bytes) {
  tenon_context *context = call->device_state;
  tenon_gpu *gpu = context->model->gpu;
  if (bytes == 0)
    return 0;
  context->gpu->window += estimate(0, (int64_t)bytes);
  return fail_unless(call, TENON_GPU_CALL(gpu, &context->text, "a copy",
                                          cuMemcpyDtoDAsync, (uintptr_t)to,
                                          (uintptr_t)from, bytes,
                                          context->gpu->stream));
}

/* Also reads the record of faults: host code must not act on values that were
 * computed after one. */
static int32_t read_bytes(tenon_call *call, void *host, const void *from,
                          uint64_t bytes) {
  tenon_context *context = call->device_state;
  tenon_gpu *gpu = context->model->gpu;
  tenon_gpu_context *side = context->gpu;
  const char *what = "a read";
  tenon_status status = TENON_OK;
  if (bytes > 0)
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
  tenon_gpu *gpu = context->model->gpu;
  nv_stream stream = context->gpu->stream;
  uint64_t step = bytes % WORD == 0 && to % WORD == 0 ? WORD : 1;
  tenon_status status = TENON_OK;
  for (uint64_t at = 0; status == TENON_OK && at < bytes; at += step) {
    uint32_t word = (unsigned char)host[at];
    if (step == 1) {
      status = TENON_GPU_CALL(gpu, &context->text, "a write", cuMemsetD8Async,
                              to + at, (unsigned char)word, 1, stream);
    } else {
      memcpy(&word, host + at, sizeof word);
      status = TENON_GPU_CALL(gpu, &context->text, "a write", cuMemsetD32Async,
                              to + at, word, 1, stream);
    }
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
  if (status == TENON_OK && side->passing + bytes > PASSAGE_BYTES)
    status = tenon_gpu_wait(context, what, text);
  if (status != TENON_OK)
    return status;
  char *from = side->passage + side->passing;
  memcpy(from, host, bytes);
  side->passing += bytes;
  return TENON_GPU_CALL(gpu, text, what, cuMemcpyHtoDAsync, to, from, bytes,
                        side->stream);
}

/* Copies from the host's memory and waits. */
static tenon_status write_large(tenon_context *context, nv_pointer to,
                                const void *host, uint64_t bytes) {
  tenon_text *text = &context->text;
  const char *what = "a write";
  tenon_status status =
      TENON_GPU_CALL(context->model->gpu, text, what, cuMemcpyHtoDAsync, to,
                     host, bytes, context->gpu->stream);
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
