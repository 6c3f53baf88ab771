/* A matrix product by OpenBLAS. Arguments: LIBRARY THREADS MANIFEST. Inputs
 * x[M,K] and w[K,N], output y[M,N]. */
#include "caller.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { ROW_MAJOR = 101, AS_IT_IS = 111 };

typedef void sgemm(int order, int lhs, int rhs, int m, int n, int k,
                   float alpha, const float *a, int lda, const float *b,
                   int ldb, float beta, float *c, int ldc);
static sgemm *multiply;

static void *symbol(void *library, const char *name) {
  void *found = dlsym(library, name);
  if (!found)
    fail("dlsym", name);
  return found;
}

static void call(void *state) {
  const call_tensors *tensors = state;
  const call_tensor *x = &tensors->inputs[0], *w = &tensors->inputs[1];
  int m = (int)x->dims[0], k = (int)x->dims[1], n = (int)w->dims[1];
  multiply(ROW_MAJOR, AS_IT_IS, AS_IT_IS, m, n, k, 1, x->data, k, w->data, n, 0,
           tensors->outputs[0].data, n);
}

int main(int argc, char **argv) {
  if (argc != 4)
    fail("usage", "blas_caller LIBRARY THREADS MANIFEST");
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library)
    fail(argv[1], dlerror());
  *(void **)&multiply = symbol(library, "cblas_sgemm");
  void (*set_threads)(int);
  *(void **)&set_threads = symbol(library, "openblas_set_num_threads");
  set_threads(atoi(argv[2]));
  static call_tensors tensors;
  read_tensors(argv[3], &tensors);
  if (tensors.num_inputs != 2 || tensors.num_outputs != 1)
    fail(argv[3], "expected two inputs and one output");
  serve(&tensors, call, &tensors);
}
