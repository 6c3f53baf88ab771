// A module on a device, through the driver's library that is loaded at run
// time: the stand-in, or the real one of a machine with a GPU.
#ifndef TENON_TEST_GPU_INSTRUCTIONS_DRIVERDEVICE_H
#define TENON_TEST_GPU_INSTRUCTIONS_DRIVERDEVICE_H

#include "test/gpu/driver/DriverApi.h"

#include <set>
#include <string>
#include <vector>

namespace tenon::ptx {

/// Functions of the library, opened once.
class DriverLibrary {
public:
  /// Takes the context of the first device. Throws if there is none.
  static void open(const std::string &path);
  static DriverLibrary &instance();

  int architecture = 0; ///< 80 for sm_80
  bool isStandIn = false;
#define TENON_DRIVER_FUNCTION(name) decltype(&::name) name = nullptr;
#define TENON_DRIVER_FUNCTIONS(F)                                              \
  F(cuInit)                                                                    \
  F(cuDeviceGet)                                                               \
  F(cuDeviceGetAttribute)                                                      \
  F(cuDevicePrimaryCtxRetain)                                                  \
  F(cuCtxPushCurrent_v2)                                                       \
  F(cuModuleLoadDataEx)                                                        \
  F(cuModuleUnload)                                                            \
  F(cuModuleGetFunction)                                                       \
  F(cuMemAlloc_v2)                                                             \
  F(cuMemFree_v2)                                                              \
  F(cuMemcpyHtoDAsync_v2)                                                      \
  F(cuMemcpyDtoHAsync_v2)                                                      \
  F(cuStreamSynchronize)                                                       \
  F(cuLaunchKernel)
  TENON_DRIVER_FUNCTIONS(TENON_DRIVER_FUNCTION)
#undef TENON_DRIVER_FUNCTION
};

class DriverDevice {
public:
  /// Loads the text. Throws with the driver's log if it does not load.
  explicit DriverDevice(const std::string &text);
  ~DriverDevice();
  DriverDevice(const DriverDevice &) = delete;

  template <typename T> CUdeviceptr put(const std::vector<T> &values) {
    CUdeviceptr at = reserve(values.size() * sizeof(T));
    upload(at, values.data(), values.size() * sizeof(T));
    return at;
  }
  CUdeviceptr reserve(size_t bytes);
  template <typename T> std::vector<T> get(CUdeviceptr at, size_t count) {
    std::vector<T> values(count);
    download(values.data(), at, count * sizeof(T));
    return values;
  }
  /// Runs the kernel `k` on a buffer.
  void run(unsigned blocks, unsigned threads, CUdeviceptr buffer);

  /// All instructions of all modules that were run: "add.s32".
  static std::set<std::string> &executed();

private:
  void upload(CUdeviceptr to, const void *from, size_t bytes);
  void download(void *to, CUdeviceptr from, size_t bytes);

  std::string text;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  std::vector<CUdeviceptr> buffers;
};

} // namespace tenon::ptx

#endif
