/* Generation with an encoder by ONNX Runtime: the models of encoded_onnx.py in
 * a loop, greedy or with beams. Arguments: LIBRARY ENCODER STEP THREADS BEAMS
 * LAYERS HEADS DEPTH SOURCE VOCABULARY END WHAT MANIFEST.
 *
 * The manifest has the encoder's input, the decoder's `prompt` [1, length] and
 * the output `sequences` [new]. WHAT is measured: `first`, the encoder and the
 * prompt; `steps`, the prompt and the tokens after it, with the encoder's
 * results of the call before; or all as `call`. Beams never choose END. */
#include "caller.h"
#include "ort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All but a cache and the encoder's results. */
enum { MAX_LAYERS = 32, MAX_BEAMS = 16, FIXED = 3 };

static ort_session encoder, step;
static int64_t beams, layers, heads, depth, source, end;
static int64_t vocabulary, prompt, fresh;
static int64_t *prompt_ids, *sequence, *parents, *chosen;
static ort_thing *encoder_input;
static const char *encoder_name;

static char names[3][2 * MAX_LAYERS][32];
static const char *input_names[FIXED + 4 * MAX_LAYERS];
static const char *output_names[2 + 2 * MAX_LAYERS];
static const char *cross_names[2 * MAX_LAYERS];
static float *cross[2 * MAX_LAYERS], *cache[2][2 * MAX_LAYERS];
static ort_thing *cross_values[2 * MAX_LAYERS];

static void *memory(int64_t elements) {
  void *made = aligned_alloc(64, ((size_t)elements * 8 + 63) / 64 * 64);
  if (!made)
    fail("memory", "not enough");
  return made;
}

static void name_tensors(void) {
  static const char *const kinds[] = {"key", "value"};
  static const char *const groups[] = {"past", "cross", "present"};
  int64_t held = 2 * layers, count = beams > 1 ? 3 : 2;
  for (int group = 0; group < 3; ++group)
    for (int64_t i = 0; i < held; ++i)
      snprintf(names[group][i], 32, "%s_%s_%d", groups[group], kinds[i % 2],
               (int)(i / 2));
  input_names[0] = "ids", input_names[1] = "parents", input_names[2] = "sums";
  output_names[0] = "choices", output_names[1] = "scores";
  for (int64_t i = 0; i < held; ++i) {
    input_names[count + i] = names[0][i];
    input_names[count + held + i] = names[1][i];
    output_names[count - 1 + i] = names[2][i];
    cross_names[i] = names[1][i];
  }
}

static ort_thing *floats(void *data, int64_t a, int64_t b, int64_t c,
                         int64_t d) {
  int64_t dims[] = {a, b, c, d};
  return ort_tensor(&step, data, (size_t)(a * b * c * d) * sizeof(float), dims,
                    4, ORT_F32);
}

static void encode(void) {
  ort_run(&encoder, &encoder_name, &encoder_input, 1, cross_names, cross_values,
          (size_t)(2 * layers));
}

/* One pass over `count` new tokens in each of `held` rows, which then are
 * `rows`, after `past` tokens. The cache goes from one side to the other. */
static void pass(int64_t *ids, int64_t held, int64_t count, int64_t rows,
                 int64_t past, float *sums, float *scores, int64_t *choices,
                 int64_t *from) {
  ort_thing *inputs[FIXED + 4 * MAX_LAYERS], *outputs[2 + 2 * MAX_LAYERS];
  int64_t wide[] = {rows, count}, each[] = {rows, 1, 1};
  int64_t candidates = beams > 1 ? 2 * beams : 1, two = 2 * layers;
  size_t in = 0, out = 0;
  inputs[in++] =
      ort_tensor(&step, ids, (size_t)(rows * count) * 8, wide, 2, ORT_I64);
  inputs[in++] = ort_tensor(&step, from, (size_t)rows * 8, &rows, 1, ORT_I64);
  outputs[out++] = ort_tensor(&step, choices, (size_t)candidates * 8,
                              &candidates, 1, ORT_I64);
  if (beams > 1) {
    inputs[in++] = ort_tensor(&step, sums, (size_t)rows * 4, each, 3, ORT_F32);
    outputs[out++] = ort_tensor(&step, scores, (size_t)candidates * 4,
                                &candidates, 1, ORT_F32);
  }
  static int side;
  for (int64_t i = 0; i < two; ++i)
    inputs[in++] = floats(cache[side][i], held, heads, past, depth);
  for (int64_t i = 0; i < two; ++i)
    inputs[in++] = cross_values[i];
  for (int64_t i = 0; i < two; ++i)
    outputs[out++] =
        floats(cache[1 - side][i], rows, heads, past + count, depth);
  ort_run(&step, input_names, inputs, in, output_names, outputs, out);
  // The encoder's results stay.
  for (size_t i = 0; i < in - (size_t)two; ++i)
    ort_release(inputs[i]);
  for (size_t i = 0; i < out; ++i)
    ort_release(outputs[i]);
  side = 1 - side;
}

/* The best candidates that do not end the text. Rows of one pass are rows of
 * the next. */
static void choose(const int64_t *choices, const float *scores, int64_t at,
                   float *sums, int64_t *ids, int64_t *from) {
  int64_t row = 0;
  for (int64_t i = 0; row < beams; ++i) {
    int64_t token = choices[i] % vocabulary;
    if (token == end && beams > 1)
      continue;
    ids[row] = token;
    from[row] = choices[i] / vocabulary;
    sums[row] = beams > 1 ? scores[i] : 0;
    chosen[at * beams + row] = token;
    parents[at * beams + row] = from[row];
    ++row;
  }
}

/* Passes after the prompt's; its candidates are in `choices`. */
static void generate(int64_t *choices, float *scores) {
  int64_t from[MAX_BEAMS], ids[MAX_BEAMS];
  float sums[MAX_BEAMS];
  choose(choices, scores, 0, sums, ids, from);
  for (int64_t i = 1; i < fresh; ++i) {
    pass(ids, i == 1 ? 1 : beams, 1, beams, prompt + i - 1, sums, scores,
         choices, from);
    choose(choices, scores, i, sums, ids, from);
  }
  for (int64_t i = fresh - 1, row = 0; i >= 0; --i) {
    sequence[i] = chosen[i * beams + row];
    row = parents[i * beams + row];
  }
}

static void call(void *state) {
  const char *what = state;
  if (strcmp(what, "steps") != 0)
    encode();
  int64_t choices[2 * MAX_BEAMS], from[] = {0};
  float sums[] = {0}, scores[2 * MAX_BEAMS];
  pass(prompt_ids, 1, prompt, 1, 0, sums, scores, choices, from);
  if (strcmp(what, "first") != 0)
    generate(choices, scores);
}

int main(int argc, char **argv) {
  if (argc != 14)
    fail("usage", "ort_encoded LIBRARY ENCODER STEP THREADS BEAMS LAYERS HEADS "
                  "DEPTH SOURCE VOCABULARY END WHAT MANIFEST");
  beams = atoi(argv[5]), layers = atoi(argv[6]), heads = atoi(argv[7]);
  depth = atoi(argv[8]), source = atoi(argv[9]);
  vocabulary = atoi(argv[10]), end = atoi(argv[11]);
  if (layers > MAX_LAYERS || beams > MAX_BEAMS)
    fail("usage", "too many layers or beams");
  static call_tensors tensors;
  read_tensors(argv[13], &tensors);
  encoder = ort_open(argv[1], argv[2], atoi(argv[4]));
  step = ort_open(argv[1], argv[3], atoi(argv[4]));
  name_tensors();
  for (int i = 0; i < tensors.num_inputs; ++i) {
    call_tensor *from = &tensors.inputs[i];
    if (strcmp(from->name, "prompt") == 0) {
      prompt_ids = from->data;
      prompt = from->dims[1];
      continue;
    }
    encoder_name = from->name;
    encoder_input =
        ort_tensor(&encoder, from->data, from->bytes, from->dims, from->rank,
                   strcmp(from->type, "float32") == 0 ? ORT_F32 : ORT_I64);
  }
  sequence = tensors.outputs[0].data;
  fresh = tensors.outputs[0].dims[0];
  chosen = memory(fresh * beams), parents = memory(fresh * beams);
  for (int64_t i = 0; i < 2 * layers; ++i) {
    cross[i] = memory(heads * source * depth);
    cross_values[i] = floats(cross[i], 1, heads, source, depth);
    for (int side = 0; side < 2; ++side)
      cache[side][i] = memory(beams * heads * (prompt + fresh) * depth);
  }
  encode();
  serve(&tensors, call, argv[12]);
}
