/* Tests the header as strict C11 and strict C++17: a short program on the
 * shared library. */
#include "runtime/tenon_transcribe.h"

#include <stdio.h>
#include <string.h>

/* A second of sound: the first frame says nothing, then an id per frame. */
static int64_t read_sound(void *state, int64_t at, float *samples,
                          int64_t count) {
  int64_t i;
  (void)state;
  for (i = 0; i < count && at + i < 16000; ++i)
    samples[i] = at + i == 160 ? 3 / 2048.0f : at + i == 320 ? 4 / 2048.0f : 0;
  return i;
}

static int add_segment(void *state, const tenon_segment *segment) {
  int *sum = (int *)state;
  size_t i;
  for (i = 0; i < segment->count; ++i)
    *sum = *sum * 10 + (int)segment->ids[i];
  return segment->end != 30;
}

int main(int argc, char **argv) {
  char text[1024] = "";
  int sum = 0;
  tenon_model *model = NULL;
  tenon_transcriber *transcriber = NULL;
  tenon_transcriber_options options;
  tenon_transcription call;
  tenon_speech_ids ids;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.error_text = text;
  options.error_text_bytes = sizeof text;
  memset(&call, 0, sizeof call);
  call.struct_size = sizeof call;
  call.read = read_sound;
  call.on_segment = add_segment;
  call.on_segment_state = &sum;
  call.language = "de";
  ids.struct_size = sizeof ids;
  if (argc != 2 || tenon_open(argv[1], NULL, &model) != TENON_OK ||
      tenon_transcriber_create(model, &options, &transcriber) != TENON_OK ||
      tenon_transcriber_get_ids(transcriber, &ids) != TENON_OK ||
      tenon_transcriber_run(transcriber, &call) != TENON_OK) {
    printf("failed: %s%s\n", text, tenon_transcriber_text(transcriber));
    return 1;
  }
  if (sum != 34 || ids.end != 40 || ids.first_timestamp != 50 ||
      ids.previous_text != 47 ||
      strcmp(tenon_transcriber_language(transcriber), "de") != 0) {
    printf("got %d, end %d\n", sum, (int)ids.end);
    return 1;
  }
  return tenon_transcriber_destroy(transcriber) != TENON_OK ||
         tenon_close(model) != TENON_OK;
}
