/* A matrix product by oneDNN, called from C. Argument: MANIFEST. Inputs x[M,K]
 * and w[K,N], output y[M,N].
 *
 * The weights are converted to oneDNN's preferred layout before the
 * measurement, as a program with constant weights does. */
#include "caller.h"

#include <dnnl.h>

static dnnl_engine_t engine;
static dnnl_stream_t stream;
static dnnl_primitive_t product;
static dnnl_exec_arg_t arguments[3];

static void check(dnnl_status_t status, const char *what) {
  if (status != dnnl_success)
    fail(what, "failed");
}

static dnnl_memory_t memory_of(const dnnl_memory_desc_t *layout, void *data) {
  dnnl_memory_t memory;
  check(dnnl_memory_create(&memory, layout, engine, data), "dnnl_memory");
  return memory;
}

/* Converts `weights` from the plain layout to the layout `wanted`. */
static dnnl_memory_t reordered(const call_tensor *weights,
                               const dnnl_memory_desc_t *plain,
                               const dnnl_memory_desc_t *wanted) {
  dnnl_memory_t from = memory_of(plain, weights->data),
                to = memory_of(wanted, DNNL_MEMORY_ALLOCATE);
  dnnl_primitive_desc_t description;
  dnnl_primitive_t reorder;
  check(dnnl_reorder_primitive_desc_create(&description, plain, engine, wanted,
                                           engine, NULL),
        "dnnl_reorder");
  check(dnnl_primitive_create(&reorder, description), "dnnl_reorder");
  dnnl_exec_arg_t ends[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
  check(dnnl_primitive_execute(reorder, stream, 2, ends), "dnnl_reorder");
  check(dnnl_stream_wait(stream), "dnnl_reorder");
  return to;
}

static void call(void *state) {
  (void)state;
  check(dnnl_primitive_execute(product, stream, 3, arguments), "dnnl_matmul");
  check(dnnl_stream_wait(stream), "dnnl_matmul");
}

int main(int argc, char **argv) {
  if (argc != 2)
    fail("usage", "dnnl_caller MANIFEST");
  static call_tensors tensors;
  read_tensors(argv[1], &tensors);
  const call_tensor *x = &tensors.inputs[0], *w = &tensors.inputs[1],
                    *y = &tensors.outputs[0];
  check(dnnl_engine_create(&engine, dnnl_cpu, 0), "dnnl_engine");
  check(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags),
        "dnnl_stream");
  dnnl_memory_desc_t x_layout, w_plain, w_any, y_layout;
  check(dnnl_memory_desc_init_by_tag(&x_layout, 2, x->dims, dnnl_f32, dnnl_ab),
        "x");
  check(dnnl_memory_desc_init_by_tag(&w_plain, 2, w->dims, dnnl_f32, dnnl_ab),
        "w");
  check(dnnl_memory_desc_init_by_tag(&w_any, 2, w->dims, dnnl_f32,
                                     dnnl_format_tag_any),
        "w");
  check(dnnl_memory_desc_init_by_tag(&y_layout, 2, y->dims, dnnl_f32, dnnl_ab),
        "y");
  dnnl_matmul_desc_t wanted;
  dnnl_primitive_desc_t description;
  check(dnnl_matmul_desc_init(&wanted, &x_layout, &w_any, NULL, &y_layout),
        "dnnl_matmul");
  check(dnnl_primitive_desc_create(&description, &wanted, NULL, engine, NULL),
        "dnnl_matmul");
  check(dnnl_primitive_create(&product, description), "dnnl_matmul");
  const dnnl_memory_desc_t *w_layout =
      dnnl_primitive_desc_query_md(description, dnnl_query_weights_md, 0);
  arguments[0] = (dnnl_exec_arg_t){DNNL_ARG_SRC, memory_of(&x_layout, x->data)};
  arguments[1] =
      (dnnl_exec_arg_t){DNNL_ARG_WEIGHTS, reordered(w, &w_plain, w_layout)};
  arguments[2] = (dnnl_exec_arg_t){DNNL_ARG_DST, memory_of(&y_layout, y->data)};
  serve(&tensors, call, NULL);
}
