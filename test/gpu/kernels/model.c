// Kernels of the hand-written model in RuntimeModel.cpp. The first parameter of
// each is the record of faults.
#include "runtime/tenon_abi.h"
#include "test/gpu/kernels/device.h"

#define GLOBAL_ID ((int64_t)blockIndex() * blockThreads() + thread())

kernel void scale(global tenon_call *faults, const global float *x,
                  global float *y, float by, int64_t n) {
  int64_t i = GLOBAL_ID;
  if (i < n)
    y[i] = by * x[i];
}

/// Adds a row of four to each row.
kernel void addRow(global tenon_call *faults, const global float *x,
                   const global float *row, global float *y, int64_t n) {
  int64_t i = GLOBAL_ID;
  if (i < n)
    y[i] = x[i] + row[i % 4];
}

kernel void pick(global tenon_call *faults, const global float *x,
                 const global int64_t *index, global float *y, int64_t n,
                 int64_t count) {
  int64_t i = GLOBAL_ID;
  if (i >= count)
    return;
  int64_t at = index[i];
  if (at < 0 || at >= n) {
    global tenon_fault *fault = &faults->fault;
    if (__nvvm_atom_cas_gen_i((int *)&fault->code, 0, TENON_FAULT_INDEX) == 0) {
      fault->site = 0;
      fault->found = at;
      fault->low = 0;
      fault->high = n - 1;
    }
    at = 0;
  }
  y[i] = x[at];
}

/// Keeps the elements above zero; one thread does all.
kernel void keepPositive(global tenon_call *faults, const global float *x,
                         global float *y, global int64_t *count, int64_t n) {
  int64_t kept = 0;
  for (int64_t i = 0; i < n; ++i)
    if (x[i] > 0)
      y[kept++] = x[i];
  *count = kept;
}

/// Writes outside of every buffer.
kernel void trespass(global tenon_call *faults, global float *x) {
  x[(int64_t)1 << 40] = 1;
}
