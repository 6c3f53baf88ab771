/* ONNX Runtime, called through its C API. Arguments: LIBRARY MODEL THREADS
 * MANIFEST. Inputs and outputs are bound once to the caller's buffers: a call
 * copies and allocates nothing beyond what ONNX Runtime itself does. */
#include "caller.h"
#include "ort.h"

#include <stdlib.h>
#include <string.h>

static ort_session session;
static const char *input_names[MAX_TENSORS], *output_names[MAX_TENSORS];
static ort_thing *inputs[MAX_TENSORS], *outputs[MAX_TENSORS];

/* The ONNX number of an element type. */
static int onnx_type(const char *type) {
  static const char *const names[] = {
      "",      "float32", "uint8", "int8",    "uint16",  "int16",  "int32",
      "int64", "",        "bool",  "float16", "float64", "uint32", "uint64"};
  for (int i = 1; i < (int)(sizeof names / sizeof *names); ++i)
    if (strcmp(names[i], type) == 0)
      return i;
  fail("manifest: unknown element type", type);
}

static void bind(call_tensor *from, int count, const char **names,
                 ort_thing **values) {
  for (int i = 0; i < count; ++i, ++from) {
    names[i] = from->name;
    values[i] = ort_tensor(&session, from->data, from->bytes, from->dims,
                           from->rank, onnx_type(from->type));
  }
}

static void call(void *state) {
  const call_tensors *tensors = state;
  ort_run(&session, input_names, inputs, (size_t)tensors->num_inputs,
          output_names, outputs, (size_t)tensors->num_outputs);
}

int main(int argc, char **argv) {
  if (argc != 5)
    fail("usage", "ort_caller LIBRARY MODEL THREADS MANIFEST");
  static call_tensors tensors;
  read_tensors(argv[4], &tensors);
  session = ort_open(argv[1], argv[2], atoi(argv[3]));
  bind(tensors.inputs, tensors.num_inputs, input_names, inputs);
  bind(tensors.outputs, tensors.num_outputs, output_names, outputs);
  serve(&tensors, call, &tensors);
}
