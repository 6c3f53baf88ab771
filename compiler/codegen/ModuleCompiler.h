// From the LLVM dialect to bytes: a translated module with the core linked in,
// optimized, and emitted into memory as an object or as text.
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

enum class CodeForm { Object, Assembly, LlvmIr, Bitcode };

/// One module on its way. The steps are called in their order; each returns
/// false after it has reported an error.
class ModuleCompiler {
public:
  ModuleCompiler(const TargetChoice &target, DiagnosticHandler report);
  ~ModuleCompiler();

  /// Takes `module`, all of it in the LLVM dialect, under the name `name`,
  /// links what it calls of the core, and makes every definition internal.
  bool translate(mlir::ModuleOp module, const std::string &name);

  /// The module between translation and optimization, where the artifact adds
  /// what shall be exported.
  llvm::Module &module() { return *llvmModule; }

  /// Bits of tenon_cpu_feature the code may use: the target's, less those that
  /// nothing here asks for.
  uint64_t featuresInUse() const;

  bool optimize();

  bool emit(CodeForm form, llvm::SmallVectorImpl<char> &bytes);

  /// Reads the names an object leaves open and checks that libc and libm have
  /// them, but for `ours`. `needsLibm` is set where libm does.
  bool checkUndefined(llvm::ArrayRef<char> object,
                      llvm::ArrayRef<std::string> ours, bool &needsLibm);

private:
  bool fail(std::string text);
  bool linkCore();
  void setAttributes();

  TargetChoice target;
  DiagnosticHandler report;
  llvm::LLVMContext context;
  std::string problems; ///< what LLVM reported through the context
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> llvmModule;
};

} // namespace tenon

#endif // TENON_COMPILER_CODEGEN_MODULECOMPILER_H
