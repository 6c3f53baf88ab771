// A block of 256 threads for each row: sums through shared memory and shuffles.
#include "test/gpu/kernels/device.h"

static shared float parts[8];

static __attribute__((noinline)) float sumOfWarp(float value) {
  for (int distance = 16; distance; distance /= 2)
    value += fromLane(value, distance);
  return value;
}

kernel void rowSums(const global float *x, global float *sums, int n) {
  const global float *row = x + (long)blockIndex() * n;
  float sum = 0;
  for (int i = thread(); i < n; i += blockThreads())
    sum += row[i];
  sum = sumOfWarp(sum);
  if (thread() % 32 == 0)
    parts[thread() / 32] = sum;
  __syncthreads();
  if (thread() == 0) {
    float all = 0;
    for (int i = 0; i < 8; ++i)
      all += parts[i];
    sums[blockIndex()] = all;
  }
}

/// How many elements are in each of 16 bins, by atomic operations.
kernel void histogram(const global int *x, global int *bins, int n) {
  int i = blockIndex() * blockThreads() + thread();
  if (i < n)
    __atomic_fetch_add(&bins[x[i] & 15], 1, __ATOMIC_RELAXED);
}

/// The rows backwards, with an array in each thread.
kernel void reversed(const global double *x, global double *y, int n) {
  double own[9];
  int first = (blockIndex() * blockThreads() + thread()) * 9;
  if (first + 9 > n)
    return;
  for (int i = 0; i < 9; ++i)
    own[i] = x[first + i];
  for (int i = 0; i < 9; ++i)
    y[first + i] = own[8 - i] / 3.0 + __builtin_sqrt(own[i] * own[i]);
}
