/* Contexts: each holds the memory for one run at a time. All tables of a call
 * are allocated here, so that a run allocates only when a size grows. */
#include <stdlib.h>
#include <string.h>

#include "caller.h"
#include "nvidia.h"

/* The context that last refused a call of this thread because another thread
 * was using it. The context's text then belongs to that other thread. */
static _Thread_local const tenon_context *refused;

static void free_tables(tenon_context *context) {
  free(context->inputs);
  free(context->input_dims);
  free(context->outputs);
  free(context->output_dims);
  free(context->extents);
  free(context->input_tensors);
  free(context->output_tensors);
  free(context->output_bytes);
  free(context->bindings);
  free(context->spans);
  free(context->owned);
}

static int make_tables(tenon_context *context, const tenon_model *model) {
  size_t inputs = 1, outputs = 1, extents = 1, symbols = 1;
  for (int32_t i = 0; i < model->desc->num_functions; ++i) {
    const tenon_function *function = &model->functions[i];
    size_t here[] = {
        (size_t)function->desc->num_inputs, (size_t)function->desc->num_outputs,
        (size_t)(function->num_input_dims + function->num_output_dims),
        (size_t)function->num_symbols};
    inputs = here[0] > inputs ? here[0] : inputs;
    outputs = here[1] > outputs ? here[1] : outputs;
    extents = here[2] > extents ? here[2] : extents;
    symbols = here[3] > symbols ? here[3] : symbols;
  }
  context->num_owned = (int32_t)outputs;
  context->num_inputs = (int32_t)inputs;
  context->num_extents = extents;
  context->inputs = calloc(inputs, sizeof *context->inputs);
  context->input_dims = calloc(inputs, sizeof *context->input_dims);
  context->outputs = calloc(outputs, sizeof *context->outputs);
  context->output_dims = calloc(outputs, sizeof *context->output_dims);
  context->extents = calloc(extents, sizeof *context->extents);
  context->input_tensors = calloc(inputs, sizeof *context->input_tensors);
  context->output_tensors = calloc(outputs, sizeof *context->output_tensors);
  context->output_bytes = calloc(outputs, sizeof *context->output_bytes);
  context->bindings = calloc(symbols, sizeof *context->bindings);
  context->spans = calloc(inputs + outputs, sizeof *context->spans);
  context->owned = calloc(outputs, sizeof *context->owned);
  return context->inputs && context->input_dims && context->outputs &&
         context->output_dims && context->extents && context->input_tensors &&
         context->output_tensors && context->output_bytes &&
         context->bindings && context->spans && context->owned;
}

static tenon_status say(const tenon_context_options *options,
                        tenon_status status, const char *why) {
  tenon_give_text(options->error_text, options->error_text_bytes, why);
  return status;
}

tenon_status tenon_context_create(tenon_model *model,
                                  const tenon_context_options *given,
                                  tenon_context **result) {
  tenon_context_options options;
  if (!result)
    return TENON_BAD_INPUT;
  *result = NULL;
  if (!tenon_read_options(&options, sizeof options,
                          offsetof(tenon_context_options, extents), given))
    return TENON_BAD_INPUT;
  if (!model)
    return say(&options, TENON_BAD_INPUT, "no model is given");
  if (model->describe_only)
    return say(&options, TENON_BAD_INPUT,
               "the model was opened with describe_only");
  if (options.timeout_ns < 0)
    return say(&options, TENON_BAD_INPUT, "timeout_ns is negative");
  tenon_context *context = calloc(1, sizeof *context);
  if (!context)
    return say(&options, TENON_LIMIT, "out of memory");
  if (!make_tables(context, model)) {
    free_tables(context);
    free(context);
    return say(&options, TENON_LIMIT, "out of memory");
  }
  context->model = model;
  tenon_status status = tenon_state_create(context, &options, &context->text);
  if (status != TENON_OK) {
    say(&options, status, context->text.bytes);
    free_tables(context);
    free(context);
    return status;
  }
  context->timeout = options.timeout_ns;
  context->memory_limit = options.memory_limit;
  atomic_fetch_add(&model->contexts, 1);
  *result = context;
  return say(&options, TENON_OK, "");
}

tenon_status tenon_context_enter(tenon_context *context) {
  if (!context)
    return TENON_BAD_INPUT;
  if (atomic_exchange_explicit(&context->busy, 1, memory_order_acquire)) {
    refused = context;
    return TENON_BAD_INPUT;
  }
  refused = NULL;
  tenon_text_clear(&context->text);
  return TENON_OK;
}

void tenon_context_leave(tenon_context *context) {
  atomic_store_explicit(&context->busy, 0, memory_order_release);
}

tenon_status tenon_context_destroy(tenon_context *context) {
  if (!context)
    return TENON_OK;
  tenon_status status = tenon_context_enter(context);
  if (status != TENON_OK)
    return status;
  tenon_model *model = context->model;
  tenon_gpu_context_destroy(context);
  tenon_region_free(&context->arena);
  tenon_state_free(context);
  for (int32_t i = 0; i < context->num_owned; ++i)
    tenon_region_free(&context->owned[i]);
  free_tables(context);
  free(context);
  atomic_fetch_sub(&model->contexts, 1);
  return TENON_OK;
}

const char *tenon_context_text(const tenon_context *context) {
  if (!context)
    return "no context is given";
  if (refused == context)
    return "the context is busy with another call\n"
           "help: make one context for each run that shall be under way";
  return context->text.bytes;
}

void tenon_cancel(tenon_context *context) {
  if (context)
    atomic_fetch_or(&context->cancel, TENON_CANCEL_ASKED);
}

tenon_status tenon_context_set_timeout(tenon_context *context,
                                       int64_t timeout_ns) {
  tenon_status status = tenon_context_enter(context);
  if (status != TENON_OK)
    return status;
  if (timeout_ns < 0) {
    tenon_text_add(&context->text, "timeout_ns is negative");
    status = TENON_BAD_INPUT;
  } else {
    context->timeout = timeout_ns;
  }
  tenon_context_leave(context);
  return status;
}

tenon_status tenon_context_set_profile(tenon_context *context,
                                       tenon_profile_fn profile, void *state) {
  tenon_status status = tenon_context_enter(context);
  if (status != TENON_OK)
    return status;
  context->profile = profile;
  context->profile_state = state;
  tenon_context_leave(context);
  return TENON_OK;
}

uint64_t tenon_context_memory(const tenon_context *context) {
  uint64_t bytes = context ? context->arena.bytes + context->state.bytes : 0;
  for (int32_t i = 0; context && i < context->num_owned; ++i)
    bytes += context->owned[i].bytes;
  if (context && context->gpu)
    bytes += tenon_gpu_context_memory(context);
  return bytes;
}
