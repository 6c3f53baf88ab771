/* The sizes of a call, and the context that holds them. A context is kept while
 * it is large enough: then it keeps its values and its memory. */
#include "generator.h"

/* What the library of Hugging Face makes if neither length is given. */
enum { DEFAULT_NEW_TOKENS = 20 };

static tenon_status too_many(tenon_generator *generator, const char *what,
                             int64_t got, int32_t extent) {
  tenon_text_add(
      &generator->text, "the call needs %lld %s, the model allows up to %lld",
      (long long)got, what, (long long)generator->desc->extents[extent].most);
  return TENON_BAD_INPUT;
}

/* Positions of the prompt and all new ids, at most those of the model: there
 * the text ends. */
static int64_t positions_of(const tenon_generator *generator, int64_t columns) {
  int64_t most = generator->desc->extents[generator->entries.positions].most;
  int64_t tokens = tenon_option_value(generator, "max_new_tokens", -1);
  int64_t length = tenon_option_value(generator, "max_length", -1);
  int64_t end;
  if (tokens < 0 && length >= 0)
    end = length > columns ? length : columns;
  else if (__builtin_add_overflow(
               columns, tokens < 0 ? DEFAULT_NEW_TOKENS : tokens, &end))
    end = most;
  return end < most ? end : most;
}

/* The columns of `count` prompts, at most the extent `extent`. */
static tenon_status columns_of(tenon_generator *generator, const char *what,
                               const tenon_prompt *prompts, size_t count,
                               int32_t extent, size_t *columns) {
  *columns = 0;
  for (size_t i = 0; i < count; ++i) {
    if (prompts[i].count == 0 || !prompts[i].ids) {
      tenon_text_add(&generator->text, "%s %zu has no ids", what, i);
      return TENON_BAD_INPUT;
    }
    if (prompts[i].count > *columns)
      *columns = prompts[i].count;
  }
  if (*columns <= (size_t)generator->desc->extents[extent].most)
    return TENON_OK;
  return too_many(generator,
                  extent == generator->entries.positions ? "positions"
                                                         : "encoder positions",
                  *columns < INT64_MAX ? (int64_t)*columns : INT64_MAX, extent);
}

static tenon_status size_prompts(tenon_generator *generator,
                                 const tenon_generation *call,
                                 tenon_call_sizes *sizes) {
  const tenon_entries *entries = &generator->entries;
  if (!tenon_has_encoder(generator)) {
    if (!call->decoder_prompts)
      return columns_of(generator, "prompt", call->prompts, call->num_prompts,
                        entries->positions, &sizes->columns);
    tenon_text_add(&generator->text,
                   "decoder_prompts: the model has no encoder");
    return TENON_UNSUPPORTED;
  }
  size_t columns;
  tenon_status status =
      columns_of(generator, "prompt", call->prompts, call->num_prompts,
                 entries->encoder_positions, &columns);
  sizes->encoder_positions = (int64_t)columns;
  sizes->items = (int64_t)call->num_prompts;
  sizes->columns = 1;
  if (status == TENON_OK && call->decoder_prompts)
    status = columns_of(generator, "decoder prompt", call->decoder_prompts,
                        call->num_prompts, entries->positions, &sizes->columns);
  return status;
}

/* The candidates of each prompt in contrastive search, which the model chooses
 * by its options; 0: it does not. */
static int64_t candidates(const tenon_generator *generator) {
  int64_t most = tenon_option_value(generator, "top_k", 0);
  int64_t vocabulary = generator->entries.vocabulary;
  if (generator->entries.contrast_prompts < 0 || most <= 1 ||
      !tenon_option_is_off(generator, "do_sample") ||
      !(tenon_option_number(generator, "penalty_alpha", 0) > 0))
    return 0;
  return vocabulary > 0 && vocabulary < most ? vocabulary : most;
}

tenon_status tenon_size_call(tenon_generator *generator,
                             const tenon_generation *call,
                             tenon_call_sizes *sizes) {
  const tenon_entries *entries = &generator->entries;
  if (!call->prompts || call->num_prompts == 0) {
    tenon_text_add(&generator->text, "no prompt is given");
    return TENON_BAD_INPUT;
  }
  if (call->timeout_ns < 0) {
    tenon_text_add(&generator->text, "timeout_ns is negative");
    return TENON_BAD_INPUT;
  }
  *sizes = (tenon_call_sizes){.prompts = call->num_prompts};
  tenon_status status = size_prompts(generator, call, sizes);
  if (status != TENON_OK)
    return status;
  int64_t beams = tenon_option_value(generator, "num_beams", 1);
  int64_t returned = tenon_option_value(generator, "num_return_sequences", 1);
  /* The model refuses numbers below one. */
  beams = beams < 1 ? 1 : beams;
  returned = returned < 1 ? 1 : returned;
  int64_t tried = candidates(generator);
  int64_t wide = tried > 0 ? tried : beams > returned ? beams : returned;
  int64_t most_rows = generator->desc->extents[entries->rows].most;
  if (call->num_prompts > (size_t)most_rows ||
      wide > most_rows / (int64_t)call->num_prompts) {
    int64_t rows;
    if (__builtin_mul_overflow(call->num_prompts, wide, &rows))
      rows = INT64_MAX;
    return too_many(generator,
                    tried > 0 ? "rows, for prompts times candidates of each"
                              : "rows, for prompts times sequences of each",
                    rows, entries->rows);
  }
  sizes->rows = (int64_t)call->num_prompts * wide;
  sizes->sequences = call->num_prompts * (size_t)returned;
  sizes->positions = positions_of(generator, (int64_t)sizes->columns);
  sizes->contrast_prompts = tried > 0 ? (int64_t)call->num_prompts : 0;
  sizes->is_search = beams > 1 && tried == 0;
  sizes->is_plain = wide == 1 || tried > 0;
  return TENON_OK;
}

/* The size of an extent for a call that needs `needed`, in a context that had
 * `had`. A growing extent at least doubles, so that a series of growing calls
 * replaces its context rarely. */
static int64_t grow(const tenon_extent_desc *extent, int64_t needed,
                    int64_t had, int64_t least) {
  int64_t size = needed > had ? needed : had;
  if (needed > had && had > 0 && had <= extent->most / 2 && size < 2 * had)
    size = 2 * had;
  size = size < least ? least : size;
  size = size < extent->least ? extent->least : size;
  return size < extent->most ? size : extent->most;
}

/* The sizes of a context that a call needs, or that one has. */
typedef struct {
  int64_t rows, positions, items, encoder_positions, contrast_prompts;
} context_sizes;

static context_sizes sizes_of(const tenon_generator *generator) {
  return (context_sizes){generator->rows, generator->positions,
                         generator->items, generator->encoder_positions,
                         generator->contrast_prompts};
}

static void set_sizes(tenon_generator *generator, context_sizes sizes) {
  generator->rows = sizes.rows;
  generator->positions = sizes.positions;
  generator->items = sizes.items;
  generator->encoder_positions = sizes.encoder_positions;
  generator->contrast_prompts = sizes.contrast_prompts;
}

static int fits(const tenon_generator *generator,
                const tenon_call_sizes *sizes) {
  return generator->rows >= sizes->rows &&
         generator->positions >= sizes->positions &&
         generator->items >= sizes->items &&
         generator->encoder_positions >= sizes->encoder_positions &&
         generator->contrast_prompts >= sizes->contrast_prompts;
}

static tenon_status make_context(tenon_generator *generator,
                                 const tenon_call_sizes *sizes,
                                 context_sizes had) {
  const tenon_extent_desc *extents = generator->desc->extents;
  const tenon_entries *entries = &generator->entries;
  context_sizes made = {grow(&extents[entries->rows], sizes->rows, had.rows,
                             generator->least_rows),
                        grow(&extents[entries->positions], sizes->positions,
                             had.positions, generator->least_positions),
                        0, 0, 0};
  if (tenon_has_encoder(generator)) {
    made.items = grow(&extents[entries->items], sizes->items, had.items, 1);
    made.encoder_positions =
        grow(&extents[entries->encoder_positions], sizes->encoder_positions,
             had.encoder_positions, 1);
  }
  tenon_extent chosen[5] = {{"rows", made.rows},
                            {"positions", made.positions},
                            {"items", made.items},
                            {"encoder_positions", made.encoder_positions}};
  size_t count = tenon_has_encoder(generator) ? 4 : 2;
  if (entries->contrast_prompts >= 0) {
    made.contrast_prompts =
        grow(&extents[entries->contrast_prompts], sizes->contrast_prompts,
             had.contrast_prompts, 0);
    chosen[count++] = (tenon_extent){"contrast_prompts", made.contrast_prompts};
  }
  tenon_hold_nothing(generator);
  tenon_text_clear(&generator->text);
  tenon_context_options options = {.struct_size = sizeof options,
                                   .error_text = generator->text.bytes,
                                   .error_text_bytes =
                                       sizeof generator->text.bytes,
                                   .memory_limit = generator->memory_limit,
                                   .extents = chosen,
                                   .num_extents = count};
  /* The old one is freed first: both together may not fit into memory. */
  tenon_context_destroy(generator->context);
  tenon_status status =
      tenon_context_create(generator->model, &options, &generator->context);
  set_sizes(generator, status == TENON_OK ? made : (context_sizes){0});
  return status;
}

tenon_status tenon_fit_context(tenon_generator *generator,
                               const tenon_call_sizes *sizes) {
  if (fits(generator, sizes))
    return TENON_OK;
  context_sizes had = sizes_of(generator);
  tenon_status status = make_context(generator, sizes, had);
  /* The call itself may need less than a context that grows. */
  if (status == TENON_LIMIT && had.rows > 0)
    status = make_context(generator, sizes, (context_sizes){0});
  return status;
}

int tenon_shrink_context(tenon_generator *generator,
                         const tenon_call_sizes *sizes) {
  context_sizes had = sizes_of(generator);
  if (had.rows <= sizes->rows && had.positions <= sizes->positions &&
      had.items <= sizes->items &&
      had.encoder_positions <= sizes->encoder_positions &&
      had.contrast_prompts <= sizes->contrast_prompts)
    return 0;
  tenon_text why = generator->text;
  tenon_status status = make_context(generator, sizes, (context_sizes){0});
  if (status == TENON_OK &&
      (generator->rows < had.rows || generator->positions < had.positions ||
       generator->items < had.items ||
       generator->encoder_positions < had.encoder_positions ||
       generator->contrast_prompts < had.contrast_prompts))
    return 1;
  generator->text = why;
  return 0;
}
