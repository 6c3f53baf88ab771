// Keeps LLVM from merging two roundings to f16 into one.
#ifndef TENON_COMPILER_CODEGEN_HALFROUNDINGS_H
#define TENON_COMPILER_CODEGEN_HALFROUNDINGS_H

namespace llvm {
class Module;
} // namespace llvm

namespace tenon {

/// Fences every value that is rounded to f16. If a part of the value was
/// rounded from f64 to f32 before, be it only the sign of a copysign, LLVM 22
/// merges the two roundings of a scalar and calls `__truncdfhf2`. That gives
/// another result, and the C library lacks the function.
void fenceHalfRoundings(llvm::Module &module);

} // namespace tenon

#endif // TENON_COMPILER_CODEGEN_HALFROUNDINGS_H
