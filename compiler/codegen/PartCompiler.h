// One LLVM module to one file in memory: the core linked in, optimized,
// emitted.
#ifndef TENON_COMPILER_CODEGEN_PARTCOMPILER_H
#define TENON_COMPILER_CODEGEN_PARTCOMPILER_H

#include "compiler/codegen/ModuleCompiler.h"

namespace tenon {

/// Lets `function` use the instructions of `target`.
void setTarget(llvm::Function &function, const TargetChoice &target);

/// Compiles `module` by `machine`, which is `target`'s, as are the functions
/// that no target was set for. The same module gives the same bytes. Returns
/// what is wrong with the module, or nothing.
std::string compilePart(llvm::Module &module, llvm::TargetMachine &machine,
                        const TargetChoice &target, CodeForm form,
                        Bytes &bytes);

} // namespace tenon

#endif // TENON_COMPILER_CODEGEN_PARTCOMPILER_H
