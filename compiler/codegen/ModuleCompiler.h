// From the LLVM dialect to bytes: a translated module, cut into parts, each
// with the core linked in, optimized, and emitted into memory as objects or as
// text.
#ifndef TENON_COMPILER_CODEGEN_MODULECOMPILER_H
#define TENON_COMPILER_CODEGEN_MODULECOMPILER_H

#include "compiler/codegen/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>
#include <vector>

namespace tenon {

/// Objects may be several, to be linked together; the others are one file.
enum class CodeForm { Objects, OneObject, Assembly, LlvmIr };

using Bytes = llvm::SmallVector<char, 0>;

/// One module on its way. The steps are called in their order; each returns
/// false after it has reported an error.
class ModuleCompiler {
public:
  ModuleCompiler(const TargetChoice &target, DiagnosticHandler report);
  ~ModuleCompiler();

  /// Takes `module`, all of it in the LLVM dialect, under the name `name`, and
  /// makes every definition internal.
  bool translate(mlir::ModuleOp module, const std::string &name);

  /// The module between translation and optimization, where the artifact adds
  /// what shall be exported.
  llvm::Module &module() { return *llvmModule; }

  /// Bits of tenon_cpu_feature the code may use: the target's, less those that
  /// nothing here asks for.
  uint64_t featuresInUse() const;

  /// Links what the code calls of the core, optimizes and emits, on up to
  /// `threads` threads; the bytes do not depend on how many. `kernels` are the
  /// functions that may stand in other files than the rest; what the module
  /// exports is in the first.
  bool compile(CodeForm form, const std::vector<std::string> &kernels,
               unsigned threads, std::vector<Bytes> &files);

  /// Reads the names the objects leave open and checks that libc and libm have
  /// them, but for `ours`. `needsLibm` is set where libm does.
  bool checkUndefined(const std::vector<Bytes> &objects,
                      llvm::ArrayRef<std::string> ours, bool &needsLibm);

private:
  bool fail(std::string text);

  TargetChoice target;
  DiagnosticHandler report;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> llvmModule;
};

} // namespace tenon

#endif // TENON_COMPILER_CODEGEN_MODULECOMPILER_H
