// Compiles one LLVM module to one file in memory: links the core, optimizes and
// emits.
#ifndef TENON_COMPILER_CODEGEN_PARTCOMPILER_H
#define TENON_COMPILER_CODEGEN_PARTCOMPILER_H

#include "compiler/codegen/ModuleCompiler.h"

namespace tenon {

/// Allows `function` to use the instructions of `target`.
void setTarget(llvm::Function &function, const TargetChoice &target);

/// Compiles `module` with `machine`, the machine of `target`. Functions without
/// a target of their own get `target`. Equal modules give equal bytes. Returns
/// an error text if the module is invalid, else an empty string.
std::string compilePart(llvm::Module &module, llvm::TargetMachine &machine,
                        const TargetChoice &target, CodeForm form,
                        Bytes &bytes);

/// Links the functions of `core`, bitcode, that `module` calls, prepares each
/// function, optimizes and emits.
std::string
compileWithCore(llvm::Module &module, llvm::TargetMachine &machine,
                int optLevel, llvm::StringRef core, CodeForm form, Bytes &bytes,
                llvm::function_ref<void(llvm::Function &)> prepare = nullptr);

} // namespace tenon

#endif // TENON_COMPILER_CODEGEN_PARTCOMPILER_H
