// Which loops LLVM may unroll: kernels come with their tiles unrolled, and what
// is left to gain is in innermost loops and in windows.
#ifndef TENON_COMPILER_CODEGEN_OUTERLOOPS_H
#define TENON_COMPILER_CODEGEN_OUTERLOOPS_H

namespace llvm {
class Module;
}

namespace tenon {

/// Forbids LLVM to unroll loops that hold loops deeper than a window's: to see
/// that it does not pay, it asks the cost of every instruction once for each
/// loop around it, twice.
void keepOuterLoops(llvm::Module &module);

} // namespace tenon

#endif // TENON_COMPILER_CODEGEN_OUTERLOOPS_H
