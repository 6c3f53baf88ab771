/* Optional inputs and the ranges of their elements: the checks of a model's
 * tables, the checks of a run's values, and the queries. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

static int default_is_sane(const tenon_tensor_desc *input) {
  int overflow;
  if (input->rank > 0 && !input->default_dims)
    return 0;
  for (int32_t d = 0; d < input->rank; ++d)
    if (input->default_dims[d] < 0)
      return 0;
  uint64_t bytes = tenon_dense_bytes(input->dtype, input->rank,
                                     input->default_dims, &overflow);
  return !overflow && bytes == input->default_bytes &&
         bytes <= TENON_MAX_DEFAULT_BYTES &&
         (bytes == 0 || input->default_data) &&
         (uintptr_t)input->default_data % TENON_DEFAULT_ALIGNMENT == 0;
}

static int range_is_sane(const tenon_tensor_desc *input) {
  if (input->dtype == TENON_I64)
    return input->least.integer <= input->greatest.integer;
  return (input->dtype == TENON_F32 || input->dtype == TENON_F64) &&
         input->least.real <= input->greatest.real;
}

int tenon_input_is_sane(const tenon_tensor_desc *input) {
  if (input->flags &
      ~(TENON_INPUT_OPTIONAL | TENON_INPUT_RANGE | TENON_INPUT_HOST))
    return 0;
  if (input->flags & TENON_INPUT_RANGE && !range_is_sane(input))
    return 0;
  if (!(input->flags & TENON_INPUT_OPTIONAL))
    return 1;
  return default_is_sane(input) &&
         tenon_find_outside(input, input->default_data,
                            input->default_bytes /
                                tenon_dtype_bytes(input->dtype)) < 0;
}

tenon_tensor tenon_default_of(const tenon_tensor_desc *input) {
  /* tenon_tensor has no const members because outputs are written. */
  return (tenon_tensor){.struct_size = sizeof(tenon_tensor),
                        .name = input->name,
                        .dtype = input->dtype,
                        .rank = input->rank,
                        .dims = (int64_t *)input->default_dims,
                        .data = (void *)input->default_data,
                        .bytes = input->default_bytes};
}

/* Adds an f32 or f64 with the fewest digits that tell it from others. */
static void add_real(tenon_text *text, double value, int32_t dtype) {
  char digits[32];
  int most = dtype == TENON_F32 ? FLT_DECIMAL_DIG : DBL_DECIMAL_DIG;
  for (int precision = 6; precision <= most; ++precision) {
    snprintf(digits, sizeof digits, "%.*g", precision, value);
    double read = strtod(digits, NULL);
    if (dtype == TENON_F32 ? (float)read == (float)value : read == value)
      break;
  }
  tenon_text_add(text, "%s", isnan(value) ? "nan" : digits);
}

static void add_number(tenon_text *text, tenon_number number, int32_t dtype) {
  if (dtype == TENON_I64)
    tenon_text_add(text, "%lld", (long long)number.integer);
  else
    add_real(text, number.real, dtype);
}

static int is_lowest(const tenon_tensor_desc *input) {
  return input->dtype == TENON_I64 ? input->least.integer == INT64_MIN
                                   : input->least.real == -INFINITY;
}

static int is_highest(const tenon_tensor_desc *input) {
  return input->dtype == TENON_I64 ? input->greatest.integer == INT64_MAX
                                   : input->greatest.real == INFINITY;
}

static tenon_number number_at(const tenon_tensor_desc *input, const void *data,
                              int64_t at) {
  if (input->dtype == TENON_I64)
    return (tenon_number){.integer = ((const int64_t *)data)[at]};
  if (input->dtype == TENON_F32)
    return (tenon_number){.real = (double)((const float *)data)[at]};
  return (tenon_number){.real = ((const double *)data)[at]};
}

tenon_status tenon_check_values(tenon_text *text,
                                const tenon_tensor_desc *input,
                                const void *data, uint64_t count) {
  int64_t at = tenon_find_outside(input, data, count);
  if (at < 0)
    return TENON_OK;
  tenon_text_add(text, "input \"");
  tenon_text_add_name(text, input->name);
  tenon_text_add(text, "\": ");
  if (input->rank > 0)
    tenon_text_add(text, "element %lld: ", (long long)at);
  tenon_text_add(text, "expected ");
  if (is_lowest(input) && is_highest(input)) {
    tenon_text_add(text, "a number");
  } else if (is_highest(input)) {
    tenon_text_add(text, "at least ");
    add_number(text, input->least, input->dtype);
  } else if (is_lowest(input)) {
    tenon_text_add(text, "at most ");
    add_number(text, input->greatest, input->dtype);
  } else {
    add_number(text, input->least, input->dtype);
    tenon_text_add(text, " to ");
    add_number(text, input->greatest, input->dtype);
  }
  tenon_text_add(text, ", got ");
  add_number(text, number_at(input, data, at), input->dtype);
  return TENON_BAD_INPUT;
}

static const tenon_tensor_desc *
find_input(const tenon_model *model, const char *function, const char *input) {
  const tenon_function_desc *desc = tenon_find_function(model, function);
  for (int32_t i = 0; desc && input && i < desc->num_inputs; ++i)
    if (strcmp(desc->inputs[i].name, input) == 0)
      return &desc->inputs[i];
  return NULL;
}

tenon_status tenon_get_default(const tenon_model *model, const char *function,
                               const char *input, tenon_tensor *value) {
  const tenon_tensor_desc *desc = find_input(model, function, input);
  if (!desc || !(desc->flags & TENON_INPUT_OPTIONAL) || !value ||
      value->struct_size < offsetof(tenon_tensor, device))
    return TENON_BAD_INPUT;
  tenon_tensor found = tenon_default_of(desc);
  found.struct_size = value->struct_size;
  memcpy(value, &found,
         found.struct_size < sizeof found ? found.struct_size : sizeof found);
  return TENON_OK;
}

tenon_status tenon_get_range(const tenon_model *model, const char *function,
                             const char *input, tenon_number *least,
                             tenon_number *greatest) {
  const tenon_tensor_desc *desc = find_input(model, function, input);
  if (!desc || !(desc->flags & TENON_INPUT_RANGE) || !least || !greatest)
    return TENON_BAD_INPUT;
  *least = desc->least;
  *greatest = desc->greatest;
  return TENON_OK;
}
