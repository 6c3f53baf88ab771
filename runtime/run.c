/* A run binds the tensors, lets the model plan, provides memory and runs the
 * model. Every refusal comes before any output is written, except for a fault
 * that the model finds in its input values. */
#include <string.h>

#include "cpu.h"
#include "nvidia.h"

/* A task of a loop on the host's pool: sets the floating-point state that
 * kernels need around the call of `fn`. */
typedef struct host_task {
  tenon_task_fn fn;
  void *args;
} host_task;

static void run_host_task(void *argument, int64_t begin, int64_t end) {
  const host_task *task = argument;
  unsigned host = tenon_fp_enter();
  task->fn(task->args, begin, end);
  tenon_fp_leave(host);
}

static void host_parallel(void *argument, tenon_task_fn fn, void *args,
                          int64_t count) {
  const tenon_model *model = argument;
  host_task task = {fn, args};
  model->host_parallel(model->host_pool, run_host_task, &task, count);
}

static tenon_status cancelled(tenon_context *context) {
  int32_t why = atomic_load(&context->cancel);
  tenon_text_add(&context->text,
                 why & TENON_CANCEL_LATE && context->timeout
                     ? "past the deadline of %.3f ms"
                     : "cancelled",
                 (double)context->timeout / 1e6);
  return TENON_CANCELLED;
}

/* Writes the text for a fault that the model reported and returns its status.
 * */
static tenon_status faulted(tenon_context *context,
                            const tenon_function *function,
                            const tenon_fault *fault) {
  tenon_text *text = &context->text;
  const tenon_function_desc *desc = function->desc;
  if (fault->code == TENON_FAULT_CANCELLED)
    return cancelled(context);
  /* The device call has written the text. */
  if (fault->code == TENON_FAULT_DEVICE && context->gpu &&
      context->gpu->status != TENON_OK)
    return context->gpu->status;
  if (fault->site >= 0 && fault->site < desc->num_sites) {
    tenon_text_add_name(text, desc->sites[fault->site]);
    tenon_text_add(text, ": ");
  }
  long long found = fault->found, low = fault->low, high = fault->high;
  if (fault->code == TENON_FAULT_INDEX)
    tenon_text_add(text, "index %lld is not allowed; expected %lld to %lld",
                   found, low, high);
  else if (fault->code != TENON_FAULT_SHAPE)
    tenon_text_add(text, "the model reported an unknown fault (%d)",
                   fault->code);
  else if (low == high)
    tenon_text_add(text, "expected %lld, got %lld", low, found);
  else if (fault->high == INT64_MAX)
    tenon_text_add(text, "expected at least %lld, got %lld", low, found);
  else if (fault->low == INT64_MIN)
    tenon_text_add(text, "expected at most %lld, got %lld", high, found);
  else
    tenon_text_add(text, "expected %lld to %lld, got %lld", low, high, found);
  return fault->code == TENON_FAULT_INDEX || fault->code == TENON_FAULT_SHAPE
             ? TENON_BAD_INPUT
             : TENON_INTERNAL;
}

static const tenon_function *find_function(tenon_context *context,
                                           const char *name) {
  const tenon_model *model = context->model;
  const tenon_function_desc *desc = tenon_find_function(model, name);
  if (desc)
    return &model->functions[desc - model->desc->functions];
  tenon_text_add(&context->text, "no function \"");
  tenon_text_add_name(&context->text, name);
  tenon_text_add(&context->text, "\"; the first one is \"");
  tenon_text_add_name(&context->text, model->desc->functions[0].name);
  tenon_text_add(&context->text, "\"");
  return NULL;
}

/* Binds all tensors and plans. Afterwards `call` needs only the arena to run.
 * */
static tenon_status prepare(tenon_context *context,
                            const tenon_function *function,
                            const tenon_tensor *inputs, size_t num_inputs,
                            tenon_tensor *outputs, size_t num_outputs,
                            int for_run, tenon_call *call) {
  tenon_model *model = context->model;
  tenon_status status =
      tenon_bind_inputs(context, function, inputs, num_inputs);
  if (status == TENON_OK)
    status = tenon_bind_outputs(context, function, outputs, num_outputs);
  if (status != TENON_OK)
    return status;
  *call = (tenon_call){
      .struct_size = sizeof *call,
      .inputs = context->inputs,
      .input_dims = context->input_dims,
      .outputs = context->outputs,
      .output_dims = context->output_dims,
      .weights = model->weights.data,
      .cancel = (const volatile int32_t *)&context->cancel,
      .version = model->version,
      .state = context->state.data,
      .extents = context->state_extents,
      .state_offsets = context->state_offsets,
  };
  if (model->host_parallel) {
    call->parallel = host_parallel;
    call->pool = model;
  } else if (model->pool.wanted > 0) {
    call->parallel = tenon_pool_parallel;
    call->pool = &model->pool;
  }
  if (function->desc->plan(call) != 0)
    return faulted(context, function, &call->fault);
  return tenon_size_outputs(context, function, call->arena_bytes, for_run);
}

/* Writes dtype, rank, extents and bytes of the outputs to the caller's tensors;
 * after a run also their data pointers. */
static tenon_status publish(tenon_context *context,
                            const tenon_function *function, int after_run) {
  for (int32_t i = 0; i < function->desc->num_outputs; ++i) {
    const tenon_tensor_desc *desc = &function->desc->outputs[i];
    tenon_tensor *tensor = context->output_tensors[i];
    int64_t *dims = context->output_dims[i];
    int overflow;
    uint64_t bytes =
        tenon_dense_bytes(desc->dtype, desc->rank, dims, &overflow);
    for (int32_t d = 0; d < desc->rank; ++d)
      if (dims[d] < 0)
        overflow = 1;
    if (overflow || bytes > context->output_bytes[i]) {
      tenon_text_add(&context->text, "output %d became larger than planned", i);
      return TENON_INTERNAL;
    }
    int owned = tenon_owns_output(context, i);
    tensor->dtype = desc->dtype;
    tensor->rank = desc->rank;
    if (tensor->dims && !tenon_owns_dims(context, tensor->dims))
      memcpy(tensor->dims, dims, (size_t)desc->rank * sizeof *dims);
    else
      tensor->dims = dims;
    if (after_run && owned)
      tensor->data = context->outputs[i];
    if (!after_run || owned)
      tensor->bytes = bytes;
  }
  return TENON_OK;
}

/* Calls the model where it runs. */
static int32_t run_model(tenon_context *context, const tenon_function *function,
                         tenon_call *call) {
  return context->gpu ? tenon_gpu_run(context, function, call)
                      : function->desc->run(call);
}

/* Reserves the arena, starts the deadline and runs the model. */
static tenon_status execute(tenon_context *context,
                            const tenon_function *function, tenon_call *call) {
  if (!context->gpu &&
      tenon_region_reserve(&context->arena, call->arena_bytes) != 0) {
    tenon_text_add(&context->text, "out of memory: the arena needs %llu bytes",
                   (unsigned long long)call->arena_bytes);
    return TENON_LIMIT;
  }
  call->arena = context->arena.data;
  call->profile = context->profile;
  call->profile_state = context->profile_state;
  if (context->timeout > 0) {
    tenon_watch *watch = &context->watch;
    watch->flag = &context->cancel;
    watch->value = TENON_CANCEL_LATE;
    if (tenon_watchdog_add(&context->model->watchdog, watch,
                           context->timeout) != 0) {
      tenon_text_add(&context->text, "cannot start the deadline thread");
      return TENON_LIMIT;
    }
  }
  int32_t failed = run_model(context, function, call);
  if (context->timeout > 0)
    tenon_watchdog_remove(&context->model->watchdog, &context->watch);
  if (failed)
    return faulted(context, function, &call->fault);
  if (call->variant >= 0 && call->variant <= function->desc->num_variants)
    atomic_fetch_add_explicit(&function->calls[call->variant], 1,
                              memory_order_relaxed);
  return TENON_OK;
}

static tenon_status call_function(tenon_context *context, const char *name,
                                  const tenon_tensor *inputs, size_t num_inputs,
                                  tenon_tensor *outputs, size_t num_outputs,
                                  int for_run, uint64_t *arena_bytes) {
  tenon_call call;
  tenon_status status = tenon_context_enter(context);
  if (status != TENON_OK)
    return status;
  unsigned host = tenon_fp_enter();
  const tenon_function *function = find_function(context, name);
  tenon_gpu *gpu = context->model->gpu;
  status = function ? TENON_OK : TENON_BAD_INPUT;
  if (status == TENON_OK && gpu)
    status = tenon_gpu_enter(gpu, &context->text);
  int is_inside = status == TENON_OK && gpu;
  if (status == TENON_OK)
    status = prepare(context, function, inputs, num_inputs, outputs,
                     num_outputs, for_run, &call);
  if (status == TENON_OK && for_run)
    status = tenon_check_overlap(context, function);
  if (status == TENON_OK && for_run)
    status = atomic_load(&context->cancel) ? cancelled(context)
                                           : execute(context, function, &call);
  if (status == TENON_OK)
    status = publish(context, function, for_run);
  if (status == TENON_OK && arena_bytes)
    *arena_bytes = call.arena_bytes;
  if (is_inside)
    tenon_gpu_leave(gpu);
  /* A cancellation applies to one run only: clear it. */
  if (for_run && atomic_load_explicit(&context->cancel, memory_order_relaxed))
    atomic_store(&context->cancel, 0);
  tenon_fp_leave(host);
  tenon_context_leave(context);
  return status;
}

tenon_status tenon_run(tenon_context *context, const char *function,
                       const tenon_tensor *inputs, size_t num_inputs,
                       tenon_tensor *outputs, size_t num_outputs) {
  return call_function(context, function, inputs, num_inputs, outputs,
                       num_outputs, 1, NULL);
}

tenon_status tenon_plan(tenon_context *context, const char *function,
                        const tenon_tensor *inputs, size_t num_inputs,
                        tenon_tensor *outputs, size_t num_outputs,
                        uint64_t *arena_bytes) {
  return call_function(context, function, inputs, num_inputs, outputs,
                       num_outputs, 0, arena_bytes);
}
