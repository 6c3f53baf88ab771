/* The value of an option of generation, as text: a number, a bool, a list with
 * commas, or lists with semicolons. */
#ifndef TENON_TOOLS_ARTIFACT_MAIN_OPTION_VALUE_H
#define TENON_TOOLS_ARTIFACT_MAIN_OPTION_VALUE_H

#include "runtime/tenon.h"

typedef struct {
  int64_t dims[2];
  size_t count; /* elements */
  void *data;   /* the caller frees it */
} option_value;

/* Reads a tensor as `desc` describes. Returns null, or what is expected. */
const char *read_option_value(const char *text, const tenon_tensor_desc *desc,
                              option_value *value);

#endif /* TENON_TOOLS_ARTIFACT_MAIN_OPTION_VALUE_H */
