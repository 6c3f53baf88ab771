/* Sound through the caller's callback: once in order to find its length and its
 * greatest feature, then by windows. A window is read with the samples beside
 * it, so that its frames are those of the whole sound. */
#include "transcriber.h"

#include <math.h>
#include <string.h>

static float *samples_of(tenon_transcriber *transcriber) {
  return transcriber->samples.data;
}

/* Reads up to `count` samples from `at`. Samples after the end of a short sound
 * are zeros. */
static tenon_status read_samples(tenon_transcriber *transcriber, int64_t at,
                                 int64_t count, int64_t *got) {
  const tenon_transcription *call = transcriber->call;
  float *samples = samples_of(transcriber);
  tenon_status status = tenon_go_on(transcriber, NULL);
  if (status != TENON_OK)
    return status;
  *got = call->read(call->read_state, at, samples, count);
  if (*got < 0 || *got > count) {
    tenon_text_add(&transcriber->text, "the sound cannot be read");
    return TENON_IO;
  }
  for (int64_t i = 0; i < *got; ++i)
    if (!isfinite(samples[i])) {
      tenon_text_add(&transcriber->text,
                     "sample %lld of the sound is no finite number",
                     (long long)(at + i));
      return TENON_BAD_INPUT;
    }
  int64_t end = at + count < transcriber->sound.total
                    ? at + count
                    : transcriber->sound.total;
  if (at + *got < end) {
    memset(samples + *got, 0, (size_t)(end - at - *got) * sizeof *samples);
    *got = end - at;
  }
  return TENON_OK;
}

/* Computes the features of the first `count` samples in the buffer, less those
 * beside the window. They are in the generator's outputs. */
static tenon_status compute(tenon_transcriber *transcriber, int64_t count,
                            int64_t before, int64_t after) {
  tenon_generator *generator = transcriber->generator;
  const tenon_speech *speech = &transcriber->speech;
  tenon_generation call = {.struct_size = sizeof call};
  tenon_status status = tenon_go_on(transcriber, &call);
  if (status != TENON_OK)
    return status;
  const struct {
    int32_t place, dtype, rank;
    void *data;
    size_t bytes;
  } given[] = {{speech->samples, TENON_F32, 1, transcriber->samples.data,
                (size_t)count * sizeof(float)},
               {speech->before, TENON_I64, 0, &before, sizeof before},
               {speech->after, TENON_I64, 0, &after, sizeof after}};
  size_t inputs = sizeof given / sizeof *given;
  for (size_t i = 0; i < inputs; ++i)
    generator->inputs[i] =
        (tenon_tensor){.struct_size = sizeof(tenon_tensor),
                       .name = speech->features->inputs[given[i].place].name,
                       .dtype = given[i].dtype,
                       .rank = given[i].rank,
                       .dims = given[i].rank ? &count : NULL,
                       .data = given[i].data,
                       .bytes = given[i].bytes};
  tenon_set_deadline(generator, &call);
  tenon_set_running(generator, 1);
  status = tenon_run_entry(generator, &call, speech->features, inputs);
  tenon_set_running(generator, 0);
  return status == TENON_OK ? status
                            : tenon_generator_failed(transcriber, status);
}

/* Reads a window of `width` samples from `at` with its neighbours, and computes
 * its features. A window that ends a few samples before the sound takes them
 * too: a frame needs all its neighbours or none. Sets `got` to the samples of
 * the window that are there. */
static tenon_status compute_window(tenon_transcriber *transcriber, int64_t at,
                                   int64_t width, int64_t *got) {
  int64_t before = at ? NEIGHBOURS : 0, count;
  int64_t wanted = before + width + 2 * NEIGHBOURS;
  tenon_status status = read_samples(transcriber, at - before, wanted, &count);
  *got = count - before;
  if (status != TENON_OK || *got < SAMPLES_PER_FRAME)
    return status;
  if (*got < width + NEIGHBOURS)
    return compute(transcriber, count, before, 0);
  *got = width;
  return compute(transcriber, before + width + NEIGHBOURS, before, NEIGHBOURS);
}

static float greatest_of(const tenon_transcriber *transcriber) {
  float value;
  const tenon_tensor *output =
      &transcriber->generator->outputs[transcriber->speech.greatest];
  memcpy(&value, output->data, sizeof value);
  return value;
}

/* Makes the computed features of a window inputs of `start`. */
static tenon_status give_window(tenon_transcriber *transcriber, int64_t seek,
                                int64_t frames) {
  tenon_generator *generator = transcriber->generator;
  const tenon_tensor *made =
      &generator->outputs[transcriber->speech.feature_output];
  int64_t rows = made->dims[0], columns = made->dims[1];
  size_t bytes = (size_t)(rows * frames) * sizeof(float);
  tenon_status status = tenon_reserve(generator, &transcriber->features, bytes);
  if (status != TENON_OK)
    return tenon_generator_failed(transcriber, status);
  for (int64_t row = 0; row < rows; ++row)
    memcpy((float *)transcriber->features.data + row * frames,
           (const float *)made->data + row * columns,
           (size_t)frames * sizeof(float));
  int64_t dims[] = {1, rows, frames}, one = 1;
  tenon_tensor values[] = {{.name = "features",
                            .dtype = TENON_F32,
                            .rank = 3,
                            .dims = dims,
                            .data = transcriber->features.data,
                            .bytes = bytes},
                           {.name = "frames",
                            .dtype = TENON_I64,
                            .rank = 1,
                            .dims = &one,
                            .data = &frames,
                            .bytes = sizeof frames},
                           {.name = "greatest",
                            .dtype = TENON_F32,
                            .rank = 1,
                            .dims = &one,
                            .data = &transcriber->sound.greatest,
                            .bytes = sizeof(float)}};
  for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
    values[i].struct_size = sizeof *values;
    status = tenon_generator_set(generator, &values[i]);
    if (status != TENON_OK)
      return tenon_generator_failed(transcriber, status);
  }
  transcriber->is_encoded = 0;
  transcriber->window_seek = seek;
  transcriber->window_frames = frames;
  return TENON_OK;
}

tenon_status tenon_measure_sound(tenon_transcriber *transcriber) {
  tenon_sound *sound = &transcriber->sound;
  int64_t width = transcriber->speech.window * SAMPLES_PER_FRAME;
  size_t bytes = (size_t)(width + 3 * NEIGHBOURS) * sizeof(float);
  tenon_status status =
      tenon_reserve(transcriber->generator, &transcriber->samples, bytes);
  if (status != TENON_OK)
    return tenon_generator_failed(transcriber, status);
  *sound = (tenon_sound){.greatest = -INFINITY};
  transcriber->window_frames = 0;
  int64_t got = 0;
  status = read_samples(transcriber, 0, width + 1, &got);
  sound->samples = got;
  if (status != TENON_OK)
    return status;
  if (got == 0) {
    tenon_text_add(&transcriber->text, "the sound has no samples");
    return TENON_BAD_INPUT;
  }
  if (got <= width) {
    /* A short sound is longer by zeros. */
    sound->total = width;
    status = compute_window(transcriber, 0, width, &got);
    if (status != TENON_OK)
      return status;
    sound->greatest = greatest_of(transcriber);
    sound->frames = transcriber->speech.window;
    return give_window(transcriber, 0, sound->frames);
  }
  for (int64_t at = 0;; at += width) {
    status = compute_window(transcriber, at, width, &got);
    if (status != TENON_OK)
      return status;
    if (got >= SAMPLES_PER_FRAME && greatest_of(transcriber) > sound->greatest)
      sound->greatest = greatest_of(transcriber);
    sound->samples = at + got;
    if (got != width)
      break;
  }
  sound->frames = sound->samples / SAMPLES_PER_FRAME;
  return TENON_OK;
}

tenon_status tenon_set_window(tenon_transcriber *transcriber, int64_t seek,
                              int64_t frames) {
  if (transcriber->window_seek == seek && transcriber->window_frames == frames)
    return TENON_OK;
  int64_t got, width = frames * SAMPLES_PER_FRAME;
  tenon_status status =
      compute_window(transcriber, seek * SAMPLES_PER_FRAME, width, &got);
  if (status != TENON_OK)
    return status;
  if (got >= width)
    return give_window(transcriber, seek, frames);
  tenon_text_add(&transcriber->text, "the sound has become shorter");
  return TENON_IO;
}
