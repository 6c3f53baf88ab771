/* The options of a generation model on the command line. The options are the
 * inputs of `start`, so the model's own tables say which flags there are. */
#ifndef TENON_TOOLS_ARTIFACT_MAIN_SETTINGS_H
#define TENON_TOOLS_ARTIFACT_MAIN_SETTINGS_H

#include "runtime/tenon.h"

/* An option and the text of its value. */
typedef struct {
  const tenon_tensor_desc *option;
  const char *value;
} setting;

/* The function of the model called `name`, or null. */
const tenon_function_desc *find_function(const char *name);

/* The option that argv[*at] sets, with '-' for '_'. Its value is after `=`, or
 * the next argument; a bool without a value is true. The option is null if
 * there is none. */
setting find_setting(char **argv, int argc, int *at);

/* Prints all options with types, ranges and defaults. */
void print_settings(void);

/* Prints that a value is wrong and returns the exit status. */
int wrong_value(const char *what, const char *expected, const char *value);

/* Gives the value to `set`, whose failure `text` tells. Returns the exit
 * status; prints the reason of a failure. */
int apply_setting(const setting *one, void *state,
                  tenon_status (*set)(void *state, const tenon_tensor *value),
                  const char *(*text)(void *state));

#endif /* TENON_TOOLS_ARTIFACT_MAIN_SETTINGS_H */
