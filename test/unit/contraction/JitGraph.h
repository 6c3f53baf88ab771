// Runs graphs of tenon ops as compiled code: through the compiler's phases,
// LLVM and into this process.
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
  std::vector<std::string> features{}; ///< beside those of the CPU: "+amx-bf16"
  int64_t amxParts = 0;
  bool optimize = true; ///< by LLVM's passes, and the code as -O2 makes it
};
/// The targets this machine can run. One is optimized and the other is not: no
/// bit may depend on it, and LLVM takes more time over the wider vectors.
std::vector<JitTarget> jitTargets();

/// One tensor in memory.
struct JitTensor {
  void *data;
  std::vector<int64_t> dims;
};

class JitGraph {
public:
  /// Compiles the functions of `text`; fails the process on any error.
  JitGraph(const std::string &text, JitTarget target);

  /// Calls `function`, its tasks `step` at a time.
  void run(const std::string &function, const std::vector<JitTensor> &inputs,
           const JitTensor &output, int64_t step = 1) const {
    runAll(function, inputs, {output}, step);
  }
  void runAll(const std::string &function, const std::vector<JitTensor> &inputs,
              const std::vector<JitTensor> &outputs, int64_t step = 1) const;

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

} // namespace tenon

#endif // TENON_TEST_UNIT_CONTRACTION_JITGRAPH_H
