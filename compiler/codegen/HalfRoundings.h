// Keeps LLVM from merging two roundings to f16 into one.
#ifndef TENON_COMPILER_CODEGEN_HALFROUNDINGS_H
#define TENON_COMPILER_CODEGEN_HALFROUNDINGS_H

namespace llvm {
class Module;
} // namespace llvm

namespace tenon {

/// Fences every rounding of f64 to f32 that is followed by one to f16. When
/// LLVM 22 promotes a scalar f16, it merges the two into one rounding and calls
/// `__truncdfhf2`. That gives another result, and the C library lacks the
/// function.
void fenceHalfRoundings(llvm::Module &module);

} // namespace tenon

#endif // TENON_COMPILER_CODEGEN_HALFROUNDINGS_H
