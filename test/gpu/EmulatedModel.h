// A small model of models/, compiled for an emulated device, and its runs in
// processes of their own.
#ifndef TENON_TEST_GPU_EMULATEDMODEL_H
#define TENON_TEST_GPU_EMULATEDMODEL_H

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::test {

/// How a run on the device ended.
struct DeviceRun {
  /// Killed: also if it does not end.
  enum class End { SameBits, OtherBits, Error, Killed } end = End::Killed;
  std::string said;    ///< an error's text
  std::string finding; ///< of the emulator; empty if there is none
};

class EmulatedModel {
public:
  /// Compiles models/NAME.mlir for sm_80 and runs it on the CPU. What is wrong
  /// is in `complaint`.
  explicit EmulatedModel(const std::string &name);
  /// The same, but each model is compiled once.
  static const EmulatedModel &of(const std::string &name);
  ~EmulatedModel();
  EmulatedModel(const EmulatedModel &) = delete;

  /// The names of all models.
  static std::vector<std::string> names();

  /// Compares the bits of the CPU with those of an artifact that runs on the
  /// device, with the orders of a seed.
  DeviceRun run(uint64_t seed) const { return run(artifact, seed); }
  /// The same, for the model's file with other bytes.
  DeviceRun run(const std::string &bytes, uint64_t seed) const;

  /// The model's file, and the PTX in it: where it starts and its bytes.
  std::string artifact;
  size_t textStart = 0, textBytes = 0;
  std::string complaint;
  int numTransfers = 0; ///< between host and device, in the host's code

private:
  int runHere(const std::string &path, std::string &said) const;

  std::string folder;
  std::vector<std::string> expected; // bytes of each output of each run
};

} // namespace tenon::test

#endif
