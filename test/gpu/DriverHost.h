// A host program of the stand-in for the driver. The stand-in reads its
// settings once, so tests with others run in a child.
#ifndef TENON_TEST_GPU_DRIVERHOST_H
#define TENON_TEST_GPU_DRIVERHOST_H

#include "test/ChildProcess.h"
#include "test/gpu/Device.h"
#include "test/gpu/driver/DriverApi.h"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>

namespace tenon::test {

/// A host that runs `scaleAndAdd`; each step says its result.
class Host {
public:
  CUresult open() {
    CUresult result = cuInit(0);
    if (!result)
      result = cuDevicePrimaryCtxRetain(&context, 0);
    if (!result)
      result = cuCtxPushCurrent_v2(context);
    return result;
  }
  CUresult load(const std::string &text) {
    int options[] = {CU_JIT_ERROR_LOG_BUFFER,
                     CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
    CUresult result =
        cuModuleLoadDataEx(&module, text.c_str(), 2, options, values);
    return result ? result
                  : cuModuleGetFunction(&function, module, "scaleAndAdd");
  }
  CUresult allocate() {
    for (CUdeviceptr *buffer : {&x, &y})
      if (CUresult result = cuMemAlloc_v2(buffer, sizeof input))
        return result;
    return cuStreamCreate(&stream, 0);
  }
  CUresult upload() {
    for (int i = 0; i < count; ++i)
      input[i] = float(i);
    CUresult result = cuMemcpyHtoDAsync_v2(x, input, sizeof input, stream);
    return result ? result : cuMemsetD32Async(y, 0x3f800000, count, stream);
  }
  CUresult launch(unsigned threads = 128, unsigned sharedBytes = 0) {
    float a = 2;
    int n = count;
    void *parameters[] = {&x, &y, &a, &n};
    return cuLaunchKernel(function, (count + threads - 1) / threads, 1, 1,
                          threads, 1, 1, sharedBytes, stream, parameters,
                          nullptr);
  }
  CUresult download() {
    CUresult result = cuMemcpyDtoHAsync_v2(output, y, sizeof output, stream);
    return result ? result : cuStreamSynchronize(stream);
  }
  void close() {
    if (stream)
      cuStreamDestroy_v2(stream);
    for (CUdeviceptr buffer : {x, y})
      if (buffer)
        cuMemFree_v2(buffer);
    if (module)
      cuModuleUnload(module);
    if (context) {
      cuCtxPopCurrent_v2(nullptr);
      cuDevicePrimaryCtxRelease_v2(0);
    }
  }
  /// All steps up to one that fails.
  CUresult run() {
    CUresult result = open();
    if (!result)
      result = load(ptx::builtText("copies", 80));
    if (!result)
      result = allocate();
    if (!result)
      result = upload();
    if (!result)
      result = launch();
    return result ? result : download();
  }

  static constexpr int count = 1000;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUstream stream = nullptr;
  CUdeviceptr x = 0, y = 0;
  char log[512] = "";
  float input[count], output[count] = {};
};

using Settings = std::vector<std::pair<const char *, std::string>>;

/// Runs a test's body in a child where the environment has the settings.
/// Returns what the body returns, or -1 if an expectation failed.
inline int alone(const Settings &settings, const std::function<int()> &body) {
  int result = inChild([&] {
    for (const auto &[name, value] : settings)
      setenv(name, value.c_str(), 1);
    int made = body();
    return testing::Test::HasFailure() ? 99 : made;
  });
  return result == 99 ? -1 : result;
}

} // namespace tenon::test

#endif
