/* Text in, a dense tensor out. All memory is sized before elements are read. */
#include "option_value.h"

#include "npy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The words that stand for numbers in the model's tables: of a bool, and of
 * early_stopping. */
static const struct {
  const char *word;
  int64_t value;
} words[] = {{"false", 0}, {"true", 1}, {"never", 2}};

/* Reads element `at` and returns the text after it; null if it is wrong. */
static const char *read_element(const char *text, const tenon_tensor_desc *desc,
                                size_t at, void *data) {
  int32_t dtype = desc->dtype;
  int has_words =
      dtype == TENON_BOOL || strcmp(desc->name, "early_stopping") == 0;
  char *end;
  if (dtype == TENON_F32) {
    ((float *)data)[at] = strtof(text, &end);
    return end == text ? NULL : end;
  }
  errno = 0;
  long long number = strtoll(text, &end, 10);
  for (size_t i = 0; has_words && i < sizeof words / sizeof *words; ++i)
    if (end == text &&
        strncmp(text, words[i].word, strlen(words[i].word)) == 0) {
      number = words[i].value;
      end += strlen(words[i].word);
    }
  if (end == text || errno != 0)
    return NULL;
  if (dtype == TENON_I64)
    ((int64_t *)data)[at] = number;
  else
    ((uint8_t *)data)[at] = (uint8_t)number;
  return dtype == TENON_I64 || number == 0 || number == 1 ? end : NULL;
}

static const char *expectation(const tenon_tensor_desc *desc) {
  if (desc->rank == 2)
    return "lists of integers such as 1,2;3";
  if (desc->dtype == TENON_F32)
    return desc->rank ? "a number or several with commas" : "a number";
  if (desc->dtype == TENON_BOOL)
    return "true or false";
  return desc->rank ? "an integer of 64 bits or several with commas"
                    : "an integer of 64 bits";
}

const char *read_option_value(const char *text, const tenon_tensor_desc *desc,
                              option_value *value) {
  int is_number = desc->dtype == TENON_F32 || desc->dtype == TENON_I64 ||
                  desc->dtype == TENON_BOOL;
  *value = (option_value){0};
  if (!is_number || desc->rank > 2 ||
      (desc->rank == 2 && desc->dtype != TENON_I64))
    return "an option that is no list of tensors";
  if (desc->rank < 2 && strchr(text, ';'))
    return expectation(desc);
  size_t lists = desc->rank < 2 || *text != 0, longest = *text != 0, length = 1;
  for (const char *c = text; *c; ++c) {
    lists += *c == ';';
    length = *c == ';' ? 1 : length + (*c == ',');
    longest = length > longest ? length : longest;
  }
  if (desc->rank == 2 && longest == 0)
    longest = 1;
  size_t count = lists * longest;
  value->data = calloc(count + 1, npy_element_bytes(desc->dtype));
  if (!value->data)
    return "a value that fits in memory";
  value->dims[0] = (int64_t)(desc->rank == 2 ? lists : longest);
  value->dims[1] = (int64_t)longest;
  value->count = count;
  for (size_t list = 0; list < lists && longest > 0; ++list) {
    /* A shorter list has -1 before its elements. */
    size_t at = list * longest, own = 1;
    for (const char *c = text; *c && *c != ';'; ++c)
      own += *c == ',';
    for (size_t i = own; i < longest; ++i)
      ((int64_t *)value->data)[at++] = -1;
    for (; own > 0; --own) {
      text = read_element(text, desc, at++, value->data);
      char separator = own > 1 ? ',' : list + 1 < lists ? ';' : 0;
      if (!text || *text != separator)
        return expectation(desc);
      text += separator != 0;
    }
  }
  return desc->rank == 0 && value->count != 1 ? expectation(desc) : NULL;
}
