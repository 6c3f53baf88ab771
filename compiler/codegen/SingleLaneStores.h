// Replaces masked stores of one lane by plain stores of one element.
#ifndef TENON_COMPILER_CODEGEN_SINGLELANESTORES_H
#define TENON_COMPILER_CODEGEN_SINGLELANESTORES_H

namespace llvm {
class Module;
} // namespace llvm

namespace tenon {

/// Works around a fault of LLVM 22. It turns a masked store whose constant mask
/// has one lane into a scalar store. If the stored vector is narrowed from a
/// wider type, that store has the wide element's size and writes beyond the
/// element. Run this last, when as many masks as possible are constant.
void replaceSingleLaneStores(llvm::Module &module);

} // namespace tenon

#endif // TENON_COMPILER_CODEGEN_SINGLELANESTORES_H
