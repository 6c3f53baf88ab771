/* Opening, describing and closing a model. Input is a path or a descriptor. The
 * opened model has valid tables, has its weights in memory and fits this host.
 * Otherwise the reason is in the caller's text. */
#include "model.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "caller.h"
#include "cpu.h"
#include "nvidia.h"
#include "xxh64.h"

static const struct {
  const char *name;
  size_t bytes;
} dtypes[] = {
    {"?", 0},   {"f32", 4}, {"f64", 8}, {"f16", 2},  {"bf16", 2},
    {"i8", 1},  {"i16", 2}, {"i32", 4}, {"i64", 8},  {"u8", 1},
    {"u16", 2}, {"u32", 4}, {"u64", 8}, {"bool", 1},
};

static int is_dtype(int32_t dtype) {
  return dtype >= TENON_F32 && dtype <= TENON_BOOL;
}

uint32_t tenon_abi_version(void) { return TENON_ABI_VERSION; }

const char *tenon_dtype_name(int32_t dtype) {
  return dtypes[is_dtype(dtype) ? dtype : 0].name;
}

size_t tenon_dtype_bytes(int32_t dtype) {
  return dtypes[is_dtype(dtype) ? dtype : 0].bytes;
}

const char *tenon_status_name(tenon_status status) {
  switch (status) {
  case TENON_OK:
    return "success";
  case TENON_FAILED:
    return "failed";
  case TENON_USAGE:
    return "wrong usage";
  case TENON_INVALID:
    return "invalid file";
  case TENON_UNSUPPORTED:
    return "unsupported";
  case TENON_LIMIT:
    return "limit hit";
  case TENON_IO:
    return "input or output failed";
  case TENON_BAD_ARTIFACT:
    return "bad artifact";
  case TENON_BAD_INPUT:
    return "bad input";
  case TENON_DIFFERS:
    return "results differ";
  case TENON_CANCELLED:
    return "cancelled";
  case TENON_NO_DEVICE:
    return "no such device";
  case TENON_INTERNAL:
    return "internal error";
  }
  return "unknown status";
}

uint64_t tenon_dense_bytes(int32_t dtype, int32_t rank, const int64_t *dims,
                           int *overflow) {
  uint64_t span = 1, bytes;
  int empty = 0;
  *overflow = 0;
  for (int32_t i = 0; i < rank; ++i)
    if (dims[i] == 0)
      empty = 1;
    else if (__builtin_mul_overflow(span, (uint64_t)dims[i], &span) ||
             span > TENON_MAX_SPAN)
      *overflow = 1;
  if (*overflow || empty)
    return 0;
  if (__builtin_mul_overflow(span, tenon_dtype_bytes(dtype), &bytes) ||
      bytes > INT64_MAX)
    *overflow = 1;
  return *overflow ? 0 : bytes;
}

static tenon_status malformed(tenon_text *text, const char *what) {
  tenon_text_add(text, "its descriptor is malformed: %s", what);
  return TENON_BAD_ARTIFACT;
}

static int check_tensor(const tenon_tensor_desc *tensor) {
  if (!tensor->name || !is_dtype(tensor->dtype) || tensor->rank < 0 ||
      tensor->rank > TENON_MAX_RANK || (tensor->rank > 0 && !tensor->dims))
    return 0;
  for (int32_t i = 0; i < tensor->rank; ++i) {
    const tenon_dim_desc *dim = &tensor->dims[i];
    int is_static = dim->size >= 0;
    if (!dim->name || dim->size < -1 || dim->multiple < 1 || dim->min < 0 ||
        dim->max < dim->min ||
        (is_static && (dim->min != dim->size || dim->max != dim->size)))
      return 0;
  }
  return 1;
}

/* Numbers the dynamic extents of the inputs: extents with equal names get equal
 * numbers. Uses a hash table. */
static int number_symbols(tenon_function *function) {
  const tenon_function_desc *desc = function->desc;
  size_t room = 16;
  while (room < 2 * (size_t)function->num_input_dims)
    room *= 2;
  const char **names = calloc(room, sizeof *names);
  int32_t *numbers = calloc(room, sizeof *numbers);
  function->symbols =
      calloc((size_t)function->num_input_dims + 1, sizeof *function->symbols);
  int done = names && numbers && function->symbols;
  int32_t *symbol = function->symbols;
  for (int32_t i = 0; done && i < desc->num_inputs; ++i)
    for (int32_t d = 0; d < desc->inputs[i].rank; ++d, ++symbol) {
      const tenon_dim_desc *dim = &desc->inputs[i].dims[d];
      *symbol = -1;
      if (dim->size >= 0 || !*dim->name)
        continue;
      size_t slot = tenon_xxh64_of(dim->name, strlen(dim->name)) & (room - 1);
      while (names[slot] && strcmp(names[slot], dim->name) != 0)
        slot = (slot + 1) & (room - 1);
      if (!names[slot]) {
        names[slot] = dim->name;
        numbers[slot] = function->num_symbols++;
      }
      *symbol = numbers[slot];
    }
  free(names);
  free(numbers);
  return done;
}

static int check_variants(const tenon_function_desc *desc) {
  if (desc->num_variants < 0 || (desc->num_variants > 0 && !desc->variants))
    return 0;
  for (int32_t i = 0; i < desc->num_variants; ++i) {
    const tenon_variant_desc *variant = &desc->variants[i];
    if (!variant->name || variant->num_sizes < 1 || !variant->sizes)
      return 0;
    for (int32_t s = 0; s < variant->num_sizes; ++s)
      if (!variant->sizes[s].dim || variant->sizes[s].size < 0)
        return 0;
  }
  return 1;
}

static tenon_status prepare_function(tenon_function *function,
                                     const tenon_function_desc *desc,
                                     tenon_text *text) {
  if (!desc->name || !desc->plan || !desc->run || desc->num_inputs < 0 ||
      desc->num_outputs < 0 || desc->num_sites < 0 || desc->num_kernels < 0 ||
      desc->num_launches < 0 || (desc->num_inputs > 0 && !desc->inputs) ||
      (desc->num_outputs > 0 && !desc->outputs) ||
      (desc->num_sites > 0 && !desc->sites) ||
      (desc->num_kernels > 0 && !desc->kernels) ||
      (desc->num_launches > 0 && !desc->launches))
    return malformed(text, "a function is incomplete");
  if (!check_variants(desc))
    return malformed(text, "a variant is not as it must be");
  function->desc = desc;
  for (int32_t i = 0; i < desc->num_inputs; ++i) {
    if (!check_tensor(&desc->inputs[i]) ||
        !tenon_input_is_sane(&desc->inputs[i]))
      return malformed(text, "an input is not as it must be");
    function->num_input_dims += desc->inputs[i].rank;
  }
  for (int32_t i = 0; i < desc->num_outputs; ++i) {
    if (!check_tensor(&desc->outputs[i]) || desc->outputs[i].flags != 0)
      return malformed(text, "an output is not as it must be");
    function->num_output_dims += desc->outputs[i].rank;
  }
  function->calls =
      calloc(1 + (size_t)desc->num_variants, sizeof *function->calls);
  if (function->calls && number_symbols(function))
    return TENON_OK;
  tenon_text_add(text, "out of memory");
  return TENON_LIMIT;
}

tenon_status tenon_model_prepare(tenon_model *model, tenon_text *text) {
  const tenon_model_desc *desc = model->desc;
  if (desc->magic != TENON_ABI_MAGIC)
    return malformed(text, "wrong magic number");
  if (desc->abi_version != TENON_ABI_VERSION) {
    tenon_text_add(text, "needs runtime ABI %u, this runtime has ABI %u",
                   desc->abi_version, TENON_ABI_VERSION);
    return TENON_BAD_ARTIFACT;
  }
  if (desc->struct_size != sizeof *desc || !desc->name || !desc->source ||
      !desc->compiler || !desc->target || desc->num_functions < 1 ||
      !desc->functions)
    return malformed(text, "it is incomplete");
  if (!tenon_versions_are_sane(desc))
    return malformed(text, "its versions are not as they must be");
  if (!tenon_states_are_sane(desc))
    return malformed(text, "a state is not as it must be");
  model->functions =
      calloc((size_t)desc->num_functions, sizeof *model->functions);
  if (!model->functions) {
    tenon_text_add(text, "out of memory");
    return TENON_LIMIT;
  }
  for (int32_t i = 0; i < desc->num_functions; ++i) {
    tenon_status status =
        prepare_function(&model->functions[i], &desc->functions[i], text);
    if (status != TENON_OK)
      return status;
  }
  return TENON_OK;
}

static void free_model(tenon_model *model) {
  /* The loader initializes pool and watchdog together. */
  if (model->watchdog_ready) {
    tenon_pool_destroy(&model->pool);
    tenon_watchdog_destroy(&model->watchdog);
  }
  for (int32_t i = 0; model->functions && i < model->desc->num_functions; ++i) {
    free(model->functions[i].symbols);
    free((void *)model->functions[i].calls);
  }
  free(model->functions);
  tenon_gpu_close(model->gpu);
  tenon_free_weights(&model->weights);
  if (model->library)
    dlclose(model->library);
  free(model->path);
  free(model);
}

/* Chooses the version, and brings the weights and a device's kernels to the
 * memory where they are used. */
static tenon_status bring_in(tenon_model *model,
                             const tenon_open_options *options,
                             tenon_text *text) {
  int32_t ordinal;
  tenon_status status = tenon_choose_version(model, options, &ordinal, text);
  if (status != TENON_OK)
    return status;
  if (ordinal < 0)
    return tenon_load_weights(model, options, text);
  /* The weights are copied to the device, so they are not copied before unless
   * the caller wants it. */
  tenon_open_options mapped = *options;
  if (mapped.weights_mode == TENON_WEIGHTS_AUTO)
    mapped.weights_mode = TENON_WEIGHTS_MAP;
  status = tenon_gpu_open(&model->gpu,
                          model->desc->versions[model->version - 1].device,
                          ordinal, text);
  if (status == TENON_OK)
    status = tenon_load_weights(model, &mapped, text);
  if (status == TENON_OK)
    status = tenon_gpu_upload(model->gpu, model->weights.data,
                              model->desc->weight_bytes, text);
  return status;
}

static tenon_status fill_model(tenon_model *model, const char *path,
                               const tenon_open_options *options,
                               tenon_text *text) {
  tenon_status status = TENON_OK;
  if (path) {
    model->path = realpath(path, NULL);
    if (!model->path) {
      tenon_text_add(text, "cannot open: %s", strerror(errno));
      return errno == ENOMEM ? TENON_LIMIT : TENON_IO;
    }
    status = tenon_load_artifact(model, options, text);
  }
  if (status == TENON_OK)
    status = tenon_model_prepare(model, text);
  if (status != TENON_OK || options->describe_only)
    return status;
  status = bring_in(model, options, text);
  if (status != TENON_OK)
    return status;
  model->host_parallel = options->parallel;
  model->host_pool = options->parallel_pool;
  if (tenon_watchdog_init(&model->watchdog) != 0) {
    tenon_text_add(text, "out of memory");
    return TENON_LIMIT;
  }
  tenon_pool_init(&model->pool, options->parallel ? 1 : options->threads);
  model->watchdog_ready = 1;
  return TENON_OK;
}

static tenon_status open_model(const char *path, const tenon_model_desc *desc,
                               const tenon_open_options *given,
                               tenon_model **result) {
  tenon_open_options options;
  tenon_text text;
  tenon_status status = TENON_OK;
  if (!result)
    return TENON_BAD_INPUT;
  *result = NULL;
  if (!tenon_read_options(&options, sizeof options, sizeof options, given))
    return TENON_BAD_INPUT; /* with a wrong struct_size the text field is not
                               valid either */
  tenon_text_clear(&text);
  tenon_model *model = NULL;
  if ((!path && !desc) || options.threads < 0 || options.weights_mode < 0 ||
      options.weights_mode > TENON_WEIGHTS_MAP) {
    tenon_text_add(&text, !path && !desc        ? "no artifact is given"
                          : options.threads < 0 ? "threads is negative"
                                                : "unknown weights_mode");
    status = TENON_BAD_INPUT;
  } else if (!(model = aligned_alloc(64, sizeof *model))) {
    tenon_text_add(&text, "out of memory");
    status = TENON_LIMIT;
  } else {
    *model =
        (tenon_model){.desc = desc, .describe_only = options.describe_only};
    status = fill_model(model, path, &options, &text);
    if (status != TENON_OK) {
      free_model(model);
      model = NULL;
    }
  }
  tenon_give_text(options.error_text, options.error_text_bytes, text.bytes);
  *result = model;
  return status;
}

tenon_status tenon_open(const char *path, const tenon_open_options *options,
                        tenon_model **model) {
  return open_model(path, NULL, options, model);
}

tenon_status tenon_open_desc(const tenon_model_desc *desc,
                             const tenon_open_options *options,
                             tenon_model **model) {
  return open_model(NULL, desc, options, model);
}

tenon_status tenon_close(tenon_model *model) {
  if (!model)
    return TENON_OK;
  if (atomic_load(&model->contexts) != 0)
    return TENON_BAD_INPUT;
  free_model(model);
  return TENON_OK;
}

const tenon_model_desc *tenon_describe(const tenon_model *model) {
  return model ? model->desc : NULL;
}

const tenon_function_desc *tenon_find_function(const tenon_model *model,
                                               const char *name) {
  for (int32_t i = 0; model && i < model->desc->num_functions; ++i)
    if (!name || strcmp(model->desc->functions[i].name, name) == 0)
      return &model->desc->functions[i];
  return NULL;
}

tenon_status tenon_get_calls(const tenon_model *model, const char *function,
                             uint64_t *calls, size_t count) {
  const tenon_function_desc *desc = tenon_find_function(model, function);
  if (!desc || !calls || count != 1 + (size_t)desc->num_variants)
    return TENON_BAD_INPUT;
  const tenon_function *known =
      &model->functions[desc - model->desc->functions];
  for (size_t i = 0; i < count; ++i)
    calls[i] = atomic_load_explicit(&known->calls[i], memory_order_relaxed);
  return TENON_OK;
}

tenon_status tenon_get_model_info(const tenon_model *model,
                                  tenon_model_info *info) {
  if (!model || !info ||
      info->struct_size < offsetof(tenon_model_info, version))
    return TENON_BAD_INPUT;
  info->path = model->path;
  info->weights_path = model->weights.path;
  info->weight_bytes = model->desc->weight_bytes;
  info->artifact_hash = model->artifact_hash;
  info->cpu_features = model->desc->cpu_features;
  info->threads = model->pool.wanted + 1;
  info->weights_copied = model->weights.copied;
  if (info->struct_size >= offsetof(tenon_model_info, device))
    info->version =
        model->version ? model->desc->versions[model->version - 1].name : NULL;
  if (info->struct_size >= sizeof *info)
    info->device = model->gpu ? model->gpu->name : NULL;
  return TENON_OK;
}
