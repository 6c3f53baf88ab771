// Names for what clang gives kernels in C.
#ifndef TENON_TEST_GPU_KERNELS_DEVICE_H
#define TENON_TEST_GPU_KERNELS_DEVICE_H

#define kernel __attribute__((nvptx_kernel))
#define global __attribute__((address_space(1)))
#define shared __attribute__((address_space(3)))

static inline int thread(void) { return __nvvm_read_ptx_sreg_tid_x(); }
static inline int blockThreads(void) { return __nvvm_read_ptx_sreg_ntid_x(); }
static inline int blockIndex(void) { return __nvvm_read_ptx_sreg_ctaid_x(); }
static inline int blockRow(void) { return __nvvm_read_ptx_sreg_ctaid_y(); }

static inline float fromLane(float value, int other) {
  int bits = __builtin_bit_cast(int, value);
  return __builtin_bit_cast(float,
                            __nvvm_shfl_sync_bfly_i32(-1, bits, other, 31));
}

#endif
