/* A hand-written artifact: what the compiler would emit, in C. So the runtime
 * is tested without a compiler. HAND_ABI, HAND_FEATURES and HAND_EXTERNAL make
 * variants of it. */
#include <string.h>

#include "hand_model.h"
#include "runtime/tenon_abi.h"
#include "runtime/tenon_note.h"

#ifndef HAND_ABI
#define HAND_ABI TENON_ABI_VERSION
#endif
#ifndef HAND_FEATURES
#define HAND_FEATURES TENON_CPU_SSE42
#endif
#ifndef HAND_NAME
#define HAND_NAME "hand"
#endif

#define STATIC(n) {n, n, n, 1, ""}
#define NAMED(name, low, high, multiple) {-1, low, high, multiple, name}

static int cancelled(tenon_call *call) {
  if (!call->cancel || !__atomic_load_n(call->cancel, __ATOMIC_RELAXED))
    return 0;
  call->fault.code = TENON_FAULT_CANCELLED;
  return 1;
}

static void parallel(tenon_call *call, tenon_task_fn fn, void *args,
                     int64_t count) {
  if (count == 1 || !call->parallel)
    fn(args, 0, count);
  else
    call->parallel(call->pool, fn, args, count);
}

/* main: y[N,4] = (a * b) + w, through the arena. */
typedef struct {
  const float *a, *b;
  float *scratch;
} product_args;

static void product(void *argument, int64_t begin, int64_t end) {
  product_args *args = argument;
  for (int64_t i = begin * 4; i < end * 4; ++i)
    args->scratch[i] = args->a[i] * args->b[i];
}

/* Chooses a variant by the sizes, in plan and in run, as generated code does.
 * */
static void choose(tenon_call *call) {
  call->variant = call->input_dims[0][0] == 1 ? 1 : 0;
}

static int32_t main_plan(tenon_call *call) {
  choose(call);
  call->output_dims[0][0] = call->input_dims[0][0];
  call->output_dims[0][1] = 4;
  call->arena_bytes = (uint64_t)call->input_dims[0][0] * 16;
  return 0;
}

static int32_t main_run(tenon_call *call) {
  choose(call);
  int64_t rows = call->input_dims[0][0];
  const float *weights = call->weights;
  float *out = call->outputs[0];
  product_args args = {call->inputs[0], call->inputs[1], call->arena};
  parallel(call, product, &args, rows);
  if (cancelled(call))
    return 1;
  for (int64_t i = 0; i < rows * 4; ++i)
    out[i] = args.scratch[i] + weights[i % 4];
  return 0;
}

static const tenon_dim_desc rows4[] = {NAMED("N", 0, 8, 1), STATIC(4)};
static const tenon_tensor_desc main_inputs[] = {
    {"a", TENON_F32, 2, rows4, 0, 0}, {"b", TENON_F32, 2, rows4, 0, 0}};
static const tenon_tensor_desc main_outputs[] = {
    {"y", TENON_F32, 2, rows4, 0, 0}};

static const tenon_size_desc one_row[] = {{"N", 1}};
static const tenon_variant_desc main_variants[] = {{"N=1", one_row, 1, 0}};

/* pick: out[K] = data[index[K]]; an index outside the range is a fault. */
static int32_t pick_plan(tenon_call *call) {
  call->output_dims[0][0] = call->input_dims[1][0];
  call->arena_bytes = 0;
  return 0;
}

static int32_t pick_run(tenon_call *call) {
  const float *data = call->inputs[0];
  const int64_t *index = call->inputs[1];
  float *out = call->outputs[0];
  int64_t size = call->input_dims[0][0];
  for (int64_t i = 0; i < call->input_dims[1][0]; ++i)
    if (index[i] < 0 || index[i] >= size) {
      tenon_fault fault = {TENON_FAULT_INDEX, 0, index[i], 0, size - 1};
      call->fault = fault;
      return 1;
    }
  for (int64_t i = 0; i < call->input_dims[1][0]; ++i)
    out[i] = data[index[i]];
  return 0;
}

static const tenon_dim_desc even[] = {NAMED("M", 2, INT64_MAX, 2)};
static const tenon_dim_desc any[] = {NAMED("K", 0, INT64_MAX, 1)};
static const tenon_tensor_desc pick_inputs[] = {
    {"data", TENON_F32, 1, even, 0, 0}, {"index", TENON_I64, 1, any, 0, 0}};
static const tenon_tensor_desc pick_outputs[] = {
    {"picked", TENON_F32, 1, any, 0, 0}};
static const char *const pick_sites[] = {"node \"look\x1bup\" (Gather)"};

/* spin: counts to its input; cancellable at each step. */
static int32_t spin_plan(tenon_call *call) {
  call->arena_bytes = 0;
  return 0;
}

static int32_t spin_run(tenon_call *call) {
  int64_t steps = *(const int64_t *)call->inputs[0];
  volatile int64_t done = 0;
  while (done < steps) {
    if (cancelled(call))
      return 1;
    done = done + 1;
  }
  *(int64_t *)call->outputs[0] = done;
  return 0;
}

static const tenon_tensor_desc spin_inputs[] = {
    {"steps", TENON_I64, 0, NULL, 0, 0}};
static const tenon_tensor_desc spin_outputs[] = {
    {"done", TENON_I64, 0, NULL, 0, 0}};

/* nonzero: the indices of the nonzero elements, a bounded output. */
static int32_t nonzero_plan(tenon_call *call) {
  call->output_dims[0][0] = call->input_dims[0][0];
  call->arena_bytes = 0;
  return 0;
}

static int32_t nonzero_run(tenon_call *call) {
  const int32_t *in = call->inputs[0];
  int64_t *out = call->outputs[0], found = 0;
  for (int64_t i = 0; i < call->input_dims[0][0]; ++i)
    if (in[i])
      out[found++] = i;
  call->output_dims[0][0] = found;
  return 0;
}

static const tenon_dim_desc unnamed[] = {NAMED("", 0, INT64_MAX, 1)};
static const tenon_tensor_desc nonzero_inputs[] = {
    {"x", TENON_I32, 1, unnamed, 0, 0}};
static const tenon_tensor_desc nonzero_outputs[] = {
    {"at", TENON_I64, 1, unnamed, 1, 0}};

/* series: y[i] = 1/1 + 1/2 + ... of x[i], rounded at every step; in `loops`
 * parallel loops, some of them with a nested loop. */
typedef struct {
  tenon_call *call;
  const float *x;
  float *y;
  float scale;
} series_args;

static void series_inner(void *argument, int64_t begin, int64_t end) {
  series_args *args = argument;
  for (int64_t i = begin; i < end; ++i) {
    float sum = 0;
    for (int k = 1; k <= 100; ++k)
      sum += args->x[i] * args->scale / (float)k;
    args->y[i] = sum;
  }
}

static void series_nested(void *argument, int64_t begin, int64_t end) {
  series_args *args = argument;
  series_args half = *args;
  half.x += begin;
  half.y += begin;
  parallel(args->call, series_inner, &half, end - begin);
}

static int32_t series_plan(tenon_call *call) {
  call->output_dims[0][0] = call->input_dims[0][0];
  call->arena_bytes = (uint64_t)call->input_dims[0][0] * 4;
  return 0;
}

static int32_t series_run(tenon_call *call) {
  int64_t count = call->input_dims[0][0];
  series_args first = {call, call->inputs[0], call->arena, 1.0f / 3};
  series_args second = {call, call->arena, call->outputs[0], 1e-20f};
  parallel(call, series_inner, &first, count);
  if (cancelled(call))
    return 1;
  parallel(call, series_nested, &second, count);
  return 0;
}

static const tenon_tensor_desc series_inputs[] = {
    {"x", TENON_F32, 1, any, 0, 0}};
static const tenon_tensor_desc series_outputs[] = {
    {"y", TENON_F32, 1, any, 0, 0}};

/* hoard: uses an arena of the size that its input gives; returns the sum of
 * what it wrote. */
static int32_t hoard_plan(tenon_call *call) {
  int64_t bytes = *(const int64_t *)call->inputs[0];
  if (bytes < 0) {
    tenon_fault fault = {TENON_FAULT_SHAPE, 0, bytes, 0, INT64_MAX};
    call->fault = fault;
    return 1;
  }
  call->arena_bytes = (uint64_t)bytes;
  return 0;
}

static int32_t hoard_run(tenon_call *call) {
  int64_t sum = 0;
  unsigned char *arena = call->arena;
  if ((uintptr_t)arena % TENON_ARENA_ALIGNMENT != 0)
    return 1;
  for (uint64_t i = 0; i < call->arena_bytes; i += 4096) {
    arena[i] = 1;
    sum += arena[i];
  }
  *(int64_t *)call->outputs[0] = sum;
  return 0;
}

static const char *const hoard_sites[] = {"node \"grow\" (ConstantOfShape)"};

/* keep: adds its input to the state `total` in steps of one until it is
 * stopped, and the weights to the state `row`; returns the total. */
static int32_t keep_plan(tenon_call *call) {
  call->arena_bytes = 0;
  return 0;
}

static int32_t keep_run(tenon_call *call) {
  int64_t steps = *(const int64_t *)call->inputs[0];
  volatile int64_t *total = call->state;
  float *row = (float *)((char *)call->state + 64);
  if ((uintptr_t)call->state % TENON_STATE_ALIGNMENT != 0)
    return 1;
  for (int64_t i = 0; i < steps; ++i) {
    if (cancelled(call))
      return 1;
    *total += 1;
  }
  for (int i = 0; i < 4; ++i)
    row[i] += ((const float *)call->weights)[i];
  *(int64_t *)call->outputs[0] = *total;
  return 0;
}

/* blend: y[K] = x * steps * factor + the sum of `extra`; all inputs but x are
 * optional. The default of `allowed` has no elements. */
static int32_t blend_plan(tenon_call *call) {
  call->output_dims[0][0] = call->input_dims[0][0];
  call->arena_bytes = 0;
  return 0;
}

static int32_t blend_run(tenon_call *call) {
  const float *x = call->inputs[0], *factor = call->inputs[2];
  const int64_t *steps = call->inputs[1], *extra = call->inputs[3];
  float *y = call->outputs[0];
  int64_t sum = call->input_dims[4][0];
  for (int64_t i = 0; i < call->input_dims[3][0]; ++i)
    sum += extra[i];
  for (int64_t i = 0; i < call->input_dims[0][0]; ++i)
    y[i] = x[i] * (float)*steps * *factor + (float)sum;
  return 0;
}

static const tenon_dim_desc extra_dims[] = {NAMED("E", 0, 4, 1)};
static const tenon_dim_desc allowed_dims[] = {NAMED("A", 0, 4, 1), STATIC(2)};
static const int64_t extra_default_dims[] = {2};
static const int64_t allowed_default_dims[] = {0, 2};
static const int64_t steps_default = 3, extra_default[] = {5, 7};
static const _Alignas(8) float factor_default = 0.5f;
static const tenon_tensor_desc blend_inputs[] = {
    {"x", TENON_F32, 1, any, 0, 0, NULL, NULL, 0, {0}, {0}},
    {"steps",
     TENON_I64,
     0,
     NULL,
     0,
     TENON_INPUT_OPTIONAL | TENON_INPUT_RANGE,
     NULL,
     &steps_default,
     8,
     {.integer = 1},
     {.integer = 64}},
    {"factor",
     TENON_F32,
     0,
     NULL,
     0,
     TENON_INPUT_OPTIONAL | TENON_INPUT_RANGE,
     NULL,
     &factor_default,
     4,
     {.real = 0},
     {.real = 1}},
    {"extra",
     TENON_I64,
     1,
     extra_dims,
     0,
     TENON_INPUT_OPTIONAL | TENON_INPUT_RANGE,
     extra_default_dims,
     extra_default,
     16,
     {.integer = 0},
     {.integer = INT64_MAX}},
    {"allowed",
     TENON_BOOL,
     2,
     allowed_dims,
     0,
     TENON_INPUT_OPTIONAL,
     allowed_default_dims,
     NULL,
     0,
     {0},
     {0}}};

static const int64_t row_dims[] = {4};
static const tenon_state_desc states[] = {
    {"total", TENON_I64, 0, NULL, 0, 8, TENON_STATE_ZERO},
    {"row", TENON_F32, 1, row_dims, 64, 16, 0}};

static const tenon_function_desc functions[] = {
    {"main", 2, 1, main_inputs, main_outputs, main_plan, main_run, 0, 0, NULL,
     NULL, NULL, 0, 1, main_variants},
    {"pick", 2, 1, pick_inputs, pick_outputs, pick_plan, pick_run, 1, 0,
     pick_sites, NULL},
    {"spin", 1, 1, spin_inputs, spin_outputs, spin_plan, spin_run, 0, 0, NULL,
     NULL},
    {"nonzero", 1, 1, nonzero_inputs, nonzero_outputs, nonzero_plan,
     nonzero_run, 0, 0, NULL, NULL},
    {"series", 1, 1, series_inputs, series_outputs, series_plan, series_run, 0,
     0, NULL, NULL},
    {"hoard", 1, 1, spin_inputs, spin_outputs, hoard_plan, hoard_run, 1, 0,
     hoard_sites, NULL},
    {"keep", 1, 1, spin_inputs, spin_outputs, keep_plan, keep_run, 0, 0, NULL,
     NULL},
    {"blend", 5, 1, blend_inputs, series_outputs, blend_plan, blend_run, 0, 0,
     NULL, NULL},
};

/* Both versions share one code, which suffices to test the choice. */
static const tenon_version_desc versions[] = {
    {"tall", HAND_FEATURES | TENON_CPU_AVX, 2048, NULL},
    {"small", HAND_FEATURES, 0, NULL}};

#ifdef HAND_EXTERNAL
#define HAND_WEIGHTS NULL
#define HAND_WEIGHT_FILE "hand.safetensors"
#else
__attribute__((
    section(TENON_WEIGHTS_SECTION),
    aligned(TENON_WEIGHT_ALIGNMENT))) static const float weights[] = {
    0.5f, 1.0f, 1.5f, 2.0f};
#define HAND_WEIGHTS weights
#define HAND_WEIGHT_FILE NULL
#endif

__attribute__((visibility("default")))
const tenon_model_desc tenon_model_hand = {
    TENON_ABI_MAGIC,
    TENON_ABI_VERSION,
    sizeof(tenon_model_desc),
    HAND_NAME,
    "hand_model.c",
    "by hand",
    "x86_64-linux-gnu",
    HAND_FEATURES,
    HAND_WEIGHT_BYTES,
    HAND_WEIGHT_HASH,
    HAND_WEIGHTS,
    HAND_WEIGHT_FILE,
    sizeof functions / sizeof functions[0],
    sizeof states / sizeof states[0],
    functions,
    states,
    128,
    versions,
    sizeof versions / sizeof versions[0],
    0,
    NULL,
};

#ifndef HAND_NO_NOTE
static const struct __attribute__((packed)) {
  uint32_t name_bytes, desc_bytes, type;
  char name[8];
  uint32_t abi, flags;
  uint64_t file_bytes, hash, weights_offset, weights_bytes, features, source;
  char compiler[TENON_NOTE_COMPILER_BYTES];
  char symbol[20];
} note __attribute__((section(TENON_NOTE_SECTION), aligned(4), used)) = {
    6,
    108,
    TENON_NOTE_TYPE,
    TENON_NOTE_NAME,
    HAND_ABI,
    0,
    0,
    0,
    0,
    0,
    HAND_FEATURES,
    0,
    "by hand",
    "tenon_model_hand",
};
_Static_assert(sizeof note == TENON_NOTE_HEADER_BYTES + 108, "note's layout");
#endif
