// Elements, one a thread, and their tail.
#include "test/gpu/kernels/device.h"

kernel void scaleAndAdd(const global float *x, global float *y, float a,
                        int n) {
  int i = blockIndex() * blockThreads() + thread();
  if (i < n)
    y[i] = __builtin_fmaf(a, x[i], y[i]);
}

/// Each thread adds x to itself a number of times of its own.
kernel void countUp(const global int *counts, global int *sums, int n) {
  int i = blockIndex() * blockThreads() + thread();
  if (i >= n)
    return;
  int sum = 0;
  for (int j = 0; j < counts[i]; ++j) {
    if (j % 3 == 1)
      continue;
    sum += j;
    if (sum > 1000)
      break;
  }
  sums[i] = sum;
}

/// A different value for each of six kinds.
kernel void switchOnKind(const global int *kinds, global int *values, int n) {
  int i = blockIndex() * blockThreads() + thread();
  if (i >= n)
    return;
  switch (kinds[i]) {
  case 0:
    values[i] = 5;
    break;
  case 1:
    values[i] = i * 3;
    break;
  case 2:
    values[i] = i ^ 77;
    break;
  case 3:
    values[i] = __builtin_clz(i + 1);
    break;
  case 4:
    values[i] = -i;
    break;
  default:
    values[i] = 1000;
  }
}
