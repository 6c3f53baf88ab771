/* The parts of the command line that every function of a model shares. */
#ifndef TENON_TOOLS_ARTIFACT_MAIN_PROGRAM_H
#define TENON_TOOLS_ARTIFACT_MAIN_PROGRAM_H

#include "runtime/tenon.h"

/* Defined by the model's object. */
extern const tenon_model_desc *const tenon_artifact_model;

/* Print an error and return the exit status. */
int program_fail(tenon_status status, const char *what, const char *text);
int program_usage_error(const char *text, const char *argument);

/* The value of the flag `name`: the text after `--name=`, or the next argument.
 * Null if argv[*at] is not this flag. */
const char *program_flag(char **argv, int argc, int *at, const char *name);

/* The flags that all functions have. */
typedef struct {
  const char *weights; /* the file of the weights; null: beside the program */
  const char *device;  /* of tenon_open_options */
  int threads;
  int64_t deadline; /* nanoseconds; 0: none */
} program_flags;

/* Prints the lines of the help for these flags, each flag in `width` columns.
 */
void program_print_flags(int width);

/* Reads argv[*at] and its value into `flags`. Returns 0 if it is another
 * argument. *status is the exit status of a wrong value, after it is printed;
 * otherwise it is left alone. */
int program_read_flags(char **argv, int argc, int *at, program_flags *flags,
                       int *status);

/* Opens the model. Prints the reason of a failure and returns the exit
 * status. */
int program_open(const program_flags *flags, tenon_model **model);

#endif /* TENON_TOOLS_ARTIFACT_MAIN_PROGRAM_H */
