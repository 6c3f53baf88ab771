/* Whisper by whisper.cpp, called through its C API. Arguments: LIBRARY MODEL
 * THREADS BEAMS WHAT MANIFEST.
 *
 * The manifest has the inputs `features` [mels, frames], as the encoder reads
 * them, and `prompt` [length], and the outputs `logits` [vocabulary], which are
 * those after the prompt, and `sequences` [steps]. WHAT is measured: `first`,
 * the encoder and the prompt; `steps`, the prompt and the tokens that are
 * chosen after it; or all as `call`. The library offers a step of several beams
 * only inside of its own search: BEAMS tokens of one text have the same
 * products with weights and with the sound, fewer with earlier tokens, and
 * nothing is chosen. */
#include "caller.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct whisper_thing whisper_thing;

/* Larger than any version's; the first three fields are known. */
typedef struct context_params {
  bool use_gpu, flash_attn;
  int gpu_device;
  uint64_t words[32];
} context_params;

static struct {
  void (*log_set)(void (*)(int, const char *, void *), void *);
  context_params (*default_params)(void);
  whisper_thing *(*init)(const char *, context_params);
  int (*set_mel)(whisper_thing *, const float *, int, int);
  int (*encode)(whisper_thing *, int, int);
  int (*decode)(whisper_thing *, const int *, int, int, int);
  float *(*get_logits)(whisper_thing *);
} whisper;

static const struct {
  const char *name;
  void *to;
} functions[] = {
    {"whisper_log_set", &whisper.log_set},
    {"whisper_context_default_params", &whisper.default_params},
    {"whisper_init_from_file_with_params", &whisper.init},
    {"whisper_set_mel", &whisper.set_mel},
    {"whisper_encode", &whisper.encode},
    {"whisper_decode", &whisper.decode},
    {"whisper_get_logits", &whisper.get_logits},
};

static whisper_thing *context;
static int threads, beams, prompt[16], length, vocabulary;
static call_tensor *logits, *sequences;

static void quiet(int level, const char *text, void *state) {
  (void)level, (void)text, (void)state;
}

/* The library may be a module for Node, whose other functions are not there. */
static void load_functions(const char *path) {
  void *library = dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
  if (!library)
    fail(path, dlerror());
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
    void *found = dlsym(library, functions[i].name);
    if (!found)
      fail("no function", functions[i].name);
    *(void **)functions[i].to = found;
  }
}

static void decode(const int *ids, int count, int past) {
  if (whisper.decode(context, ids, count, past, threads) != 0)
    fail("whisper_decode", "failed");
}

static int best(const float *scores) {
  int found = 0;
  for (int i = 1; i < vocabulary; ++i)
    if (scores[i] > scores[found])
      found = i;
  return found;
}

/* Chooses `sequences` by steps after the prompt. */
static void generate(void) {
  int64_t *out = sequences->data, steps = sequences->dims[0];
  for (int64_t i = 0; i < steps; ++i) {
    int count = i == 0 ? length : beams, ids[16];
    const float *scores =
        whisper.get_logits(context) + (ptrdiff_t)(count - 1) * vocabulary;
    if (i == 0)
      memcpy(logits->data, scores, logits->bytes);
    out[i] = best(scores);
    for (int b = 0; b < beams; ++b)
      ids[b] = (int)out[i];
    if (i + 1 < steps)
      decode(ids, beams, length + (int)i);
  }
}

static void call(void *state) {
  const char *what = state;
  if (strcmp(what, "steps") != 0 && whisper.encode(context, 0, threads) != 0)
    fail("whisper_encode", "failed");
  decode(prompt, length, 0);
  if (strcmp(what, "first") != 0)
    generate();
}

int main(int argc, char **argv) {
  if (argc != 7)
    fail("usage", "whisper_caller LIBRARY MODEL THREADS BEAMS WHAT MANIFEST");
  static call_tensors tensors;
  read_tensors(argv[6], &tensors);
  threads = atoi(argv[3]), beams = atoi(argv[4]);
  const call_tensor *features = &tensors.inputs[0], *ids = &tensors.inputs[1];
  logits = &tensors.outputs[0], sequences = &tensors.outputs[1];
  vocabulary = (int)logits->dims[0], length = (int)ids->dims[0];
  if (length > 16 || beams > 16)
    fail("usage", "at most 16 beams and tokens of a prompt");
  for (int i = 0; i < length; ++i)
    prompt[i] = (int)((const int64_t *)ids->data)[i];
  load_functions(argv[1]);
  whisper.log_set(quiet, NULL);
  context_params params = whisper.default_params();
  if (!params.use_gpu || params.gpu_device != 0)
    fail("whisper.cpp", "unknown parameters of a context");
  params.use_gpu = false;
  context = whisper.init(argv[2], params);
  if (!context ||
      whisper.set_mel(context, features->data, (int)features->dims[1],
                      (int)features->dims[0]) != 0)
    fail(argv[2], "whisper.cpp cannot load it");
  call("first");
  serve(&tensors, call, argv[5]);
}
