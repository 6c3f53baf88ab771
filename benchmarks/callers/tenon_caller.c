/* A compiled model, called through the runtime. Arguments: ARTIFACT THREADS
 * MANIFEST. */
#include "caller.h"

#include "runtime/tenon.h"

#include <stdlib.h>
#include <string.h>

static tenon_context *context;
static tenon_tensor inputs[MAX_TENSORS], outputs[MAX_TENSORS];

static int32_t dtype_of(const char *type) {
  static const struct {
    const char *type;
    int32_t dtype;
  } names[] = {
      {"float32", TENON_F32}, {"float64", TENON_F64}, {"float16", TENON_F16},
      {"int64", TENON_I64},   {"int32", TENON_I32},   {"int16", TENON_I16},
      {"int8", TENON_I8},     {"uint64", TENON_U64},  {"uint32", TENON_U32},
      {"uint16", TENON_U16},  {"uint8", TENON_U8},    {"bool", TENON_BOOL}};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strcmp(names[i].type, type) == 0)
      return names[i].dtype;
  fail("manifest: unknown element type", type);
}

static void bind(call_tensor *from, int count, tenon_tensor *to) {
  for (int i = 0; i < count; ++i, ++from, ++to)
    *to = (tenon_tensor){.struct_size = sizeof *to,
                         .name = from->name,
                         .dtype = dtype_of(from->type),
                         .rank = from->rank,
                         .dims = from->dims,
                         .data = from->data,
                         .bytes = from->bytes};
}

/* Enlarges the buffers of outputs whose extents depend on the data: the buffer
 * of such an output must have room for the greatest. */
static void make_room(call_tensors *tensors) {
  tenon_tensor planned[MAX_TENSORS];
  int64_t dims[MAX_TENSORS][MAX_RANK];
  for (int i = 0; i < tensors->num_outputs; ++i) {
    planned[i] = outputs[i];
    planned[i].dims = dims[i];
  }
  if (tenon_plan(context, NULL, inputs, (size_t)tensors->num_inputs, planned,
                 (size_t)tensors->num_outputs, NULL) != TENON_OK)
    fail("tenon_plan", tenon_context_text(context));
  for (int i = 0; i < tensors->num_outputs; ++i) {
    size_t bytes = (planned[i].bytes + 63) / 64 * 64;
    if (bytes <= outputs[i].bytes)
      continue;
    free(tensors->outputs[i].data);
    outputs[i].data = tensors->outputs[i].data = aligned_alloc(64, bytes);
    outputs[i].bytes = bytes;
    if (!outputs[i].data)
      fail(tensors->outputs[i].name, "no memory");
  }
}

static void call(void *state) {
  const call_tensors *tensors = state;
  if (tenon_run(context, NULL, inputs, (size_t)tensors->num_inputs, outputs,
                (size_t)tensors->num_outputs) != TENON_OK)
    fail("tenon_run", tenon_context_text(context));
}

int main(int argc, char **argv) {
  if (argc != 4)
    fail("usage", "tenon_caller ARTIFACT THREADS MANIFEST");
  static call_tensors tensors;
  read_tensors(argv[3], &tensors);
  char why[1024];
  tenon_open_options options = {.struct_size = sizeof options,
                                .error_text = why,
                                .error_text_bytes = sizeof why,
                                .threads = atoi(argv[2])};
  tenon_model *model;
  if (tenon_open(argv[1], &options, &model) != TENON_OK)
    fail(argv[1], why);
  if (tenon_context_create(model, NULL, &context) != TENON_OK)
    fail(argv[1], "no context");
  bind(tensors.inputs, tensors.num_inputs, inputs);
  bind(tensors.outputs, tensors.num_outputs, outputs);
  make_room(&tensors);
  serve(&tensors, call, &tensors);
  tenon_context_destroy(context);
  tenon_close(model);
}
