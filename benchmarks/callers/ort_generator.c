/* Greedy generation by ONNX Runtime: a decoder of gpt2_onnx.py, called in a
 * loop. Arguments: LIBRARY MODEL THREADS LAYERS HEADS DEPTH VOCABULARY.
 *
 * Keys and values stay in buffers that are inputs and outputs of every run.
 * Prompts have no pads. */
#include "generator.h"
#include "ort.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_LAYERS = 64, FIXED = 4 };

static ort_session session;
static int64_t layers, heads, depth, vocabulary;
static const prompt *given;
static greedy chosen;

/* The memory of the tensors below. */
static int64_t *ids, *positions, next_ids[256], next_positions[256];
static int32_t last_position[256], total;
static float *logits, *cache[2 * MAX_LAYERS];

static char past_names[2 * MAX_LAYERS][32], present_names[2 * MAX_LAYERS][32];
static const char *input_names[FIXED + 2 * MAX_LAYERS] = {
    "input_ids", "position_ids", "seqlens_k", "total_sequence_length"};
static const char *output_names[1 + 2 * MAX_LAYERS] = {"logits"};
static ort_thing *whole[FIXED + 2 * MAX_LAYERS], *one[FIXED + 2 * MAX_LAYERS];
static ort_thing *outputs[1 + 2 * MAX_LAYERS];

static void *memory(size_t bytes) {
  void *made = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (!made)
    generator_fail("prompt", "out of memory");
  return made;
}

static void name_tensors(void) {
  for (int64_t i = 0; i < 2 * layers; ++i) {
    const char *kind = i % 2 ? "value" : "key";
    snprintf(past_names[i], 32, "past_%s_%d", kind, (int)(i / 2));
    snprintf(present_names[i], 32, "present_%s_%d", kind, (int)(i / 2));
    input_names[FIXED + i] = past_names[i];
    output_names[1 + i] = present_names[i];
  }
}

/* ONNX Runtime's values of the call before are not released: a few hundred
 * bytes each, over memory that is. */
static void prepare(const prompt *of) {
  given = of;
  int64_t rows = of->rows, seq = of->seq;
  for (int64_t r = 0; r < rows; ++r)
    if (of->lengths[r] != seq || rows > 256)
      generator_fail("prompt", "expected at most 256 rows without pads");
  free(ids), free(positions), free(logits);
  ids = memory((size_t)(rows * seq) * sizeof *ids);
  positions = memory((size_t)(rows * seq) * sizeof *positions);
  logits = memory((size_t)(rows * vocabulary) * sizeof *logits);
  for (int64_t i = 0; i < rows * seq; ++i)
    ids[i] = of->ids[i], positions[i] = i % seq;
  int64_t many[] = {rows, seq}, single[] = {rows, 1};
  int64_t scores[] = {rows, 1, vocabulary};
  size_t bytes = (size_t)(rows * seq) * sizeof *ids;
  size_t short_bytes = (size_t)rows * sizeof *ids;
  whole[0] = ort_tensor(&session, ids, bytes, many, 2, ORT_I64);
  whole[1] = ort_tensor(&session, positions, bytes, many, 2, ORT_I64);
  one[0] = ort_tensor(&session, next_ids, short_bytes, single, 2, ORT_I64);
  one[1] =
      ort_tensor(&session, next_positions, short_bytes, single, 2, ORT_I64);
  whole[2] = one[2] =
      ort_tensor(&session, last_position, (size_t)rows * sizeof *last_position,
                 &rows, 1, ORT_I32);
  whole[3] = one[3] =
      ort_tensor(&session, &total, sizeof total, NULL, 0, ORT_I32);
  outputs[0] =
      ort_tensor(&session, logits, (size_t)(rows * vocabulary) * sizeof *logits,
                 scores, 3, ORT_F32);
  int64_t room[] = {rows, heads, seq + of->fresh, depth};
  size_t held = (size_t)(rows * heads * room[2] * depth) * sizeof(float);
  for (int64_t i = 0; i < 2 * layers; ++i) {
    free(cache[i]);
    cache[i] = memory(held);
    whole[FIXED + i] = one[FIXED + i] = outputs[1 + i] =
        ort_tensor(&session, cache[i], held, room, 4, ORT_F32);
  }
}

static void run(ort_thing *const *inputs, int64_t length) {
  total = (int32_t)length;
  for (int64_t r = 0; r < given->rows; ++r)
    last_position[r] = total - 1;
  ort_run(&session, input_names, inputs, (size_t)(FIXED + 2 * layers),
          output_names, outputs, (size_t)(1 + 2 * layers));
  for (int64_t r = 0; r < given->rows; ++r) {
    next_ids[r] =
        greedy_choose(&chosen, r, logits + r * vocabulary, vocabulary);
    next_positions[r] = length;
  }
}

static void begin(void) {
  greedy_reset(&chosen, given);
  run(whole, given->seq);
}

static void advance(int64_t steps) {
  for (int64_t i = 0; i < steps; ++i)
    run(one, given->seq + chosen.made);
}

static void tokens(int64_t *out) { greedy_tokens(&chosen, out); }

int main(int argc, char **argv) {
  if (argc != 8)
    generator_fail("usage", "ort_generator LIBRARY MODEL THREADS LAYERS HEADS "
                            "DEPTH VOCABULARY");
  layers = atoi(argv[4]);
  heads = atoi(argv[5]);
  depth = atoi(argv[6]);
  vocabulary = atoi(argv[7]);
  if (layers < 1 || layers > MAX_LAYERS)
    generator_fail("usage", "too many layers");
  name_tensors();
  session = ort_open(argv[1], argv[2], atoi(argv[3]));
  generator_serve(&(generator){prepare, begin, advance, tokens});
}
