// Compiles the LLVM dialect to bytes. The modules, one for each version, are
// translated and combined. The result is split into parts; each part gets the
// core linked in, is optimized, and is emitted into memory as an object or as
// text.
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

/// Objects: several objects to be linked together. The other forms are one
/// file.
enum class CodeForm { Objects, OneObject, Assembly, LlvmIr };

using Bytes = llvm::SmallVector<char, 0>;

/// One module being compiled. Call the steps in the order of declaration; each
/// returns false after it has reported an error.
class ModuleCompiler {
public:
  /// `targets` come from chooseTargets. Code that belongs to no version is
  /// compiled for the last of them.
  ModuleCompiler(std::vector<TargetChoice> targets, DiagnosticHandler report);
  ~ModuleCompiler();

  /// Translates modules of the LLVM dialect, one for each target, into one
  /// module named `name`, and makes every definition internal. If there are
  /// several, the names of each module's definitions get the prefix of
  /// versionPrefix.
  bool translate(llvm::ArrayRef<mlir::ModuleOp> versions,
                 const std::string &name);

  /// The module between translation and optimization. The artifact writer adds
  /// the exported symbols to it.
  llvm::Module &module() { return *llvmModule; }

  /// For each target the bits of tenon_cpu_feature that its code uses. They are
  /// the target's features without those that no code needs.
  const std::vector<uint64_t> &featuresInUse() const { return features; }

  /// The prefix of the names of a target's functions: its version's name,
  /// restricted to characters that assembly allows.
  std::string versionPrefix(const TargetChoice &target) const;

  /// Links the functions of the core that the code calls, optimizes and emits.
  /// The bytes do not depend on the number of `workers`. The functions in
  /// `kernels` may be put in other files than the rest; exported symbols are in
  /// the first file.
  bool compile(CodeForm form, const std::vector<std::string> &kernels,
               Workers &workers, std::vector<Bytes> &files);

  /// Checks that libc provides all undefined symbols of the objects, except
  /// `ours`.
  bool checkUndefined(const std::vector<Bytes> &objects,
                      llvm::ArrayRef<std::string> ours);

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
