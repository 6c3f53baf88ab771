/* Greedy generation by llama.cpp, called through its C API. Arguments: FOLDER
 * (of its libraries) LIBRARY MODEL THREADS VOCABULARY.
 *
 * The npm package has no header. Structs of parameters are therefore taken
 * larger than any version's, and only the first four fields of a context's are
 * set, after their default values were recognized. */
#include "generator.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct llama_thing llama_thing;

typedef struct model_params {
  uint64_t words[64];
} model_params;

typedef struct context_params {
  uint32_t n_ctx, n_batch, n_ubatch, n_seq_max;
  uint64_t words[64];
} context_params;

typedef struct batch {
  int32_t n_tokens;
  int32_t *token;
  float *embd;
  int32_t *pos;
  int32_t *n_seq_id;
  int32_t **seq_id;
  int8_t *logits;
} batch;

static struct {
  void (*backend_init)(void);
  void (*load_all_from_path)(const char *);
  void (*log_set)(void (*)(int, const char *, void *), void *);
  model_params (*model_default_params)(void);
  llama_thing *(*model_load_from_file)(const char *, model_params);
  context_params (*context_default_params)(void);
  llama_thing *(*init_from_model)(llama_thing *, context_params);
  void (*free)(llama_thing *);
  void (*set_n_threads)(llama_thing *, int32_t, int32_t);
  llama_thing *(*get_memory)(llama_thing *);
  void (*memory_clear)(llama_thing *, bool);
  batch (*batch_init)(int32_t, int32_t, int32_t);
  void (*batch_free)(batch);
  int32_t (*decode)(llama_thing *, batch);
  float *(*get_logits_ith)(llama_thing *, int32_t);
} llama;

static const struct {
  const char *name;
  void *to;
} functions[] = {
    {"llama_backend_init", &llama.backend_init},
    {"ggml_backend_load_all_from_path", &llama.load_all_from_path},
    {"llama_log_set", &llama.log_set},
    {"llama_model_default_params", &llama.model_default_params},
    {"llama_model_load_from_file", &llama.model_load_from_file},
    {"llama_context_default_params", &llama.context_default_params},
    {"llama_init_from_model", &llama.init_from_model},
    {"llama_free", &llama.free},
    {"llama_set_n_threads", &llama.set_n_threads},
    {"llama_get_memory", &llama.get_memory},
    {"llama_memory_clear", &llama.memory_clear},
    {"llama_batch_init", &llama.batch_init},
    {"llama_batch_free", &llama.batch_free},
    {"llama_decode", &llama.decode},
    {"llama_get_logits_ith", &llama.get_logits_ith},
};

static llama_thing *model, *context;
static int threads;
static int64_t vocabulary;
static const prompt *given;
static greedy chosen;
static batch whole, one;

static void quiet(int level, const char *text, void *state) {
  (void)level, (void)text, (void)state;
}

static void load_functions(const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  if (!library)
    generator_fail(path, dlerror());
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
    void *found = dlsym(library, functions[i].name);
    if (!found)
      generator_fail(path, functions[i].name);
    *(void **)functions[i].to = found;
  }
}

static void put(batch *to, int64_t row, int64_t id, int64_t at, bool scored) {
  int32_t i = to->n_tokens++;
  to->token[i] = (int32_t)id;
  to->pos[i] = (int32_t)at;
  to->n_seq_id[i] = 1;
  to->seq_id[i][0] = (int32_t)row;
  to->logits[i] = scored;
}

static void prepare(const prompt *of) {
  if (given) {
    llama.free(context);
    llama.batch_free(whole);
    llama.batch_free(one);
  }
  given = of;
  context_params params = llama.context_default_params();
  if (params.n_ctx != 512 || params.n_batch != 2048 || params.n_ubatch != 512 ||
      params.n_seq_max != 1)
    generator_fail("llama.cpp", "unknown parameters of a context");
  int64_t each = (of->seq + of->fresh + 255) / 256 * 256;
  params.n_ctx = (uint32_t)(of->rows * each);
  params.n_batch = params.n_ctx;
  params.n_seq_max = (uint32_t)of->rows;
  context = llama.init_from_model(model, params);
  if (!context)
    generator_fail("llama.cpp", "no context");
  llama.set_n_threads(context, threads, threads);
  whole = llama.batch_init((int32_t)(of->rows * of->seq), 0, 1);
  one = llama.batch_init((int32_t)of->rows, 0, 1);
  whole.n_tokens = 0;
  for (int64_t r = 0; r < of->rows; ++r)
    for (int64_t i = of->seq - of->lengths[r]; i < of->seq; ++i)
      put(&whole, r, of->ids[r * of->seq + i], i - of->seq + of->lengths[r],
          i + 1 == of->seq);
}

/* Scores of row r are after the last token of `from` that belongs to it. */
static void run(batch *from) {
  if (llama.decode(context, *from) != 0)
    generator_fail("llama_decode", "failed");
  int64_t step = chosen.made, row = 0;
  int32_t count = from->n_tokens;
  one.n_tokens = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (!from->logits[i])
      continue;
    int64_t id = greedy_choose(&chosen, row, llama.get_logits_ith(context, i),
                               vocabulary);
    put(&one, row, id, given->lengths[row] + step, true);
    ++row;
  }
}

static void begin(void) {
  llama.memory_clear(llama.get_memory(context), true);
  greedy_reset(&chosen, given);
  run(&whole);
}

static void advance(int64_t steps) {
  for (int64_t i = 0; i < steps; ++i)
    run(&one);
}

static void tokens(int64_t *out) { greedy_tokens(&chosen, out); }

int main(int argc, char **argv) {
  if (argc != 6)
    generator_fail("usage", "llama_generator FOLDER LIBRARY MODEL THREADS "
                            "VOCABULARY");
  threads = atoi(argv[4]);
  vocabulary = atoi(argv[5]);
  load_functions(argv[2]);
  llama.log_set(quiet, NULL);
  llama.load_all_from_path(argv[1]);
  llama.backend_init();
  model = llama.model_load_from_file(argv[3], llama.model_default_params());
  if (!model)
    generator_fail(argv[3], "llama.cpp cannot load it");
  generator_serve(&(generator){prepare, begin, advance, tokens});
}
