// LLVM's passes as Tenon runs them.
#ifndef TENON_COMPILER_CODEGEN_OPTIMIZER_H
#define TENON_COMPILER_CODEGEN_OPTIMIZER_H

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace tenon {

/// Optimizes `module` for `machine` at a level of 0 to 3; what remains is what
/// code is made of.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, int optLevel);

} // namespace tenon

#endif // TENON_COMPILER_CODEGEN_OPTIMIZER_H
