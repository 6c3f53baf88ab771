// Runs elementwise ops as compiled code. Input is tenon ops as text. For each
// op it makes a loop over arrays, on scalars and on vectors of 8 and 16 lanes,
// compiled for a named CPU in this process.
#ifndef TENON_TEST_UNIT_ELEMENTWISE_JITKERNEL_H
#define TENON_TEST_UNIT_ELEMENTWISE_JITKERNEL_H

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tenon {

/// One op: its text up to the types, on %a, %b and %c, and its element types.
/// With `combine` the text is a reduce kind, and the op is one step of that
/// reduction. With `multiplyAdd` the op is %a * %b + %c, rounded once.
struct KernelSpec {
  std::string text;
  std::vector<std::string> operands;
  std::string result;
  std::string combine = {};
  /// The constant value of the last operand, known to the emitter.
  std::optional<double> known = {};
  bool multiplyAdd = false;
};

enum Form : unsigned { Scalar = 1, Eight = 8, Sixteen = 16 };
inline constexpr Form allForms[] = {Scalar, Eight, Sixteen};

/// One CPU to compile for. `optimize` runs LLVM's passes.
struct Target {
  const char *cpu;
  bool optimize;
  bool halfByIntegers = false; ///< converts f16 without f16 instructions
  bool fmaByDoubles = false;   ///< multiplies and adds without FMA
                               ///< instructions
  bool roundByAdding = false;  ///< rounds to whole numbers without SSE4.1
};
/// The targets that this machine can run.
std::vector<Target> runnableTargets();

class JitKernels {
public:
  /// Compiles every spec in every form; ends the process with LLVM's error.
  JitKernels(const std::vector<KernelSpec> &specs, Target target);

  /// Runs spec `index` on `count` elements, a multiple of 16; bools are bytes.
  void run(size_t index, Form form, std::vector<const void *> inputs,
           void *output, int64_t count) const;

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

} // namespace tenon

#endif // TENON_TEST_UNIT_ELEMENTWISE_JITKERNEL_H
