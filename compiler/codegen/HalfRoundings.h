// Roundings to f16 that LLVM must not see through.
#ifndef TENON_COMPILER_CODEGEN_HALFROUNDINGS_H
#define TENON_COMPILER_CODEGEN_HALFROUNDINGS_H

namespace llvm {
class Module;
} // namespace llvm

namespace tenon {

/// LLVM 22 makes one rounding of f64 to f32 to f16 where a scalar f16 is
/// promoted, and calls `__truncdfhf2` for it: another result, and a function no
/// library of C has. A fence between the two keeps them apart.
void fenceHalfRoundings(llvm::Module &module);

} // namespace tenon

#endif // TENON_COMPILER_CODEGEN_HALFROUNDINGS_H
