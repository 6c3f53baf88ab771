// LLVM's optimization pipeline, as Tenon uses it.
#ifndef TENON_COMPILER_CODEGEN_OPTIMIZER_H
#define TENON_COMPILER_CODEGEN_OPTIMIZER_H

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace tenon {

/// Optimizes `module` for `machine` at level 0 to 3. Afterwards the module is
/// ready for code generation.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, int optLevel);

} // namespace tenon

#endif // TENON_COMPILER_CODEGEN_OPTIMIZER_H
