/* Finds flags in the tables of the model, and values in texts. */
#include "settings.h"

#include "npy.h"
#include "option_value.h"
#include "program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const tenon_function_desc *find_function(const char *name) {
  for (int32_t i = 0; i < tenon_artifact_model->num_functions; ++i)
    if (strcmp(tenon_artifact_model->functions[i].name, name) == 0)
      return &tenon_artifact_model->functions[i];
  return NULL;
}

static int is_one_of(const char *name, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (strcmp(name, names[i]) == 0)
      return 1;
  return 0;
}

/* The program or its library gives the other inputs. */
static int is_option(const tenon_tensor_desc *input) {
  static const char *const prompts[] = {
      "ids",         "lengths",         "keep",
      "encoder_ids", "encoder_lengths", "keep_encoder"};
  static const char *const speech[] = {"features",
                                       "frames",
                                       "greatest",
                                       "do_sample",
                                       "temperature",
                                       "timestamps",
                                       "output_scores",
                                       "num_return_sequences",
                                       "decoder_start_token_id"};
  if (is_one_of(input->name, prompts, sizeof prompts / sizeof *prompts))
    return 0;
  return !find_function("features") ||
         !is_one_of(input->name, speech, sizeof speech / sizeof *speech);
}

setting find_setting(char **argv, int argc, int *at) {
  const tenon_function_desc *start = find_function("start");
  for (int32_t i = 0; i < start->num_inputs; ++i) {
    const tenon_tensor_desc *input = &start->inputs[i];
    const char *name = input->name, *given = argv[*at] + 2;
    if (strncmp(argv[*at], "--", 2) != 0 || !is_option(input))
      continue;
    while (*name && (*given == *name || (*given == '-' && *name == '_')))
      ++name, ++given;
    if (*name != 0)
      continue;
    if (*given == '=')
      return (setting){input, given + 1};
    if (*given == 0 && input->dtype == TENON_BOOL)
      return (setting){input, "true"};
    if (*given == 0 && *at + 1 < argc)
      return (setting){input, argv[++*at]};
  }
  return (setting){NULL, NULL};
}

static void print_option(const tenon_tensor_desc *input) {
  char flag[256] = "--";
  for (size_t i = 0; input->name[i] && i < sizeof flag - 3; ++i)
    flag[i + 2] = input->name[i] == '_' ? '-' : input->name[i];
  printf("  %-32s %s%s", flag, tenon_dtype_name(input->dtype),
         input->rank == 0   ? ""
         : input->rank == 1 ? " with commas"
                            : " with commas and semicolons");
  int is_real = input->dtype == TENON_F32;
  if (input->flags & TENON_INPUT_RANGE && is_real)
    printf(", %g to %g", input->least.real, input->greatest.real);
  else if (input->flags & TENON_INPUT_RANGE)
    printf(", %" PRId64 " to %" PRId64, input->least.integer,
           input->greatest.integer);
  if (input->flags & TENON_INPUT_OPTIONAL && input->rank == 0) {
    const void *value = input->default_data;
    if (is_real)
      printf(", default %g", (double)*(const float *)value);
    else if (input->dtype == TENON_I64)
      printf(", default %" PRId64, *(const int64_t *)value);
    else
      printf(", default %s", *(const uint8_t *)value ? "true" : "false");
  }
  putchar('\n');
}

void print_settings(void) {
  const tenon_function_desc *start = find_function("start");
  for (int32_t i = 0; i < start->num_inputs; ++i)
    if (is_option(&start->inputs[i]))
      print_option(&start->inputs[i]);
}

int wrong_value(const char *what, const char *expected, const char *value) {
  char text[512];
  snprintf(text, sizeof text, "%.100s: expected %s, got '%.300s'", what,
           expected, value);
  return program_fail(TENON_BAD_INPUT, "", text);
}

/* In the tables -1 means that no length is given; a flag gives one. */
static int is_length(const char *name) {
  return strcmp(name, "max_new_tokens") == 0 || strcmp(name, "max_length") == 0;
}

int apply_setting(const setting *one, void *state,
                  tenon_status (*set)(void *state, const tenon_tensor *value),
                  const char *(*text)(void *state)) {
  const tenon_tensor_desc *desc = one->option;
  option_value value;
  const char *expected = read_option_value(one->value, desc, &value);
  if (!expected && is_length(desc->name) && *(int64_t *)value.data < 1)
    expected = "at least 1";
  tenon_tensor tensor = {.struct_size = sizeof tensor,
                         .name = desc->name,
                         .dtype = desc->dtype,
                         .rank = desc->rank,
                         .dims = value.dims,
                         .data = value.data,
                         .bytes = value.count * npy_element_bytes(desc->dtype)};
  char what[100];
  snprintf(what, sizeof what, "option \"%s\"", desc->name);
  int status = TENON_OK;
  if (expected)
    status = wrong_value(what, expected, one->value);
  else if ((status = set(state, &tensor)) != TENON_OK)
    program_fail(status, "", text(state));
  free(value.data);
  return status;
}
