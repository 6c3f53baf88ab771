// Keeps large functions from growing by inlining.
#ifndef TENON_COMPILER_CODEGEN_LARGECALLERS_H
#define TENON_COMPILER_CODEGEN_LARGECALLERS_H

namespace llvm {
class Module;
}

namespace tenon {

/// Forbids LLVM to inline calls of large functions. A graph function with
/// hundreds of kernels calls the core three times for each: inlined, the core
/// would be most of its code, and LLVM's compile time grows faster than the
/// size of a function. A small function keeps its inlined calls, because there
/// the time of a call counts.
void keepLargeCallers(llvm::Module &module);

} // namespace tenon

#endif // TENON_COMPILER_CODEGEN_LARGECALLERS_H
