// The stand-in for the driver: whole runs, what a host may forget, and faults
// on order. It reads its settings once: tests with others run in a child.
#include "test/gpu/DriverHost.h"

using namespace tenon;
using namespace tenon::test;

namespace {
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
