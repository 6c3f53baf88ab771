/* Checks the arguments of a run. The caller's tensors come in. Afterwards the
 * context's tables hold pointers and extents that fit the function's
 * description, or the text names the tensor that does not fit. */
#include <string.h>

#include "nvidia.h"

/* Starts a text with `input "x": `. */
static tenon_status at_tensor(tenon_context *context, const char *kind,
                              const tenon_tensor_desc *desc) {
  tenon_text_add(&context->text, "%s \"", kind);
  tenon_text_add_name(&context->text, desc->name);
  tenon_text_add(&context->text, "\": ");
  return TENON_BAD_INPUT;
}

static void add_names(tenon_text *text, const tenon_tensor_desc *descs,
                      int32_t count) {
  enum { MOST = 8 };
  for (int32_t i = 0; i < count && i < MOST; ++i) {
    tenon_text_add(text, i ? ", \"" : "\"");
    tenon_text_add_name(text, descs[i].name);
    tenon_text_add(text, "\"");
  }
  if (count > MOST)
    tenon_text_add(text, ", ...");
}

/* The tensor at `index`. The array's step is the struct_size of the caller's
 * tensors, which may be larger than ours. */
static const tenon_tensor *tensor_at(const tenon_tensor *tensors,
                                     size_t index) {
  return (const tenon_tensor *)((const char *)tensors +
                                index * tensors->struct_size);
}

static int32_t count_optional(const tenon_tensor_desc *descs, int32_t count) {
  int32_t optional = 0;
  for (int32_t i = 0; i < count; ++i)
    optional += (descs[i].flags & TENON_INPUT_OPTIONAL) != 0;
  return optional;
}

/* Finds the tensor for each input or output, by name or position, and enters it
 * in `slots`. A slot stays null if no tensor is given. */
static tenon_status find_places(tenon_context *context, const char *kind,
                                const tenon_tensor *tensors, size_t count,
                                const tenon_tensor_desc *descs,
                                int32_t expected, const tenon_tensor **slots) {
  tenon_text *text = &context->text;
  int32_t least = expected - count_optional(descs, expected);
  if (count < (size_t)least || count > (size_t)expected ||
      (count > 0 && !tensors)) {
    tenon_text_add(text, "expected ");
    if (least < expected)
      tenon_text_add(text, "%d to ", least);
    tenon_text_add(text, "%d %ss (", expected, kind);
    add_names(text, descs, expected);
    tenon_text_add(text, "), got %zu%s", count,
                   count > 0 && !tensors ? " in a null array" : "");
    return TENON_BAD_INPUT;
  }
  memset(slots, 0, (size_t)expected * sizeof *slots);
  for (size_t i = 0; i < count; ++i) {
    if (tensors->struct_size < offsetof(tenon_tensor, device) ||
        tensor_at(tensors, i)->struct_size != tensors->struct_size) {
      tenon_text_add(text, "%s %zu: its struct_size is not %zu", kind, i,
                     sizeof(tenon_tensor));
      return TENON_BAD_INPUT;
    }
    const tenon_tensor *tensor = tensor_at(tensors, i);
    size_t place = i;
    if (tensor->name && strcmp(tensor->name, descs[i].name) != 0)
      for (place = 0; place < (size_t)expected; ++place)
        if (strcmp(tensor->name, descs[place].name) == 0)
          break;
    int is_known = place < (size_t)expected;
    if (!is_known || slots[place]) {
      tenon_text_add(text, "%s \"", kind);
      tenon_text_add_name(text, is_known ? descs[place].name : tensor->name);
      tenon_text_add(text, "\": %s",
                     is_known ? "given twice; expected "
                              : "no such name; expected ");
      add_names(text, descs, expected);
      return TENON_BAD_INPUT;
    }
    slots[place] = tensor;
  }
  return TENON_OK;
}

static int is_allowed(const tenon_dim_desc *dim, int64_t extent) {
  return extent >= dim->min && extent <= dim->max &&
         (dim->multiple == 1 || extent % dim->multiple == 0);
}

static tenon_status wrong_extent(tenon_context *context,
                                 const tenon_function *function, int32_t input,
                                 int32_t d, int64_t extent, int32_t symbol) {
  const tenon_tensor_desc *desc = &function->desc->inputs[input];
  const tenon_dim_desc *dim = &desc->dims[d];
  tenon_text *text = &context->text;
  at_tensor(context, "input", desc);
  tenon_text_add(text, "extent %d", d);
  if (*dim->name) {
    tenon_text_add(text, " (\"");
    tenon_text_add_name(text, dim->name);
    tenon_text_add(text, "\")");
  }
  if (is_allowed(dim, extent)) {
    const tenon_binding *bound = &context->bindings[symbol];
    tenon_text_add(text, " is %lld, but extent %d of input \"",
                   (long long)extent, bound->dim);
    tenon_text_add_name(text, function->desc->inputs[bound->input].name);
    tenon_text_add(text, "\", of the same name, is %lld",
                   (long long)bound->value);
    return TENON_BAD_INPUT;
  }
  if (dim->size >= 0)
    tenon_text_add(text, ": expected %lld", (long long)dim->size);
  else if (dim->max == INT64_MAX)
    tenon_text_add(text, ": expected at least %lld", (long long)dim->min);
  else
    tenon_text_add(text, ": expected %lld to %lld", (long long)dim->min,
                   (long long)dim->max);
  if (dim->multiple > 1)
    tenon_text_add(text, ", a multiple of %lld", (long long)dim->multiple);
  tenon_text_add(text, ", got %lld", (long long)extent);
  if (*dim->name && extent >= 0) {
    tenon_text_add(text, "\nhelp: compile with --dim=");
    tenon_text_add_name(text, dim->name);
    tenon_text_add(text, "=MIN..MAX[:MULTIPLE] to allow other sizes");
  }
  return TENON_BAD_INPUT;
}

/* Checks the extents `given` of one input and binds its named extents. */
static tenon_status bind_extents(tenon_context *context,
                                 const tenon_function *function, int32_t input,
                                 const int64_t *given, const int32_t *symbols,
                                 int64_t *extents) {
  const tenon_tensor_desc *desc = &function->desc->inputs[input];
  for (int32_t d = 0; d < desc->rank; ++d) {
    const tenon_dim_desc *dim = &desc->dims[d];
    int64_t extent = given[d];
    int fits = is_allowed(dim, extent);
    if (fits && symbols[d] >= 0) {
      tenon_binding *binding = &context->bindings[symbols[d]];
      if (binding->value < 0)
        *binding = (tenon_binding){extent, input, d};
      fits = binding->value == extent;
    }
    if (!fits)
      return wrong_extent(context, function, input, d, extent, symbols[d]);
    extents[d] = extent;
  }
  return TENON_OK;
}

static int is_aligned(const void *data, int32_t dtype) {
  return ((uintptr_t)data & (tenon_dtype_bytes(dtype) - 1)) == 0;
}

/* Checks where a tensor lies. An output that the context shall provide has no
 * address yet. */
static tenon_status check_place(tenon_context *context, const char *kind,
                                const tenon_tensor_desc *desc,
                                const tenon_tensor *tensor) {
  tenon_text *text = &context->text;
  if (!tenon_lies_on_device(tensor))
    return TENON_OK;
  if (context->gpu && tensor->device == TENON_ON_DEVICE)
    return TENON_OK;
  at_tensor(context, kind, desc);
  if (tensor->device != TENON_ON_DEVICE)
    tenon_text_add(text, "its place %d is unknown", tensor->device);
  else
    tenon_text_add(text, "it lies on a device, but the model runs on the CPU"
                         "\nhelp: open the model with a device");
  return TENON_BAD_INPUT;
}

static tenon_status bind_buffer(tenon_context *context, const char *kind,
                                const tenon_tensor_desc *desc,
                                const tenon_tensor *tensor, uint64_t needed) {
  tenon_text *text = &context->text;
  if (needed > 0 && !tensor->data) {
    at_tensor(context, kind, desc);
    tenon_text_add(text, "its data pointer is null");
  } else if (!is_aligned(tensor->data, desc->dtype)) {
    at_tensor(context, kind, desc);
    tenon_text_add(text, "its data are not aligned to %zu bytes (%s)",
                   tenon_dtype_bytes(desc->dtype),
                   tenon_dtype_name(desc->dtype));
  } else if (tensor->bytes < needed || tensor->bytes > INT64_MAX) {
    at_tensor(context, kind, desc);
    tenon_text_add(text, "expected a buffer of %llu bytes, got %llu",
                   (unsigned long long)needed,
                   (unsigned long long)tensor->bytes);
  } else if (needed > 0 && tenon_lies_on_device(tensor)) {
    tenon_status status = tenon_gpu_check_address(context, tensor->data);
    if (status != TENON_BAD_INPUT)
      return status;
    at_tensor(context, kind, desc);
    tenon_text_add(text, "its data are not in the memory of NVIDIA GPU %d",
                   context->model->gpu->ordinal);
  } else {
    return TENON_OK;
  }
  return TENON_BAD_INPUT;
}

/* Sets the host address of an input, which the model's plan reads; null if it
 * lies on the device and only kernels read it. */
static tenon_status bind_data(tenon_context *context,
                              const tenon_tensor_desc *desc,
                              const tenon_tensor *tensor, int32_t input,
                              uint64_t needed) {
  context->inputs[input] = tensor->data;
  tenon_gpu_context *gpu = context->gpu;
  if (!gpu)
    return TENON_OK;
  gpu->input_bytes[input] = needed;
  gpu->inputs[input] = NULL;
  if (!tenon_lies_on_device(tensor) || needed == 0)
    return TENON_OK;
  gpu->inputs[input] = tensor->data;
  context->inputs[input] = NULL;
  if (!(desc->flags & (TENON_INPUT_HOST | TENON_INPUT_RANGE)))
    return TENON_OK;
  return tenon_gpu_read_input(context, input, tensor->data, needed,
                              &context->inputs[input]);
}

static tenon_span span_of(const tenon_tensor *tensor, const void *data,
                          uint64_t bytes, int32_t index, int is_output) {
  uintptr_t begin = (uintptr_t)data;
  return (tenon_span){begin, begin + bytes, index, (int16_t)is_output,
                      (int16_t)tenon_lies_on_device(tensor)};
}

/* True if a run uses the default of an optional input. */
static int is_left_out(const tenon_tensor_desc *desc,
                       const tenon_tensor *tensor) {
  return desc->flags & TENON_INPUT_OPTIONAL &&
         (!tensor || (tensor->dtype == 0 && !tensor->data));
}

tenon_status tenon_bind_inputs(tenon_context *context,
                               const tenon_function *function,
                               const tenon_tensor *inputs, size_t count) {
  const tenon_function_desc *desc = function->desc;
  tenon_status status =
      find_places(context, "input", inputs, count, desc->inputs,
                  desc->num_inputs, context->input_tensors);
  for (int32_t i = 0; i < function->num_symbols; ++i)
    context->bindings[i].value = -1;
  const int32_t *symbols = function->symbols;
  int64_t *extents = context->extents;
  for (int32_t i = 0; status == TENON_OK && i < desc->num_inputs; ++i) {
    const tenon_tensor_desc *input = &desc->inputs[i];
    const tenon_tensor *tensor = context->input_tensors[i];
    tenon_tensor implied;
    int overflow;
    if (is_left_out(input, tensor)) {
      implied = tenon_default_of(input);
      tensor = &implied;
    } else if (!tensor) {
      at_tensor(context, "input", input);
      tenon_text_add(&context->text, "no tensor is given for it");
      return TENON_BAD_INPUT;
    }
    if (tensor->dtype != input->dtype) {
      at_tensor(context, "input", input);
      tenon_text_add(&context->text, "expected %s, got %s",
                     tenon_dtype_name(input->dtype),
                     tenon_dtype_name(tensor->dtype));
      return TENON_BAD_INPUT;
    }
    if (tensor->rank != input->rank || (input->rank > 0 && !tensor->dims)) {
      at_tensor(context, "input", input);
      tenon_text_add(&context->text, "expected rank %d, got %d%s", input->rank,
                     tensor->rank,
                     tensor->rank == input->rank ? " and null dims" : "");
      return TENON_BAD_INPUT;
    }
    status = bind_extents(context, function, i, tensor->dims, symbols, extents);
    if (status != TENON_OK)
      return status;
    uint64_t needed =
        tenon_dense_bytes(input->dtype, input->rank, extents, &overflow);
    if (overflow) {
      at_tensor(context, "input", input);
      tenon_text_add(&context->text, "its size overflows");
      return TENON_LIMIT;
    }
    status = check_place(context, "input", input, tensor);
    if (status == TENON_OK)
      status = bind_buffer(context, "input", input, tensor, needed);
    if (status == TENON_OK)
      status = bind_data(context, input, tensor, i, needed);
    if (status == TENON_OK)
      status = tenon_check_values(&context->text, input, context->inputs[i],
                                  needed / tenon_dtype_bytes(input->dtype));
    context->input_dims[i] = extents;
    context->spans[i] = span_of(tensor, tensor->data, needed, i, 0);
    extents += input->rank;
    symbols += input->rank;
  }
  return status;
}

tenon_status tenon_bind_outputs(tenon_context *context,
                                const tenon_function *function,
                                tenon_tensor *outputs, size_t count) {
  const tenon_function_desc *desc = function->desc;
  const tenon_tensor **slots = (const tenon_tensor **)context->output_tensors;
  tenon_status status = find_places(context, "output", outputs, count,
                                    desc->outputs, desc->num_outputs, slots);
  int64_t *extents = context->extents + function->num_input_dims;
  for (int32_t i = 0; status == TENON_OK && i < desc->num_outputs; ++i) {
    const tenon_tensor_desc *output = &desc->outputs[i];
    const tenon_tensor *tensor = context->output_tensors[i];
    if (tensor->dtype != 0 && tensor->dtype != output->dtype) {
      at_tensor(context, "output", output);
      tenon_text_add(&context->text, "expected %s, got %s",
                     tenon_dtype_name(output->dtype),
                     tenon_dtype_name(tensor->dtype));
      status = TENON_BAD_INPUT;
    } else if (tensor->dims && tensor->rank != output->rank &&
               !tenon_owns_dims(context, tensor->dims)) {
      at_tensor(context, "output", output);
      tenon_text_add(&context->text, "expected rank %d, got %d", output->rank,
                     tensor->rank);
      status = TENON_BAD_INPUT;
    } else {
      status = check_place(context, "output", output, tensor);
    }
    context->output_dims[i] = extents;
    context->outputs[i] = NULL;
    for (int32_t d = 0; d < output->rank; ++d)
      *extents++ = -1;
  }
  return status;
}

/* True if the output's buffer belongs to the context or the context shall
 * provide it. */
static int is_owned(const tenon_context *context, int32_t output) {
  const void *data = context->output_tensors[output]->data;
  return !data || data == context->owned[output].data ||
         (context->gpu &&
          (uintptr_t)data == context->gpu->owned[output].address);
}

int tenon_owns_output(const tenon_context *context, int32_t output) {
  const void *data = context->outputs[output];
  return tenon_lies_on_device(context->output_tensors[output])
             ? (uintptr_t)data == context->gpu->owned[output].address
             : data == context->owned[output].data;
}

/* Gives an output memory of the context, where the caller wants it. */
static tenon_status provide(tenon_context *context,
                            const tenon_tensor_desc *desc, int32_t output,
                            uint64_t bytes) {
  if (tenon_lies_on_device(context->output_tensors[output])) {
    tenon_gpu_region *region = &context->gpu->owned[output];
    tenon_status status =
        tenon_gpu_reserve(context->model->gpu, region, bytes ? bytes : 1,
                          desc->name, &context->text);
    context->outputs[output] = (void *)(uintptr_t)region->address;
    return status;
  }
  tenon_region *region = &context->owned[output];
  if (tenon_region_reserve(region, bytes ? bytes : 1) != 0) {
    at_tensor(context, "output", desc);
    tenon_text_add(&context->text, "out of memory: it needs %llu bytes",
                   (unsigned long long)bytes);
    return TENON_LIMIT;
  }
  context->outputs[output] = region->data;
  return TENON_OK;
}

tenon_status tenon_size_outputs(tenon_context *context,
                                const tenon_function *function,
                                uint64_t arena_bytes, int for_run) {
  const tenon_function_desc *desc = function->desc;
  uint64_t total = arena_bytes + context->state_bytes;
  int overflow = 0;
  for (int32_t i = 0; i < desc->num_outputs; ++i) {
    const tenon_tensor_desc *output = &desc->outputs[i];
    const int64_t *extents = context->output_dims[i];
    for (int32_t d = 0; d < output->rank; ++d) {
      // Negative: the computation of the extent wrapped past 2^63.
      if (extents[d] < 0) {
        at_tensor(context, "output", output);
        tenon_text_add(&context->text, "extent %d overflows", d);
        return TENON_LIMIT;
      }
      if (output->dims[d].size >= 0 && !output->bounded &&
          extents[d] != output->dims[d].size) {
        at_tensor(context, "output", output);
        tenon_text_add(&context->text, "the model planned extent %d as %lld", d,
                       (long long)extents[d]);
        return TENON_INTERNAL;
      }
    }
    uint64_t needed =
        tenon_dense_bytes(output->dtype, output->rank, extents, &overflow);
    if (overflow) {
      at_tensor(context, "output", output);
      tenon_text_add(&context->text, "its size overflows");
      return TENON_LIMIT;
    }
    context->output_bytes[i] = needed;
    if (is_owned(context, i))
      overflow = __builtin_add_overflow(total, needed, &total);
    if (overflow)
      break;
  }
  if (!overflow && context->gpu)
    overflow = __builtin_add_overflow(
        total, tenon_gpu_staging_bytes(context, function), &total);
  if (overflow ||
      (context->memory_limit != 0 && total > context->memory_limit)) {
    tenon_text_add(&context->text,
                   "the run needs %llu bytes of memory, the limit is %llu",
                   (unsigned long long)(overflow ? UINT64_MAX : total),
                   (unsigned long long)context->memory_limit);
    return TENON_LIMIT;
  }
  for (int32_t i = 0; for_run && i < desc->num_outputs; ++i) {
    const tenon_tensor *tensor = context->output_tensors[i];
    uint64_t needed = context->output_bytes[i];
    tenon_status status;
    if (is_owned(context, i)) {
      status = provide(context, &desc->outputs[i], i, needed);
    } else {
      status =
          bind_buffer(context, "output", &desc->outputs[i], tensor, needed);
      context->outputs[i] = tensor->data;
    }
    if (status != TENON_OK)
      return status;
    context->spans[desc->num_inputs + i] =
        span_of(tensor, context->outputs[i], needed, i, 1);
  }
  return TENON_OK;
}
