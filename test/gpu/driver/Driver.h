// The state of the stand-in: one device, its contexts, modules and streams.
//
// Work on a stream is done late: when the host waits for it, or at a random
// moment. A host that forgets to wait sees old values.
//
// The environment says what the device is and which calls fail:
//   TENON_GPU_DEVICES   how many devices there are: 0 or 1 (1)
//   TENON_GPU_DRIVER    the driver's version (12040)
//   TENON_GPU_SM        the architecture (80)
//   TENON_GPU_MEMORY    bytes of memory (8 GiB)
//   TENON_GPU_SEED      the seed of all orders (0)
//   TENON_GPU_FAULT     FUNCTION:N:ERROR fails the N-th call of a function;
//                       with the error 0 it succeeds without doing anything
//   TENON_GPU_REPORT    a file that gets a line for each launch and finding
#ifndef TENON_TEST_GPU_DRIVER_DRIVER_H
#define TENON_TEST_GPU_DRIVER_DRIVER_H

#include "test/gpu/driver/DriverApi.h"
#include "test/gpu/emulator/LoadedModule.h"

#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <set>

struct CUctx_st {
  int uses = 0;
};
struct CUmod_st {
  std::unique_ptr<tenon::ptx::LoadedModule> loaded;
  std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
};
struct CUfunc_st {
  const tenon::ptx::Program *program;
  uint32_t dynamicLimit = 48 << 10;
};
struct CUstream_st {
  std::vector<std::function<void()>> work;
};
struct CUgraph_st;
struct CUgraphExec_st;
struct CUevent_st {
  CUstream stream = nullptr;
  double time = -1; // milliseconds; less than 0: not recorded
};

namespace tenon::ptx {

struct DriverSettings {
  int devices, version, architecture;
  uint64_t memory, seed;
  std::string fault, report;
  static DriverSettings fromEnvironment();
  /// The most bytes of shared memory of a block.
  int mostShared() const {
    return (architecture >= 90 ? 227 : architecture >= 80 ? 163 : 64) << 10;
  }
};

class Driver {
public:
  static Driver &instance();

  /// Runs a call: its body returns the result, unless the call fails by order,
  /// the driver is not initialized, or an earlier error sticks.
  CUresult call(const char *name, bool needsContext,
                const std::function<CUresult()> &body);

  void initialize() { isInitialized = true; }
  CUresult loadModule(CUmodule *module, const char *text, std::string &log);
  CUresult unloadModule(CUmodule module);
  CUresult launch(CUfunction function, const LaunchShape &shape,
                  CUstream stream, void **parameters);
  /// True if the kernel can run with this shape; reports why not.
  bool canLaunch(CUfunction function, const LaunchShape &shape);
  /// The parameters' bytes, taken now.
  static std::vector<uint8_t> takeParameters(const Program &program,
                                             void **parameters);
  /// Runs a kernel now. A finding sticks.
  void runKernel(const Program &program, const LaunchShape &shape,
                 const std::vector<uint8_t> &parameters);
  /// Does all that waits on a stream, null: on all.
  CUresult finish(CUstream stream);
  /// Queues work, and perhaps does some of the queue.
  CUresult enqueue(CUstream stream, std::function<void()> work);
  /// Bytes of device memory, all in one allocation; null if they are not.
  Allocation *range(CUdeviceptr address, size_t bytes) {
    return machine.memory.find(address, bytes);
  }
  CUstream createStream();
  bool destroyStream(CUstream stream);
  bool isStream(CUstream stream) const {
    return !stream || streams.count(stream);
  }
  bool isModule(CUmodule module) const { return modules.count(module); }
  bool isFunction(CUfunction function) const;
  void report(const std::string &line);
  /// Reports a mistake, which is an error that sticks.
  void reportFinding(const std::string &what);
  /// What the host has not released; empty if nothing is left.
  std::string left() const;
  int numCalls(const std::string &name) const {
    auto found = calls.find(name);
    return found == calls.end() ? 0 : found->second;
  }
  bool hasFailedByOrder() const { return hasFailed; }

  const DriverSettings settings;
  Machine machine;
  CUctx_st primary;
  std::vector<CUcontext> &current();
  /// A number below `bound`, by the seed.
  size_t draw(size_t bound) { return draws() % bound; }

  std::map<char *, size_t> hostMemory; // pinned: bytes of each
  std::set<CUevent> events;
  std::set<CUgraph> graphs;
  std::set<CUgraphExec> executables;
  double now = 0; // an event's time: steps of kernels and copies

private:
  explicit Driver(const DriverSettings &settings);
  ~Driver();
  bool failsByOrder(const char *name, CUresult &error);

  std::recursive_mutex mutex;
  bool isInitialized = false, hasFailed = false;
  CUresult stuck = CUDA_SUCCESS;
  std::map<std::string, int> calls;
  std::set<CUmodule> modules;
  CUstream_st defaultStream;
  std::map<CUstream, std::unique_ptr<CUstream_st>> streams;
  std::mt19937_64 draws;
};

} // namespace tenon::ptx

#endif
