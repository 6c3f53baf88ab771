// Selects the loops that LLVM may unroll. Tiles of kernels are already
// unrolled, so unrolling gains only in innermost loops and in windows.
#ifndef TENON_COMPILER_CODEGEN_OUTERLOOPS_H
#define TENON_COMPILER_CODEGEN_OUTERLOOPS_H

namespace llvm {
class Module;
}

namespace tenon {

/// Forbids LLVM to unroll loop nests deeper than a window's. To find that
/// unrolling does not pay, LLVM computes the cost of every instruction twice
/// for each loop around it.
void keepOuterLoops(llvm::Module &module);

} // namespace tenon

#endif // TENON_COMPILER_CODEGEN_OUTERLOOPS_H
