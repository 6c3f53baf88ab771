// Mistakes of a host: the driver or the emulator must report each of them, or
// the values must be wrong under some order of work. A right host gets neither.
#include "test/ChildProcess.h"
#include "test/gpu/Device.h"
#include "test/gpu/driver/DriverApi.h"

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <set>

using namespace tenon;

namespace {
/// What a host's steps ended with, beside the driver's errors.
enum { Right = 0, WrongValues = 1000 };

/// Throws the driver's error.
void check(CUresult result) {
  if (result != CUDA_SUCCESS)
    throw result;
}

/// A host that runs `switchOnKind` on `count` kinds: values[i] is 5 where
/// kinds[i] is 0, and 3 i where it is 1. Each step may be left out.
class Host {
public:
  static constexpr int count = 1000;
  static constexpr size_t bytes = count * sizeof(int);

  Host() {
    for (int i = 0; i < count; ++i)
      input[i] = i % 2;
  }
  void open() {
    check(cuInit(0));
    check(cuDevicePrimaryCtxRetain(&context, 0));
    check(cuCtxPushCurrent_v2(context));
  }
  void prepare() {
    open();
    check(cuModuleLoadDataEx(&module, ptx::builtText("copies", 80).c_str(), 0,
                             nullptr, nullptr));
    check(cuModuleGetFunction(&function, module, "switchOnKind"));
    check(cuMemAlloc_v2(&kinds, bytes));
    check(cuMemAlloc_v2(&values, bytes));
    check(cuStreamCreate(&stream, 0));
    check(cuStreamCreate(&other, 0));
  }
  void upload(size_t size = bytes) {
    check(cuMemcpyHtoDAsync_v2(kinds, input, size, stream));
  }
  void launchOn(CUstream on, CUdeviceptr from, CUdeviceptr to, int n = count,
                unsigned blocks = 8, unsigned threads = 128,
                unsigned sharedBytes = 0) {
    void *parameters[] = {&from, &to, &n};
    check(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, sharedBytes, on,
                         parameters, nullptr));
  }
  void launch() { launchOn(stream, kinds, values); }
  void download(size_t size = bytes) {
    check(cuMemcpyDtoHAsync_v2(output, values, size, stream));
  }
  void wait() { check(cuStreamSynchronize(stream)); }
  /// All of the above.
  void finish() {
    download();
    wait();
  }
  void close() {
    check(cuStreamDestroy_v2(stream));
    check(cuStreamDestroy_v2(other));
    check(cuMemFree_v2(kinds));
    check(cuMemFree_v2(values));
    check(cuModuleUnload(module));
    check(cuDevicePrimaryCtxRelease_v2(0));
  }
  bool isRight() const {
    for (int i = 0; i < count; ++i)
      if (output[i] != (i % 2 ? 3 * i : 5))
        return false;
    return true;
  }

  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUstream stream = nullptr, other = nullptr;
  CUdeviceptr kinds = 0, values = 0;
  int input[count], output[count] = {};
};

struct HostMistake {
  const char *name;
  int outcome;        ///< one of the driver's errors, or WrongValues
  const char *report; ///< a part of the report
  void (*steps)(Host &);
  /// Only some orders of work show it, as any of the outcomes.
  bool isOfOrder = false;
};

const HostMistake mistakes[] = {
    {"the input is not copied to the device", CUDA_ERROR_LAUNCH_FAILED,
     "switchOnKind: line",
     [](Host &host) {
       host.prepare();
       host.launch();
       host.finish();
     }},
    {"half of the input is copied to the device", CUDA_ERROR_LAUNCH_FAILED,
     "nothing has written",
     [](Host &host) {
       host.prepare();
       host.upload(Host::bytes / 2);
       host.launch();
       host.finish();
     }},
    {"the result is not copied to the host", WrongValues, "",
     [](Host &host) {
       host.prepare();
       host.upload();
       host.launch();
       host.wait();
     }},
    {"half of the result is copied to the host", WrongValues, "",
     [](Host &host) {
       host.prepare();
       host.upload();
       host.launch();
       host.download(Host::bytes / 2);
       host.wait();
     }},
    {"the kernel is not launched", CUDA_ERROR_LAUNCH_FAILED,
     "cuMemcpyDtoHAsync: copies memory that nothing has written",
     [](Host &host) {
       host.prepare();
       host.upload();
       host.finish();
     }},
    {"a launch of too few tasks", CUDA_ERROR_LAUNCH_FAILED,
     "cuMemcpyDtoHAsync: copies memory that nothing has written, at byte 3584",
     [](Host &host) {
       host.prepare();
       host.upload();
       host.launchOn(host.stream, host.kinds, host.values, Host::count, 7);
       host.finish();
     }},
    {"a size that is too small", CUDA_ERROR_LAUNCH_FAILED,
     "cuMemcpyDtoHAsync: copies memory that nothing has written, at byte 3996",
     [](Host &host) {
       host.prepare();
       host.upload();
       host.launchOn(host.stream, host.kinds, host.values, Host::count - 1);
       host.finish();
     }},
    {"a size that is too large", CUDA_ERROR_LAUNCH_FAILED,
     "byte 4000 of an allocation of 4000",
     [](Host &host) {
       host.prepare();
       host.upload();
       host.launchOn(host.stream, host.kinds, host.values, Host::count + 1);
       host.finish();
     }},
    {"two arguments in the wrong order", CUDA_ERROR_LAUNCH_FAILED,
     "switchOnKind: line",
     [](Host &host) {
       host.prepare();
       host.upload();
       host.launchOn(host.stream, host.values, host.kinds);
       host.finish();
     }},
    {"an address of the host as argument", CUDA_ERROR_LAUNCH_FAILED,
     "switchOnKind: line",
     [](Host &host) {
       host.prepare();
       host.launchOn(host.stream, CUdeviceptr(uintptr_t(host.input)),
                     host.values);
       host.finish();
     }},
    {"nobody waits for the result", WrongValues, "",
     [](Host &host) {
       host.prepare();
       host.upload();
       host.launch();
       host.download();
     },
     true},
    {"the input changes before it was copied", WrongValues, "",
     [](Host &host) {
       host.prepare();
       host.upload();
       host.input[999] = 0;
       host.launch();
       host.finish();
     },
     true},
    {"the kernel runs in another stream than the copies",
     CUDA_ERROR_LAUNCH_FAILED, "",
     [](Host &host) {
       host.prepare();
       host.upload();
       host.launchOn(host.other, host.kinds, host.values);
       host.finish();
     },
     true},
    {"the result is copied in another stream", CUDA_ERROR_LAUNCH_FAILED, "",
     [](Host &host) {
       host.prepare();
       host.upload();
       host.launch();
       check(cuMemcpyDtoHAsync_v2(host.output, host.values, Host::bytes,
                                  host.other));
       check(cuStreamSynchronize(host.other));
     },
     true},
    {"the host waits for another stream", WrongValues, "",
     [](Host &host) {
       host.prepare();
       host.upload();
       host.launch();
       host.download();
       check(cuStreamSynchronize(host.other));
     },
     true},
    {"a buffer is freed before its kernel is launched",
     CUDA_ERROR_LAUNCH_FAILED, "which was freed",
     [](Host &host) {
       host.prepare();
       host.upload();
       check(cuMemFree_v2(host.kinds));
       host.launch();
       host.finish();
     }},
    {"a stale address after a buffer was made anew", CUDA_ERROR_LAUNCH_FAILED,
     "which was freed",
     [](Host &host) {
       host.prepare();
       CUdeviceptr stale = host.kinds;
       check(cuMemFree_v2(host.kinds));
       check(cuMemAlloc_v2(&host.kinds, Host::bytes));
       host.upload();
       host.launchOn(host.stream, stale, host.values);
       host.finish();
     }},
    {"a copy to memory that was freed", CUDA_ERROR_INVALID_VALUE, "",
     [](Host &host) {
       host.prepare();
       check(cuMemFree_v2(host.kinds));
       host.upload();
     }},
    {"a buffer is freed twice", CUDA_ERROR_INVALID_VALUE, "",
     [](Host &host) {
       host.prepare();
       check(cuMemFree_v2(host.kinds));
       check(cuMemFree_v2(host.kinds));
     }},
    {"an address inside of a buffer is freed", CUDA_ERROR_INVALID_VALUE, "",
     [](Host &host) {
       host.prepare();
       check(cuMemFree_v2(host.kinds + 256));
     }},
    {"host memory is freed twice", CUDA_ERROR_INVALID_VALUE, "",
     [](Host &host) {
       host.prepare();
       void *memory = nullptr;
       check(cuMemAllocHost_v2(&memory, 64));
       check(cuMemFreeHost(memory));
       check(cuMemFreeHost(memory));
     }},
    {"a copy of too many bytes to the device", CUDA_ERROR_INVALID_VALUE, "",
     [](Host &host) {
       host.prepare();
       host.upload(Host::bytes + 4);
     }},
    {"a copy of too many bytes to the host", CUDA_ERROR_INVALID_VALUE, "",
     [](Host &host) {
       host.prepare();
       host.upload();
       host.launch();
       host.download(Host::bytes + 4);
     }},
    {"a copy of too many bytes within the device", CUDA_ERROR_INVALID_VALUE, "",
     [](Host &host) {
       host.prepare();
       check(cuMemcpyDtoDAsync_v2(host.values, host.kinds + 4, Host::bytes,
                                  host.stream));
     }},
    {"a copy within the device of what nothing has written",
     CUDA_ERROR_LAUNCH_FAILED, "copies memory that nothing has written",
     [](Host &host) {
       host.prepare();
       check(cuMemcpyDtoDAsync_v2(host.values, host.kinds, Host::bytes,
                                  host.stream));
       host.finish();
     }},
    {"a fill of too many bytes", CUDA_ERROR_INVALID_VALUE, "",
     [](Host &host) {
       host.prepare();
       check(cuMemsetD8Async(host.kinds, 0, Host::bytes + 1, host.stream));
     }},
    {"a fill at an address that is not aligned", CUDA_ERROR_INVALID_VALUE, "",
     [](Host &host) {
       host.prepare();
       check(cuMemsetD32Async(host.kinds + 2, 0, 4, host.stream));
     }},
    {"a kernel of a module that was unloaded", CUDA_ERROR_INVALID_HANDLE, "",
     [](Host &host) {
       host.prepare();
       host.upload();
       check(cuModuleUnload(host.module));
       host.launch();
     }},
    {"a module is unloaded twice", CUDA_ERROR_INVALID_HANDLE, "",
     [](Host &host) {
       host.prepare();
       check(cuModuleUnload(host.module));
       check(cuModuleUnload(host.module));
     }},
    {"a kernel is looked for in a module that was unloaded",
     CUDA_ERROR_INVALID_HANDLE, "",
     [](Host &host) {
       host.prepare();
       check(cuModuleUnload(host.module));
       check(cuModuleGetFunction(&host.function, host.module, "countUp"));
     }},
    {"a kernel that the module does not have", CUDA_ERROR_NOT_FOUND, "",
     [](Host &host) {
       host.prepare();
       check(cuModuleGetFunction(&host.function, host.module, "switch"));
     }},
    {"a stream that was destroyed", CUDA_ERROR_INVALID_HANDLE, "",
     [](Host &host) {
       host.prepare();
       check(cuStreamDestroy_v2(host.stream));
       host.upload();
     }},
    {"a stream is destroyed twice", CUDA_ERROR_INVALID_HANDLE, "",
     [](Host &host) {
       host.prepare();
       check(cuStreamDestroy_v2(host.stream));
       check(cuStreamDestroy_v2(host.stream));
     }},
    {"an event that was destroyed", CUDA_ERROR_INVALID_HANDLE, "",
     [](Host &host) {
       host.prepare();
       CUevent event = nullptr;
       check(cuEventCreate(&event, 0));
       check(cuEventDestroy_v2(event));
       check(cuEventRecord(event, host.stream));
     }},
    {"an event's time before it was recorded", CUDA_ERROR_NOT_READY, "",
     [](Host &host) {
       host.prepare();
       CUevent first = nullptr, last = nullptr;
       check(cuEventCreate(&first, 0));
       check(cuEventCreate(&last, 0));
       float time;
       check(cuEventElapsedTime(&time, first, last));
     }},
    {"a block of too many threads", CUDA_ERROR_INVALID_VALUE,
     "a launch of 2048 threads",
     [](Host &host) {
       host.prepare();
       host.upload();
       host.launchOn(host.stream, host.kinds, host.values, Host::count, 1,
                     2048);
     }},
    {"a grid without blocks", CUDA_ERROR_INVALID_VALUE, "",
     [](Host &host) {
       host.prepare();
       host.upload();
       host.launchOn(host.stream, host.kinds, host.values, Host::count, 0);
     }},
    {"more shared memory than the kernel was given", CUDA_ERROR_INVALID_VALUE,
     "49153 bytes of shared memory",
     [](Host &host) {
       host.prepare();
       host.upload();
       host.launchOn(host.stream, host.kinds, host.values, Host::count, 8, 128,
                     49153);
     }},
    {"more shared memory than the device has", CUDA_ERROR_INVALID_VALUE, "",
     [](Host &host) {
       host.prepare();
       check(cuFuncSetAttribute(host.function,
                                CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                164 << 10));
     }},
    {"the driver is not initialized", CUDA_ERROR_NOT_INITIALIZED, "",
     [](Host &host) { check(cuMemAlloc_v2(&host.kinds, 4)); }},
    {"no context is current", CUDA_ERROR_INVALID_CONTEXT, "",
     [](Host &host) {
       check(cuInit(0));
       check(cuMemAlloc_v2(&host.kinds, 4));
     }},
    {"a context that nobody retained", CUDA_ERROR_INVALID_CONTEXT, "",
     [](Host &host) {
       host.open();
       check(cuDevicePrimaryCtxRelease_v2(0));
       check(cuCtxPushCurrent_v2(host.context));
     }},
    {"a context is released twice", CUDA_ERROR_INVALID_CONTEXT, "",
     [](Host &host) {
       host.open();
       check(cuDevicePrimaryCtxRelease_v2(0));
       check(cuDevicePrimaryCtxRelease_v2(0));
     }},
    {"a context is popped twice", CUDA_ERROR_INVALID_CONTEXT, "",
     [](Host &host) {
       host.open();
       check(cuCtxPopCurrent_v2(nullptr));
       check(cuCtxPopCurrent_v2(nullptr));
     }},
    {"a buffer is not freed", Right, "leak: 1 allocations of 4000 bytes",
     [](Host &host) {
       host.prepare();
       host.upload();
       host.launch();
       host.finish();
       check(cuMemAlloc_v2(&host.kinds, Host::bytes));
       check(cuMemFree_v2(host.kinds));
       check(cuStreamDestroy_v2(host.stream));
       check(cuStreamDestroy_v2(host.other));
       check(cuMemFree_v2(host.values));
       check(cuModuleUnload(host.module));
       check(cuDevicePrimaryCtxRelease_v2(0));
     }},
};

/// The outcome of a host's steps in a process of their own, and the report.
int run(void (*steps)(Host &), int seed, std::string &report) {
  std::string path =
      testing::TempDir() + "tenon-host-mistake-" + std::to_string(getpid());
  std::remove(path.c_str());
  int outcome = test::inChild([&]() -> int {
    setenv("TENON_GPU_REPORT", path.c_str(), 1);
    setenv("TENON_GPU_SEED", std::to_string(seed).c_str(), 1);
    static Host host;
    int made = Right;
    try {
      steps(host);
      made = host.isRight() ? Right : WrongValues;
    } catch (CUresult error) {
      made = error;
    }
    std::exit(made % 256); // the stand-in reports when the process ends
  });
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  report = text.str();
  std::remove(path.c_str());
  return outcome;
}

TEST(HostMistakes, NoneInARightHost) {
  for (int seed = 0; seed < 8; ++seed) {
    std::string report;
    int outcome = run(
        [](Host &host) {
          host.prepare();
          host.upload();
          host.launch();
          host.finish();
          host.close();
        },
        seed, report);
    EXPECT_EQ(outcome, Right);
    EXPECT_EQ(report.find("finding"), std::string::npos) << report;
    EXPECT_EQ(report.find("leak"), std::string::npos) << report;
  }
}

TEST(HostMistakes, AreReported) {
  std::set<std::string> names;
  for (const HostMistake &mistake : mistakes) {
    EXPECT_TRUE(names.insert(mistake.name).second) << mistake.name;
    int seen = 0, orders = mistake.isOfOrder ? 8 : 2;
    for (int seed = 0; seed < orders; ++seed) {
      std::string report;
      int outcome = run(mistake.steps, seed, report);
      bool isReported = outcome == mistake.outcome % 256 &&
                        report.find(mistake.report) != std::string::npos;
      seen += isReported;
      if (!mistake.isOfOrder)
        EXPECT_TRUE(isReported) << mistake.name << ": outcome " << outcome
                                << ", report: " << report;
    }
    EXPECT_GT(seen, 0) << mistake.name;
  }
  EXPECT_GE(names.size(), 40u);
}
} // namespace
