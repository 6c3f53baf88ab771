/* Errors, flags and the open model, for functions and for generation. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int program_fail(tenon_status status, const char *what, const char *text) {
  fprintf(stderr, "%s: error: %s%s%s\n", tenon_artifact_model->name, what,
          *what && *text ? " " : "", text);
  return status == TENON_NO_DEVICE ? TENON_BAD_ARTIFACT : (int)status;
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

/* Reads a number of threads; 0 if it is none. */
static int read_threads(const char *value, int *threads) {
  char *end;
  long count = strtol(value, &end, 10);
  *threads = (int)count;
  return *value && !*end && count >= 0 && count <= 4096;
}

/* Reads a time such as 500ms or 2s as nanoseconds; 0 if it is none above
 * zero. */
static int read_deadline(const char *value, int64_t *nanoseconds) {
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

static int has_cpu_version(void) {
  return !tenon_artifact_model->versions[0].device;
}

static int has_device_version(void) {
  return tenon_artifact_model->versions[tenon_artifact_model->num_versions - 1]
             .device != NULL;
}

void program_print_flags(int width) {
  printf("  %-*s0: one for each CPU\n", width, "--threads=N");
  printf("  %-*sends a call that takes longer: 500ms, 2s\n", width,
         "--deadline=TIME");
  printf("  %-*swhere the weights stand, if not here\n", width,
         "--weights-file=FILE");
  if (has_device_version())
    printf("  %-*swhere the model runs; nvptx is an NVIDIA GPU\n", width,
           has_cpu_version() ? "--device=cpu|nvptx" : "--device=nvptx");
}

int program_read_flags(char **argv, int argc, int *at, program_flags *flags,
                       int *status) {
  const char *value;
  if ((value = program_flag(argv, argc, at, "--weights-file"))) {
    flags->weights = value;
  } else if ((value = program_flag(argv, argc, at, "--threads"))) {
    if (!read_threads(value, &flags->threads))
      *status = program_usage_error("expected a number of threads, got", value);
  } else if ((value = program_flag(argv, argc, at, "--deadline"))) {
    if (!read_deadline(value, &flags->deadline))
      *status = program_usage_error("expected a time such as 500ms or 2s, got",
                                    value);
  } else if ((value = program_flag(argv, argc, at, "--device"))) {
    flags->device = strcmp(value, "nvptx") == 0 ? "cuda" : value;
    if (strcmp(value, "nvptx") != 0 && strcmp(value, "cpu") != 0)
      *status =
          program_usage_error("expected the device cpu or nvptx, got", value);
  } else {
    return 0;
  }
  return 1;
}

/* Prints that the model has no version for the device. */
static int lacks_version(const char *has, const char *help) {
  fprintf(stderr,
          "%s: error: the model has code for %s alone\n  help: %s "
          "--device=nvptx\n",
          tenon_artifact_model->name, has, help);
  return TENON_BAD_INPUT;
}

int program_open(const program_flags *flags, tenon_model **model) {
  char why[1024] = "", folder[4096];
  tenon_open_options options = {.struct_size = sizeof options,
                                .error_text = why,
                                .error_text_bytes = sizeof why,
                                .threads = flags->threads,
                                .weights_path = flags->weights,
                                .device = flags->device};
  int on_device = flags->device && strcmp(flags->device, "cuda") == 0;
  if (!on_device && !has_cpu_version())
    return lacks_version("NVIDIA GPUs", "pass");
  if (on_device && !has_device_version())
    return lacks_version("CPUs", "leave out");
  ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
  if (!flags->weights && length > 0) {
    folder[length] = 0;
    char *slash = strrchr(folder, '/');
    if (slash && tenon_artifact_model->weight_file) {
      *slash = 0;
      options.weights_path = folder;
    }
  }
  tenon_status status = tenon_open_desc(tenon_artifact_model, &options, model);
  return status == TENON_OK ? TENON_OK : program_fail(status, "", why);
}
