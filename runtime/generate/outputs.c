/* Checks the outputs of entries. Those of generated models are right; a model
 * that was written by hand may return anything. */
#include "generator.h"

#include <inttypes.h>

enum { ALL = -1 };

static tenon_status refuse(tenon_generator *generator,
                           const tenon_function_desc *function, int32_t output,
                           const char *expected, int64_t number, int64_t got) {
  tenon_text_add(&generator->text,
                 "the model does not generate text: its function \"%s\" gave "
                 "the output \"%s\": expected %s %" PRId64 ", got %" PRId64,
                 function->name, function->outputs[output].name, expected,
                 number, got);
  return TENON_UNSUPPORTED;
}

static tenon_status check_rows(tenon_generator *generator,
                               const tenon_function_desc *function,
                               int32_t output, size_t rows) {
  int64_t got = generator->outputs[output].dims[0];
  return (size_t)got == rows
             ? TENON_OK
             : refuse(generator, function, output, "rows:", (int64_t)rows, got);
}

/* Each value is 0 to `most`; ALL: any that is not negative. */
static tenon_status check_values(tenon_generator *generator,
                                 const tenon_function_desc *function,
                                 int32_t output, int64_t most) {
  const tenon_tensor *tensor = &generator->outputs[output];
  const int64_t *values = tensor->data;
  size_t count = tensor->bytes / sizeof *values;
  for (size_t i = 0; i < count; ++i) {
    if (values[i] < 0)
      return refuse(generator, function, output, "values of at least", 0,
                    values[i]);
    if (most != ALL && values[i] > most)
      return refuse(generator, function, output, "values of at most", most,
                    values[i]);
  }
  return TENON_OK;
}

tenon_status tenon_check_new_ids(tenon_generator *generator,
                                 const tenon_call_sizes *sizes, int64_t steps) {
  const tenon_function_desc *advance = generator->entries.advance;
  int32_t output = generator->entries.new_ids;
  int64_t columns = generator->outputs[output].dims[1];
  int64_t most = sizes->is_search ? 0 : steps;
  if (columns > most)
    return refuse(generator, advance, output, "columns up to", most, columns);
  tenon_status status = TENON_OK;
  if (!sizes->is_search)
    status = check_rows(generator, advance, output, sizes->sequences);
  if (status == TENON_OK)
    status = check_values(generator, advance, output, ALL);
  return status;
}

tenon_status tenon_check_result(tenon_generator *generator,
                                const tenon_call_sizes *sizes) {
  const tenon_entries *entries = &generator->entries;
  const int32_t outputs[] = {entries->sequences, entries->counts,
                             entries->scores, entries->reasons};
  for (size_t i = 0; i < sizeof outputs / sizeof *outputs; ++i) {
    tenon_status status =
        check_rows(generator, entries->result, outputs[i], sizes->sequences);
    if (status != TENON_OK)
      return status;
  }
  int64_t longest = generator->outputs[entries->sequences].dims[1];
  tenon_status status =
      check_values(generator, entries->result, entries->counts, longest);
  if (status == TENON_OK)
    status = check_values(generator, entries->result, entries->reasons,
                          TENON_REASON_LENGTH);
  if (status == TENON_OK)
    status = check_values(generator, entries->result, entries->sequences, ALL);
  return status;
}
