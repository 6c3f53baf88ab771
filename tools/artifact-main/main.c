/* The program around a model, for `tenon compile --emit=exe`. Arrays are read
 * from .npy files; results are printed or written to .npy files. It is linked
 * with the model and the runtime, and knows only the model's descriptor. A
 * language model generates text and a speech model writes down a sound, unless
 * a flag chooses a function. */
#include "generate.h"
#include "npy.h"
#include "program.h"
#include "transcribe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *name; /* null: the next tensor without a binding */
  size_t name_bytes;
  const char *value;
} binding;

typedef struct {
  const char *program;
  const char *function;
  program_flags flags;
  binding *inputs, *outputs;
  tenon_extent *extents;
  int num_inputs, num_outputs, num_extents;
} command;

static void print_shape(FILE *to, const tenon_tensor_desc *tensor) {
  fprintf(to, "%s[", npy_dtype_name(tensor->dtype));
  for (int32_t d = 0; d < tensor->rank; ++d) {
    const tenon_dim_desc *dim = &tensor->dims[d];
    fputs(d ? "," : "", to);
    if (dim->size >= 0)
      fprintf(to, "%" PRId64, dim->size);
    else
      fputs(*dim->name ? dim->name : "?", to);
  }
  fputs("]", to);
}

static int help(const char *program) {
  const tenon_model_desc *model = tenon_artifact_model;
  printf("usage: %s [--input=[NAME=]VALUE]... [--output=[NAME=]FILE.npy]...\n\n"
         "The model %s, made by %s from %s.\n\n"
         "  --input=[NAME=]VALUE      @FILE.npy, zeros, ones or a number\n"
         "  --output=[NAME=]FILE.npy  writes an output instead of printing it\n"
         "  --function=NAME           runs another function than the first\n",
         program, model->name, model->compiler, model->source);
  program_print_flags(26);
  if (model->num_extents > 0)
    puts("  --context=NAME=N          chooses a context extent; repeatable\n");
  for (int32_t i = 0; i < model->num_extents; ++i)
    printf("context %s: %" PRId64 " to %" PRId64 ", default %" PRId64 "\n",
           model->extents[i].name, model->extents[i].least,
           model->extents[i].most, model->extents[i].initial);
  for (int32_t f = 0; f < model->num_functions; ++f) {
    const tenon_function_desc *function = &model->functions[f];
    printf("\nfunction %s\n", function->name);
    for (int32_t i = 0; i < function->num_inputs + function->num_outputs; ++i) {
      int is_input = i < function->num_inputs;
      const tenon_tensor_desc *tensor =
          is_input ? &function->inputs[i]
                   : &function->outputs[i - function->num_inputs];
      printf("  %-7s %-16s ", is_input ? "input" : "output", tensor->name);
      print_shape(stdout, tensor);
      puts(is_input && tensor->flags & TENON_INPUT_OPTIONAL ? ", optional"
                                                            : "");
    }
  }
  return fflush(stdout) == 0 ? TENON_OK : TENON_IO;
}

/* Splits NAME=VALUE. The name must be one of the model's tensors; otherwise the
 * whole text is the value. */
static binding bind(const char *text, const tenon_tensor_desc *tensors,
                    int32_t count) {
  binding result = {NULL, 0, text};
  for (int32_t i = 0; i < count; ++i) {
    size_t length = strlen(tensors[i].name);
    if (strncmp(text, tensors[i].name, length) == 0 && text[length] == '=' &&
        length >= result.name_bytes) {
      result.name = tensors[i].name;
      result.name_bytes = length;
      result.value = text + length + 1;
    }
  }
  return result;
}

/* The binding of tensor `index`: the one with its name, otherwise the next one
 * without a name. */
static const char *find(const binding *bindings, int count,
                        const tenon_tensor_desc *tensors, int32_t index) {
  for (int i = 0; i < count; ++i)
    if (bindings[i].name && strcmp(bindings[i].name, tensors[index].name) == 0)
      return bindings[i].value;
  int32_t skip = 0;
  for (int32_t t = 0; t < index; ++t) {
    int named = 0;
    for (int i = 0; i < count; ++i)
      named |=
          bindings[i].name && strcmp(bindings[i].name, tensors[t].name) == 0;
    skip += !named;
  }
  for (int i = 0; i < count; ++i)
    if (!bindings[i].name && skip-- == 0)
      return bindings[i].value;
  return NULL;
}

static tenon_status fill(const tenon_tensor_desc *tensor, int ones,
                         npy_array *array, char *why, size_t why_bytes) {
  size_t element = npy_element_bytes(tensor->dtype), count = 1;
  array->dtype = tensor->dtype;
  array->rank = tensor->rank;
  for (int32_t d = 0; d < tensor->rank; ++d) {
    int64_t size = tensor->dims[d].size;
    if (size < 0) {
      snprintf(why, why_bytes, "has extents that only a file can give");
      return TENON_BAD_INPUT;
    }
    array->dims[d] = size;
    count *= (size_t)size;
  }
  array->bytes = count * element;
  if (posix_memalign(&array->data, 64, array->bytes ? array->bytes : 1) != 0) {
    snprintf(why, why_bytes, "needs more memory than there is");
    return TENON_LIMIT;
  }
  memset(array->data, 0, array->bytes);
  static const unsigned char f32[] = {0, 0, 0x80, 0x3f};
  static const unsigned char f64[] = {0, 0, 0, 0, 0, 0, 0xf0, 0x3f};
  static const unsigned char f16[] = {0, 0x3c}, integer[8] = {1};
  const unsigned char *one = tensor->dtype == TENON_F32    ? f32
                             : tensor->dtype == TENON_F64  ? f64
                             : tensor->dtype == TENON_F16  ? f16
                             : tensor->dtype == TENON_BF16 ? f32 + 2
                                                           : integer;
  for (size_t i = 0; ones && i < count; ++i)
    memcpy((char *)array->data + i * element, one, element);
  return TENON_OK;
}

/* Makes a tensor of rank 0 from a number; 0 if `value` is none that fits. */
static int read_number(const char *value, const tenon_tensor_desc *tensor,
                       npy_array *array) {
  size_t element = npy_element_bytes(tensor->dtype);
  char *end;
  errno = 0;
  long long whole = strtoll(value, &end, 10);
  int fits = errno == 0 && end != value && !*end;
  double real = strtod(value, &end);
  unsigned char bytes[8];
  if (tensor->dtype == TENON_F64) {
    memcpy(bytes, &real, 8);
    fits = end != value && !*end;
  } else if (tensor->dtype == TENON_F32) {
    float single = (float)real;
    memcpy(bytes, &single, 4);
    fits = end != value && !*end;
  } else {
    int is_unsigned = tensor->dtype >= TENON_U8;
    int bits = tensor->dtype == TENON_BOOL ? 1 : 8 * (int)element;
    long long most = is_unsigned ? INT64_MAX >> (63 - (bits < 63 ? bits : 63))
                                 : INT64_MAX >> (64 - bits);
    fits = fits && tensor->dtype >= TENON_I8 && whole <= most &&
           whole >= (is_unsigned ? 0 : -most - 1);
    memcpy(bytes, &whole, 8); /* little-endian, as all that Tenon runs on */
  }
  if (!fits || tensor->rank != 0 ||
      posix_memalign(&array->data, 64, element) != 0)
    return 0;
  memcpy(array->data, bytes, element);
  array->dtype = tensor->dtype;
  array->rank = 0;
  array->bytes = element;
  return 1;
}

static tenon_status provide(const char *value, const tenon_tensor_desc *tensor,
                            npy_array *array, char *why, size_t why_bytes) {
  if (value[0] == '@')
    return npy_read(value + 1, tensor->dtype, array, why, why_bytes);
  if (strcmp(value, "zeros") == 0 || strcmp(value, "ones") == 0)
    return fill(tensor, value[0] == 'o', array, why, why_bytes);
  if (read_number(value, tensor, array))
    return TENON_OK;
  snprintf(why, why_bytes,
           "cannot be '%s'; expected @FILE.npy, zeros, ones or, for a tensor "
           "of rank 0, a number",
           value);
  return TENON_USAGE;
}

static float widen(uint16_t bits, int is_half) {
  uint32_t word = (uint32_t)bits << 16;
  float value;
  if (is_half) {
    /* Scaling corrects the exponent's bias, for subnormal numbers too. */
    word = (uint32_t)(bits & 0x8000) << 16 | (uint32_t)(bits & 0x7fff) << 13;
    if ((bits & 0x7c00) == 0x7c00)
      word |= 0x7f800000;
    memcpy(&value, &word, sizeof value);
    return (bits & 0x7c00) == 0x7c00 ? value : value * 0x1p112f;
  }
  memcpy(&value, &word, sizeof value);
  return value;
}

static void print_element(int32_t dtype, const void *data, size_t i) {
  switch (dtype) {
  case TENON_F32:
    printf(" %.9g", (double)((const float *)data)[i]);
    break;
  case TENON_F64:
    printf(" %.17g", ((const double *)data)[i]);
    break;
  case TENON_F16:
  case TENON_BF16:
    printf(" %.5g",
           (double)widen(((const uint16_t *)data)[i], dtype == TENON_F16));
    break;
  case TENON_I8:
    printf(" %d", ((const int8_t *)data)[i]);
    break;
  case TENON_I16:
    printf(" %d", ((const int16_t *)data)[i]);
    break;
  case TENON_I32:
    printf(" %" PRId32, ((const int32_t *)data)[i]);
    break;
  case TENON_I64:
    printf(" %" PRId64, ((const int64_t *)data)[i]);
    break;
  case TENON_U16:
    printf(" %u", ((const uint16_t *)data)[i]);
    break;
  case TENON_U32:
    printf(" %" PRIu32, ((const uint32_t *)data)[i]);
    break;
  case TENON_U64:
    printf(" %" PRIu64, ((const uint64_t *)data)[i]);
    break;
  default:
    printf(" %u", ((const uint8_t *)data)[i]);
  }
}

static void print_tensor(const char *name, const tenon_tensor *tensor) {
  size_t count = 1, row = 1, shown = 0;
  printf("%s %s[", name, npy_dtype_name(tensor->dtype));
  for (int32_t d = 0; d < tensor->rank; ++d) {
    printf("%s%" PRId64, d ? "," : "", tensor->dims[d]);
    count *= (size_t)tensor->dims[d];
    row = (size_t)tensor->dims[d];
  }
  puts("]");
  for (size_t at = 0; at < count; at += row) {
    if (shown++ == 16) {
      puts("  ...");
      return;
    }
    putchar(' ');
    for (size_t i = 0; i < row && i < 16; ++i)
      print_element(tensor->dtype, tensor->data, at + i);
    puts(row > 16 ? " ..." : "");
  }
}

static int run(const command *c, const tenon_function_desc *function,
               tenon_context *context, npy_array *arrays, tenon_tensor *inputs,
               tenon_tensor *outputs) {
  char why[512];
  for (int32_t i = 0; i < function->num_inputs; ++i) {
    const tenon_tensor_desc *tensor = &function->inputs[i];
    const char *value = find(c->inputs, c->num_inputs, function->inputs, i);
    char what[300];
    snprintf(what, sizeof what, "input \"%.200s\"", tensor->name);
    if (!value && tensor->flags & TENON_INPUT_OPTIONAL) {
      inputs[i] = (tenon_tensor){.struct_size = sizeof(tenon_tensor)};
      continue;
    }
    if (!value) {
      program_fail(TENON_USAGE, what, "has no value");
      fprintf(stderr, "  it is ");
      print_shape(stderr, tensor);
      fprintf(stderr, "\n  help: pass --input=%s=@FILE.npy\n", tensor->name);
      return TENON_USAGE;
    }
    tenon_status status = provide(value, tensor, &arrays[i], why, sizeof why);
    if (status != TENON_OK)
      return program_fail(status, value[0] == '@' ? value + 1 : what, why);
    inputs[i] = (tenon_tensor){
        sizeof(tenon_tensor), NULL,           tensor->dtype,   arrays[i].rank,
        arrays[i].dims,       arrays[i].data, arrays[i].bytes, TENON_ON_HOST};
  }
  for (int32_t i = 0; i < function->num_outputs; ++i)
    outputs[i] = (tenon_tensor){.struct_size = sizeof(tenon_tensor)};
  tenon_status status =
      tenon_run(context, c->function, inputs, (size_t)function->num_inputs,
                outputs, (size_t)function->num_outputs);
  if (status != TENON_OK)
    return program_fail(status, "", tenon_context_text(context));
  for (int32_t i = 0; i < function->num_outputs; ++i) {
    const char *file = find(c->outputs, c->num_outputs, function->outputs, i);
    if (!file) {
      print_tensor(function->outputs[i].name, &outputs[i]);
      continue;
    }
    file += *file == '@';
    status = npy_write(file, outputs[i].dtype, outputs[i].rank, outputs[i].dims,
                       outputs[i].data, why, sizeof why);
    if (status != TENON_OK)
      return program_fail(status, file, why);
  }
  return fflush(stdout) == 0
             ? TENON_OK
             : program_fail(TENON_IO, "", "cannot write the results");
}

static int open_and_run(const command *c, const tenon_function_desc *function) {
  char why[1024] = "";
  tenon_model *model;
  tenon_context *context;
  int code = program_open(&c->flags, &model);
  if (code != TENON_OK)
    return code;
  tenon_context_options making = {.struct_size = sizeof making,
                                  .error_text = why,
                                  .error_text_bytes = sizeof why,
                                  .timeout_ns = c->flags.deadline,
                                  .extents = c->extents,
                                  .num_extents = (size_t)c->num_extents};
  tenon_status status = tenon_context_create(model, &making, &context);
  if (status != TENON_OK)
    return program_fail(status, "", why);
  size_t in = (size_t)function->num_inputs, out = (size_t)function->num_outputs;
  npy_array *arrays = calloc(in + 1, sizeof *arrays);
  tenon_tensor *tensors = calloc(in + out + 1, sizeof *tensors);
  code = TENON_LIMIT;
  if (arrays && tensors)
    code = run(c, function, context, arrays, tensors, tensors + in);
  else
    program_fail(TENON_LIMIT, "", "out of memory");
  for (size_t i = 0; arrays && i < in; ++i)
    free(arrays[i].data);
  free(arrays);
  free(tensors);
  tenon_context_destroy(context);
  tenon_close(model);
  return code;
}

/* True if a flag chooses a function. */
static int has_function(int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], "--function") == 0 ||
        strncmp(argv[i], "--function=", 11) == 0)
      return 1;
  return 0;
}

int main(int argc, char **argv) {
  if (can_transcribe() && !has_function(argc, argv))
    return transcribe_main(argc, argv);
  if (can_generate() && !has_function(argc, argv))
    return generate_main(argc, argv);
  command c = {.program = argc > 0 ? argv[0] : "model"};
  const char **inputs = calloc((size_t)argc + 1, sizeof *inputs);
  const char **outputs = calloc((size_t)argc + 1, sizeof *outputs);
  c.inputs = calloc((size_t)argc + 1, sizeof *c.inputs);
  c.outputs = calloc((size_t)argc + 1, sizeof *c.outputs);
  c.extents = calloc((size_t)argc + 1, sizeof *c.extents);
  if (!inputs || !outputs || !c.inputs || !c.outputs || !c.extents)
    return program_fail(TENON_LIMIT, "", "out of memory");
  for (int i = 1; i < argc; ++i) {
    const char *argument = argv[i], *value;
    int status = TENON_OK;
    if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0)
      return help(c.program);
    if ((value = program_flag(argv, argc, &i, "--input"))) {
      inputs[c.num_inputs++] = value;
    } else if ((value = program_flag(argv, argc, &i, "--output"))) {
      outputs[c.num_outputs++] = value;
    } else if ((value = program_flag(argv, argc, &i, "--function"))) {
      c.function = value;
    } else if (program_read_flags(argv, argc, &i, &c.flags, &status)) {
      if (status != TENON_OK)
        return status;
    } else if ((value = program_flag(argv, argc, &i, "--context"))) {
      /* The arguments are ours to change; they outlive the run. */
      char *end, *size = strrchr(value, '=');
      if (!size)
        return program_usage_error("expected --context=NAME=N, got", value);
      c.extents[c.num_extents].size = strtoll(size + 1, &end, 10);
      if (!size[1] || *end)
        return program_usage_error("expected --context=NAME=N, got", value);
      *size = 0;
      c.extents[c.num_extents++].name = value;
    } else {
      return program_usage_error("unknown argument", argument);
    }
  }
  const tenon_function_desc *function = NULL;
  for (int32_t f = 0; !function && f < tenon_artifact_model->num_functions; ++f)
    if (!c.function ||
        strcmp(tenon_artifact_model->functions[f].name, c.function) == 0)
      function = &tenon_artifact_model->functions[f];
  if (!function)
    return program_usage_error("the model has no function", c.function);
  if (c.num_inputs > function->num_inputs)
    return program_usage_error(
        "there are more inputs than the model's; the last is",
        inputs[c.num_inputs - 1]);
  if (c.num_outputs > function->num_outputs)
    return program_usage_error(
        "there are more outputs than the model's; the last is",
        outputs[c.num_outputs - 1]);
  for (int i = 0; i < c.num_inputs; ++i)
    c.inputs[i] = bind(inputs[i], function->inputs, function->num_inputs);
  for (int i = 0; i < c.num_outputs; ++i)
    c.outputs[i] = bind(outputs[i], function->outputs, function->num_outputs);
  int code = open_and_run(&c, function);
  free(inputs);
  free(outputs);
  free(c.inputs);
  free(c.outputs);
  free(c.extents);
  return code;
}
