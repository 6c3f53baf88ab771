/* Errors, flags and the open model, for functions and for generation. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int program_fail(tenon_status status, const char *what, const char *text) {
  fprintf(stderr, "%s: error: %s%s%s\n", tenon_artifact_model->name, what,
          *what && *text ? " " : "", text);
  return (int)status;
}

int program_usage_error(const char *text, const char *argument) {
  fprintf(
      stderr,
      "%s: error: %s '%s'\n  help: --help lists the flags and the tensors\n",
      tenon_artifact_model->name, text, argument);
  return TENON_USAGE;
}

const char *program_flag(char **argv, int argc, int *at, const char *name) {
  size_t length = strlen(name);
  if (strncmp(argv[*at], name, length) != 0)
    return NULL;
  if (argv[*at][length] == '=')
    return argv[*at] + length + 1;
  if (argv[*at][length] == 0 && *at + 1 < argc)
    return argv[++*at];
  return NULL;
}

int program_read_threads(const char *value, int *threads) {
  char *end;
  long count = strtol(value, &end, 10);
  *threads = (int)count;
  return *value && !*end && count >= 0 && count <= 4096;
}

int program_read_deadline(const char *value, int64_t *nanoseconds) {
  static const struct {
    const char *name;
    double scale;
  } units[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"min", 6e10}};
  char *unit;
  double count = strtod(value, &unit);
  for (size_t i = 0; i < sizeof units / sizeof *units; ++i) {
    double time = count * units[i].scale;
    if (unit == value || strcmp(unit, units[i].name) != 0 ||
        !(time > 0 && time <= 1e18))
      continue;
    /* Zero would be no deadline. */
    *nanoseconds = time < 1 ? 1 : (int64_t)time;
    return 1;
  }
  return 0;
}

tenon_status program_open(const char *weights, int threads,
                          tenon_model **model) {
  char why[1024] = "", folder[4096];
  tenon_open_options options = {.struct_size = sizeof options,
                                .error_text = why,
                                .error_text_bytes = sizeof why,
                                .threads = threads,
                                .weights_path = weights};
  ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
  if (!weights && length > 0) {
    folder[length] = 0;
    char *slash = strrchr(folder, '/');
    if (slash && tenon_artifact_model->weight_file) {
      *slash = 0;
      options.weights_path = folder;
    }
  }
  tenon_status status = tenon_open_desc(tenon_artifact_model, &options, model);
  if (status != TENON_OK)
    program_fail(status, "", why);
  return status;
}
