// c = a b for square matrices of a multiple of 64: a block of 256 threads makes
// 64 x 64 elements, each a chain of fused multiply-adds over k.
#include "test/gpu/kernels/device.h"

typedef __attribute__((ext_vector_type(4))) float float4;

static shared __attribute__((aligned(16))) float rows[16 * 64],
    columns[16 * 64];

kernel void product(const global float *a, const global float *b,
                    global float *c, int n) {
  int row = blockRow() * 64, column = blockIndex() * 64;
  int i = thread() / 16 * 4, j = thread() % 16 * 4;
  float sums[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    for (int part = 0; part < 4; ++part) {
      int e = thread() + part * 256;
      rows[e % 16 * 64 + e / 16] = a[(row + e / 16) * n + k + e % 16];
      columns[e / 64 * 64 + e % 64] = b[(k + e / 64) * n + column + e % 64];
    }
    __syncthreads();
#pragma unroll
    for (int depth = 0; depth < 16; ++depth) {
      float4 x = *(shared float4 *)&rows[depth * 64 + i],
             y = *(shared float4 *)&columns[depth * 64 + j];
#pragma unroll
      for (int u = 0; u < 4; ++u)
#pragma unroll
        for (int v = 0; v < 4; ++v)
          sums[u][v] = __builtin_fmaf(x[u], y[v], sums[u][v]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int u = 0; u < 4; ++u)
#pragma unroll
    for (int v = 0; v < 4; ++v)
      c[(row + i + u) * n + column + j + v] = sums[u][v];
}
