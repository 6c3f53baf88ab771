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

/* Reads the value of --threads; 0 if it is no number of threads. */
int program_read_threads(const char *value, int *threads);

/* Reads the value of --deadline, such as 500ms or 2s, as nanoseconds; 0 if it
 * is no time above zero. */
int program_read_deadline(const char *value, int64_t *nanoseconds);

/* Opens the model. Weights that are not embedded are beside the program, unless
 * `weights` names their file. Prints the reason of a failure. */
tenon_status program_open(const char *weights, int threads,
                          tenon_model **model);

#endif /* TENON_TOOLS_ARTIFACT_MAIN_PROGRAM_H */
