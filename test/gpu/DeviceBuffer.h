// Memory of the emulated device that a test owns.
#ifndef TENON_TEST_GPU_DEVICEBUFFER_H
#define TENON_TEST_GPU_DEVICEBUFFER_H

#include "test/gpu/driver/DriverApi.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <vector>

namespace tenon::test {

/// A function of the stand-in, which this process loads if it has not yet.
template <typename F> F *standIn(const char *name) {
  void *library = dlopen(TENON_STAND_IN, RTLD_NOW);
  return library ? reinterpret_cast<F *>(dlsym(library, name)) : nullptr;
}

/// Memory of the device that the host program has allocated and filled.
struct DeviceBuffer {
  CUdeviceptr address = 0;
  size_t bytes;

  explicit DeviceBuffer(size_t bytes) : bytes(bytes) {
    enter();
    EXPECT_EQ(standIn<decltype(cuMemAlloc_v2)>("cuMemAlloc_v2")(
                  &address, bytes ? bytes : 1),
              CUDA_SUCCESS);
    leave();
  }
  ~DeviceBuffer() {
    enter();
    standIn<decltype(cuMemFree_v2)>("cuMemFree_v2")(address);
    leave();
  }
  void *data() const { return reinterpret_cast<void *>(address); }
  template <typename T> void put(const std::vector<T> &values) {
    put(0, values.data(), values.size() * sizeof(T));
  }
  /// Copies `count` bytes to byte `offset` and the ones after it.
  void put(size_t offset, const void *from, size_t count) {
    enter();
    standIn<decltype(cuMemcpyHtoDAsync_v2)>("cuMemcpyHtoDAsync_v2")(
        address + offset, from, count, nullptr);
    standIn<decltype(cuStreamSynchronize)>("cuStreamSynchronize")(nullptr);
    leave();
  }
  static std::vector<float> get(const void *from, size_t count) {
    std::vector<float> values(count);
    enter();
    EXPECT_EQ(
        standIn<decltype(cuMemcpyDtoHAsync_v2)>("cuMemcpyDtoHAsync_v2")(
            values.data(), CUdeviceptr(from), count * sizeof(float), nullptr),
        CUDA_SUCCESS);
    standIn<decltype(cuStreamSynchronize)>("cuStreamSynchronize")(nullptr);
    leave();
    return values;
  }

  static void enter() {
    CUcontext context;
    standIn<decltype(cuInit)>("cuInit")(0);
    standIn<decltype(cuDevicePrimaryCtxRetain)>("cuDevicePrimaryCtxRetain")(
        &context, 0);
    standIn<decltype(cuCtxPushCurrent_v2)>("cuCtxPushCurrent_v2")(context);
  }
  static void leave() {
    standIn<decltype(cuCtxPopCurrent_v2)>("cuCtxPopCurrent_v2")(nullptr);
    standIn<decltype(cuDevicePrimaryCtxRelease_v2)>(
        "cuDevicePrimaryCtxRelease_v2")(0);
  }
};

} // namespace tenon::test

#endif
