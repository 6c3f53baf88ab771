// From the LLVM dialect to bytes: translated modules, one a version, put
// together and cut into parts, each with the core linked in, optimized, and
// emitted into memory as objects or as text.
#ifndef TENON_COMPILER_CODEGEN_MODULECOMPILER_H
#define TENON_COMPILER_CODEGEN_MODULECOMPILER_H

#include "compiler/codegen/Target.h"
#include "compiler/codegen/Workers.h"

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
  /// `targets` are as chooseTargets gives them; what is of no version is made
  /// for the last.
  ModuleCompiler(std::vector<TargetChoice> targets, DiagnosticHandler report);
  ~ModuleCompiler();

  /// Takes modules, all of them in the LLVM dialect, one a target, under the
  /// name `name`, and makes every definition internal. Where there are several,
  /// what each defines is called as versionPrefix says.
  bool translate(llvm::ArrayRef<mlir::ModuleOp> versions,
                 const std::string &name);

  /// The module between translation and optimization, where the artifact adds
  /// what shall be exported.
  llvm::Module &module() { return *llvmModule; }

  /// Bits of tenon_cpu_feature the code of each target may use: the target's,
  /// less those that nothing in it asks for.
  const std::vector<uint64_t> &featuresInUse() const { return features; }

  /// What the names of a target's functions start with: its CPU's, as far as it
  /// is a name in assembly too.
  std::string versionPrefix(const TargetChoice &target) const;

  /// Links what the code calls of the core, optimizes and emits; the bytes do
  /// not depend on how many `workers` there are. `kernels` are the functions
  /// that may stand in other files than the rest; what the module exports is in
  /// the first.
  bool compile(CodeForm form, const std::vector<std::string> &kernels,
               Workers &workers, std::vector<Bytes> &files);

  /// Reads the names the objects leave open and checks that libc and libm have
  /// them, but for `ours`. `needsLibm` is set where libm does.
  bool checkUndefined(const std::vector<Bytes> &objects,
                      llvm::ArrayRef<std::string> ours, bool &needsLibm);

private:
  bool fail(std::string text);
  std::unique_ptr<llvm::Module> translateOne(mlir::ModuleOp module,
                                             const TargetChoice &target,
                                             const std::string &name);

  std::vector<TargetChoice> targets;
  std::vector<uint64_t> features;
  DiagnosticHandler report;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> llvmModule;
};

} // namespace tenon

#endif // TENON_COMPILER_CODEGEN_MODULECOMPILER_H
