/* Options of the model, which the generator keeps. */
#include "transcriber.h"

#include <string.h>

/* Options that a call's fields set, or the library itself. */
static int is_owned(const char *name) {
  static const char *const owned[] = {"features",
                                      "frames",
                                      "greatest",
                                      "keep_encoder",
                                      "do_sample",
                                      "temperature",
                                      "timestamps",
                                      "output_scores",
                                      "num_return_sequences",
                                      "decoder_start_token_id"};
  for (size_t i = 0; name && i < sizeof owned / sizeof *owned; ++i)
    if (strcmp(name, owned[i]) == 0)
      return 1;
  return 0;
}

/* Begins the setting of an option. If it returns 0, `status` says why not. */
static int begin(tenon_transcriber *transcriber, const char *name,
                 tenon_status *status) {
  *status = TENON_BAD_INPUT;
  if (!tenon_begin_use(transcriber))
    return 0;
  if (!is_owned(name))
    return 1;
  tenon_text_add(&transcriber->text,
                 "option \"%s\": transcription sets it itself", name);
  tenon_end_use(transcriber, *status);
  return 0;
}

static tenon_status end(tenon_transcriber *transcriber, tenon_status status) {
  return tenon_end_use(transcriber,
                       tenon_generator_failed(transcriber, status));
}

tenon_status tenon_transcriber_set(tenon_transcriber *transcriber,
                                   const tenon_tensor *value) {
  int is_known = value && value->struct_size >= offsetof(tenon_tensor, device);
  tenon_status status;
  if (!begin(transcriber, is_known ? value->name : NULL, &status))
    return status;
  return end(transcriber, tenon_generator_set(transcriber->generator, value));
}

tenon_status tenon_transcriber_set_i64(tenon_transcriber *transcriber,
                                       const char *name, int64_t value) {
  tenon_status status;
  if (!begin(transcriber, name, &status))
    return status;
  return end(transcriber,
             tenon_generator_set_i64(transcriber->generator, name, value));
}

tenon_status tenon_transcriber_set_f32(tenon_transcriber *transcriber,
                                       const char *name, float value) {
  tenon_status status;
  if (!begin(transcriber, name, &status))
    return status;
  return end(transcriber,
             tenon_generator_set_f32(transcriber->generator, name, value));
}

tenon_status tenon_transcriber_set_list(tenon_transcriber *transcriber,
                                        const char *name, const int64_t *values,
                                        size_t count) {
  tenon_status status;
  if (!begin(transcriber, name, &status))
    return status;
  return end(transcriber, tenon_generator_set_list(transcriber->generator, name,
                                                   values, count));
}

tenon_status tenon_transcriber_unset(tenon_transcriber *transcriber,
                                     const char *name) {
  tenon_status status;
  if (!begin(transcriber, name, &status))
    return status;
  return end(transcriber, tenon_generator_unset(transcriber->generator, name));
}
