/* Options are inputs of `start` by name. The values that were set are copied;
 * the other inputs are left out of a call, and the model has their defaults. */
#include "generator.h"

#include <string.h>

/* The place of the option `name`, or -1 with a text. The prompts are no
 * options. */
static int32_t find_option(tenon_generator *generator, const char *name) {
  const tenon_entries *entries = &generator->entries;
  for (int32_t i = 0; name && i < entries->start->num_inputs; ++i)
    if (strcmp(entries->start->inputs[i].name, name) == 0 &&
        i != entries->ids && i != entries->lengths && i != entries->keep &&
        i != entries->encoder_ids && i != entries->encoder_lengths &&
        i != entries->keep_encoder)
      return i;
  tenon_text_add(&generator->text, "option \"");
  tenon_text_add_name(&generator->text, name ? name : "");
  tenon_text_add(&generator->text, "\": the model has no such option");
  return -1;
}

/* Begins a call of this file. Returns 0 if another call uses the generator. */
static int enter(tenon_generator *generator) {
  if (!generator ||
      atomic_exchange_explicit(&generator->busy, 1, memory_order_acquire))
    return 0;
  tenon_text_clear(&generator->text);
  return 1;
}

static tenon_status leave(tenon_generator *generator, tenon_status status) {
  atomic_store_explicit(&generator->busy, 0, memory_order_release);
  return status;
}

static tenon_status wrong_type(tenon_generator *generator, int32_t option,
                               int32_t dtype, int32_t rank) {
  const tenon_tensor_desc *desc = &generator->entries.start->inputs[option];
  tenon_text_add(&generator->text,
                 "option \"%s\": expected %s of rank %d, got %s of rank %d",
                 desc->name, tenon_dtype_name(desc->dtype), desc->rank,
                 tenon_dtype_name(dtype), rank);
  return TENON_BAD_INPUT;
}

static tenon_status store(tenon_generator *generator, int32_t option,
                          const int64_t *dims, const void *data,
                          size_t elements) {
  const tenon_tensor_desc *desc = &generator->entries.start->inputs[option];
  tenon_option *to = &generator->options[option];
  size_t bytes = tenon_size_product(elements, tenon_dtype_bytes(desc->dtype));
  size_t rank = (size_t)desc->rank;
  tenon_status status =
      tenon_reserve(generator, &to->dims, rank * sizeof *dims);
  to->is_set = 0;
  if (status == TENON_OK)
    status = tenon_reserve(generator, &to->values, bytes);
  if (status != TENON_OK)
    return status;
  if (rank > 0)
    memcpy(to->dims.data, dims, rank * sizeof *dims);
  if (bytes > 0)
    memcpy(to->values.data, data, bytes);
  to->bytes = bytes;
  to->is_set = 1;
  return TENON_OK;
}

static tenon_status set(tenon_generator *generator, const tenon_tensor *value) {
  if (!value || value->struct_size < offsetof(tenon_tensor, device)) {
    tenon_text_add(&generator->text, "no value of an option is given");
    return TENON_BAD_INPUT;
  }
  int32_t option = find_option(generator, value->name);
  if (option < 0)
    return TENON_BAD_INPUT;
  const tenon_tensor_desc *desc = &generator->entries.start->inputs[option];
  if (value->dtype != desc->dtype || value->rank != desc->rank ||
      (desc->rank > 0 && !value->dims))
    return wrong_type(generator, option, value->dtype, value->rank);
  size_t elements = 1;
  for (int32_t i = 0; i < value->rank; ++i)
    elements = value->dims[i] < 0
                   ? SIZE_MAX
                   : tenon_size_product(elements, (size_t)value->dims[i]);
  size_t bytes = tenon_size_product(elements, tenon_dtype_bytes(desc->dtype));
  if (bytes > value->bytes || (bytes > 0 && !value->data)) {
    tenon_text_add(&generator->text,
                   "option \"%s\": its extents need %zu bytes, got %zu",
                   desc->name, bytes, value->data ? value->bytes : (size_t)0);
    return TENON_BAD_INPUT;
  }
  return store(generator, option, value->dims, value->data, elements);
}

static tenon_status set_scalar(tenon_generator *generator, const char *name,
                               int32_t dtype, int64_t integer, float number) {
  int32_t option = find_option(generator, name);
  if (option < 0)
    return TENON_BAD_INPUT;
  const tenon_tensor_desc *desc = &generator->entries.start->inputs[option];
  uint8_t truth = integer != 0;
  if (desc->rank != 0 || (desc->dtype != dtype &&
                          !(dtype == TENON_I64 && desc->dtype == TENON_BOOL)))
    return wrong_type(generator, option, dtype, 0);
  if (desc->dtype == TENON_BOOL && integer != truth) {
    tenon_text_add(&generator->text, "option \"%s\": expected 0 or 1, got %lld",
                   desc->name, (long long)integer);
    return TENON_BAD_INPUT;
  }
  const void *value = desc->dtype == TENON_BOOL  ? (const void *)&truth
                      : desc->dtype == TENON_I64 ? (const void *)&integer
                                                 : (const void *)&number;
  return store(generator, option, NULL, value, 1);
}

tenon_status tenon_generator_set(tenon_generator *generator,
                                 const tenon_tensor *value) {
  if (!enter(generator))
    return TENON_BAD_INPUT;
  return leave(generator, set(generator, value));
}

tenon_status tenon_generator_set_i64(tenon_generator *generator,
                                     const char *name, int64_t value) {
  if (!enter(generator))
    return TENON_BAD_INPUT;
  return leave(generator, set_scalar(generator, name, TENON_I64, value, 0));
}

tenon_status tenon_generator_set_f32(tenon_generator *generator,
                                     const char *name, float value) {
  if (!enter(generator))
    return TENON_BAD_INPUT;
  return leave(generator, set_scalar(generator, name, TENON_F32, 0, value));
}

tenon_status tenon_generator_set_list(tenon_generator *generator,
                                      const char *name, const int64_t *values,
                                      size_t count) {
  int64_t dims = (int64_t)count;
  tenon_tensor value = {.struct_size = sizeof value,
                        .name = name,
                        .dtype = TENON_I64,
                        .rank = 1,
                        .dims = &dims,
                        .data = (void *)(uintptr_t)values,
                        .bytes = tenon_size_product(count, sizeof *values)};
  return tenon_generator_set(generator, &value);
}

tenon_status tenon_generator_unset(tenon_generator *generator,
                                   const char *name) {
  if (!enter(generator))
    return TENON_BAD_INPUT;
  int32_t count = generator->entries.start->num_inputs;
  int32_t option = name ? find_option(generator, name) : -1;
  if (name && option < 0)
    return leave(generator, TENON_BAD_INPUT);
  for (int32_t i = 0; i < count; ++i)
    if (!name || i == option)
      generator->options[i].is_set = 0;
  return leave(generator, TENON_OK);
}

/* The value of the option `name` that the next call has: set, or the model's
 * default. Returns 0 if it has neither, or another type. */
static int find_value(const tenon_generator *generator, const char *name,
                      int32_t dtype, int32_t rank, tenon_tensor *value) {
  const tenon_function_desc *start = generator->entries.start;
  *value = (tenon_tensor){.struct_size = sizeof *value};
  for (int32_t i = 0; i < start->num_inputs; ++i) {
    const tenon_option *option = &generator->options[i];
    if (strcmp(start->inputs[i].name, name) != 0 ||
        start->inputs[i].dtype != dtype || start->inputs[i].rank != rank)
      continue;
    if (!option->is_set)
      return tenon_get_default(generator->model, start->name, name, value) ==
             TENON_OK;
    value->data = option->values.data;
    value->bytes = option->bytes;
    return 1;
  }
  return 0;
}

int64_t tenon_option_value(const tenon_generator *generator, const char *name,
                           int64_t otherwise) {
  tenon_tensor value;
  if (find_value(generator, name, TENON_I64, 0, &value))
    memcpy(&otherwise, value.data, sizeof otherwise);
  return otherwise;
}

float tenon_option_number(const tenon_generator *generator, const char *name,
                          float otherwise) {
  tenon_tensor value;
  if (find_value(generator, name, TENON_F32, 0, &value))
    memcpy(&otherwise, value.data, sizeof otherwise);
  return otherwise;
}

int tenon_option_is_off(const tenon_generator *generator, const char *name) {
  tenon_tensor value;
  return find_value(generator, name, TENON_BOOL, 0, &value) &&
         *(const uint8_t *)value.data == 0;
}

int tenon_is_eos(const tenon_generator *generator, int64_t id) {
  int32_t place = generator->entries.eos;
  if (place < 0)
    return 0;
  const tenon_tensor_desc *desc = &generator->entries.start->inputs[place];
  const tenon_option *option = &generator->options[place];
  const int64_t *ids =
      option->is_set ? option->values.data : desc->default_data;
  size_t bytes = option->is_set ? option->bytes : desc->default_bytes;
  for (size_t i = 0; i < bytes / sizeof *ids; ++i)
    if (ids[i] == id)
      return 1;
  return 0;
}
