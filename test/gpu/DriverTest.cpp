// The stand-in for the driver: whole runs, what a host may forget, and faults
// on order. It reads its settings once: tests with others run in a child.
#include "test/ChildProcess.h"
#include "test/gpu/Device.h"
#include "test/gpu/driver/DriverApi.h"

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>

using namespace tenon;

namespace {
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
int alone(const Settings &settings, const std::function<int()> &body) {
  int result = test::inChild([&] {
    for (const auto &[name, value] : settings)
      setenv(name, value.c_str(), 1);
    int made = body();
    return testing::Test::HasFailure() ? 99 : made;
  });
  return result == 99 ? -1 : result;
}

/// The result of the host's run, modulo 256.
int resultWith(const Settings &settings) {
  return alone(settings, [] {
    Host host;
    CUresult result = host.run();
    host.close();
    return int(result) % 256;
  });
}

TEST(Driver, RunsAKernel) {
  EXPECT_EQ(alone({},
                  [] {
                    Host host;
                    EXPECT_EQ(host.run(), CUDA_SUCCESS);
                    for (int i = 0; i < Host::count; ++i)
                      EXPECT_EQ(host.output[i], float(2 * i + 1));
                    host.close();
                    return 0;
                  }),
            0);
}

TEST(Driver, DoesWorkLate) {
  // Without waiting, some schedules leave the host's memory as it was.
  int early = 0;
  for (int seed = 0; seed < 8; ++seed)
    early += alone({{"TENON_GPU_SEED", std::to_string(seed)}}, [] {
      Host host;
      if (host.open() || host.load(ptx::builtText("copies", 80)) ||
          host.allocate() || host.upload() || host.launch() ||
          cuMemcpyDtoHAsync_v2(host.output, host.y, sizeof host.output,
                               host.stream))
        return 100;
      return host.output[1] == 3 ? 0 : 1;
    });
  EXPECT_GT(early, 0);
  EXPECT_LE(early, 8);
}

TEST(Driver, FailsByOrder) {
  EXPECT_EQ(resultWith({{"TENON_GPU_DEVICES", "0"}}), CUDA_ERROR_NO_DEVICE);
  EXPECT_EQ(resultWith({{"TENON_GPU_SM", "75"}}), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(resultWith({{"TENON_GPU_MEMORY", "6000"}}),
            CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(resultWith({{"TENON_GPU_FAULT", "cuMemAlloc_v2:2:2"}}),
            CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(resultWith({{"TENON_GPU_FAULT", "cuModuleLoadDataEx:1:209"}}),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(resultWith({{"TENON_GPU_FAULT", "cuLaunchKernel:2:2"}}),
            CUDA_SUCCESS);
}

TEST(Driver, KeepsTheErrorOfAKernel) {
  int kept = alone({{"TENON_GPU_REPORT", "/dev/null"}}, [] {
    Host host;
    if (host.open() || host.load(ptx::builtText("copies", 80)) ||
        host.allocate())
      return 1;
    host.launch(); // the buffers have no values
    if (cuStreamSynchronize(host.stream) != CUDA_ERROR_LAUNCH_FAILED)
      return 2;
    CUdeviceptr more = 0;
    return cuMemAlloc_v2(&more, 4) == CUDA_ERROR_LAUNCH_FAILED ? 0 : 3;
  });
  EXPECT_EQ(kept, 0);
}

TEST(Driver, SaysWhyAModuleDoesNotLoad) {
  EXPECT_EQ(alone({},
                  [] {
                    Host host;
                    EXPECT_EQ(host.open(), CUDA_SUCCESS);
                    EXPECT_EQ(host.load(ptx::moduleOf("wonder.u32 %r1;\n")),
                              CUDA_ERROR_INVALID_PTX);
                    EXPECT_NE(std::string(host.log).find(
                                  "unknown instruction wonder.u32"),
                              std::string::npos)
                        << host.log;
                    host.close();
                    return 0;
                  }),
            0);
}

TEST(Driver, ChecksArguments) {
  EXPECT_EQ(
      alone({{"TENON_GPU_REPORT", "/dev/null"}},
            [] {
              Host host;
              EXPECT_EQ(host.run(), CUDA_SUCCESS);
              EXPECT_EQ(host.launch(2048), CUDA_ERROR_INVALID_VALUE);
              EXPECT_EQ(host.launch(128, 49153), CUDA_ERROR_INVALID_VALUE);
              EXPECT_EQ(cuFuncSetAttribute(
                            host.function,
                            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                            100 << 10),
                        CUDA_SUCCESS);
              EXPECT_EQ(host.launch(128, 49153), CUDA_SUCCESS);
              EXPECT_EQ(cuMemcpyHtoDAsync_v2(host.x, host.input,
                                             sizeof host.input + 4,
                                             host.stream),
                        CUDA_ERROR_INVALID_VALUE);
              EXPECT_EQ(cuMemFree_v2(host.x + 4), CUDA_ERROR_INVALID_VALUE);
              CUfunction none = nullptr;
              EXPECT_EQ(cuModuleGetFunction(&none, host.module, "none"),
                        CUDA_ERROR_NOT_FOUND);
              host.close();
              return 0;
            }),
      0);
}

TEST(Driver, TellsOfLeaks) {
  std::string report = testing::TempDir() + "tenon-gpu-leaks";
  std::remove(report.c_str());
  alone({{"TENON_GPU_REPORT", report}}, []() -> int {
    Host host;
    host.run();
    std::exit(0); // the stand-in reports when the process ends
  });
  std::ifstream file(report);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find("launch: scaleAndAdd"), std::string::npos);
  EXPECT_NE(text.str().find("leak: 2 allocations of 8000 bytes"),
            std::string::npos)
      << text.str();
  std::remove(report.c_str());
}
} // namespace
