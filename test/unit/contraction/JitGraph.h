// Runs graphs of tenon ops as compiled code in this process, through the
// compiler's phases and LLVM.
#ifndef TENON_TEST_UNIT_CONTRACTION_JITGRAPH_H
#define TENON_TEST_UNIT_CONTRACTION_JITGRAPH_H

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tenon {

struct JitTarget {
  const char *cpu;
  int64_t vectorBytes;
  std::vector<std::string> features{}; ///< besides those of the CPU:
                                       ///< "+amx-bf16"
  int64_t amxParts = 0;
  bool optimize = true; ///< by LLVM's passes, and the code as -O2 makes it
  bool costlyBroadcasts = false; ///< MachineAttr's costly_broadcasts
};
/// The targets that this machine can run. LLVM optimizes the code of one of
/// them, because no bit may depend on it and wide vectors take LLVM more time.
std::vector<JitTarget> jitTargets();

/// One tensor in memory.
struct JitTensor {
  void *data;
  std::vector<int64_t> dims;
};

class JitGraph {
public:
  /// Compiles the functions of `text`; ends the process on any error.
  JitGraph(const std::string &text, JitTarget target);

  /// Calls `function`, with `step` tasks at a time.
  void run(const std::string &function, const std::vector<JitTensor> &inputs,
           const JitTensor &output, int64_t step = 1) const {
    runAll(function, inputs, {output}, step);
  }
  void runAll(const std::string &function, const std::vector<JitTensor> &inputs,
              const std::vector<JitTensor> &outputs, int64_t step = 1) const;

  /// True if the code multiplies tiles of AMX.
  bool usesTiles() const { return hasTiles; }

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
  bool hasTiles = false;
};

} // namespace tenon

#endif // TENON_TEST_UNIT_CONTRACTION_JITGRAPH_H
