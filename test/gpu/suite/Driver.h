// The driver of NVIDIA GPUs, opened by its name, as far as measurements need
// it.
#ifndef TENON_TEST_GPU_SUITE_DRIVER_H
#define TENON_TEST_GPU_SUITE_DRIVER_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace tenon::suite {

/// The primary context of device 0. A call that fails throws
/// std::runtime_error with its name and error.
class Driver {
public:
  /// The driver of this process.
  static Driver &instance();

  std::string deviceName();
  int capability(); ///< 90 is 9.0
  int version();    ///< of CUDA: 12040 is 12.4

  uint64_t allocate(size_t bytes);
  void free(uint64_t address);
  void write(uint64_t to, const void *from, size_t bytes);
  /// Starts a copy within the device; `synchronize` waits for it.
  void copy(uint64_t to, uint64_t from, size_t bytes);
  void synchronize();

private:
  Driver();
  ~Driver();
  template <typename... Parameters, typename... Arguments>
  void call(const char *name, int (*)(Parameters...), Arguments... arguments);
  void *symbol(const char *name);

  void *library = nullptr;
  int device = 0;
};

} // namespace tenon::suite

#endif
