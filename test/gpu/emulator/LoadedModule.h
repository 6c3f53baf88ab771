// A module on a machine: its variables have places, its kernels are decoded.
#ifndef TENON_TEST_GPU_EMULATOR_LOADEDMODULE_H
#define TENON_TEST_GPU_EMULATOR_LOADEDMODULE_H

#include "test/gpu/emulator/Launch.h"

namespace tenon::ptx {

class LoadedModule {
public:
  /// Throws TextError for what the architecture or the emulator does not have,
  /// and if the device's architecture, 80 for sm_80, is older than the
  /// module's.
  LoadedModule(Machine &machine, const std::string &text, int device);
  ~LoadedModule();
  LoadedModule(const LoadedModule &) = delete;
  LoadedModule &operator=(const LoadedModule &) = delete;

  /// The kernel of that name, or null.
  const Program *kernel(const std::string &name) const;
  const std::map<std::string, Program> &kernels() const { return programs; }
  /// The address and the bytes of a variable; 0 if there is none.
  std::pair<uint64_t, uint64_t> variable(const std::string &name) const;

private:
  void place(const Module &module);

  Machine &machine;
  std::map<std::string, std::pair<uint64_t, uint64_t>> variables;
  std::map<std::string, Program> programs;
};

} // namespace tenon::ptx

#endif
