/* Writes down a second of sound that says the ids 3 and 4. */
#include <stdio.h>
#include <tenon/tenon_transcribe.h>

static int64_t read_sound(void *state, int64_t at, float *samples,
                          int64_t count) {
  int64_t i;
  (void)state;
  for (i = 0; i < count && at + i < TENON_SOUND_RATE; ++i)
    samples[i] = at + i == 160 ? 3 / 2048.0f : at + i == 320 ? 4 / 2048.0f : 0;
  return i;
}

static int add_segment(void *state, const tenon_segment *segment) {
  int *sum = state;
  for (size_t i = 0; i < segment->count; ++i)
    *sum = *sum * 10 + (int)segment->ids[i];
  return 0;
}

int main(int argc, char **argv) {
  int sum = 0;
  tenon_model *model;
  tenon_transcriber *transcriber;
  tenon_transcription call = {.struct_size = sizeof call,
                              .read = read_sound,
                              .on_segment = add_segment,
                              .on_segment_state = &sum,
                              .language = "en"};
  if (argc != 2 || tenon_open(argv[1], NULL, &model) != TENON_OK ||
      tenon_transcriber_create(model, NULL, &transcriber) != TENON_OK)
    return 1;
  if (tenon_transcriber_run(transcriber, &call) != TENON_OK || sum != 34) {
    printf("%s, got %d\n", tenon_transcriber_text(transcriber), sum);
    return 1;
  }
  return tenon_transcriber_destroy(transcriber) != TENON_OK ||
         tenon_close(model) != TENON_OK;
}
