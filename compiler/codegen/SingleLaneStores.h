// Masked stores of one lane become plain stores of its element.
#ifndef TENON_COMPILER_CODEGEN_SINGLELANESTORES_H
#define TENON_COMPILER_CODEGEN_SINGLELANESTORES_H

namespace llvm {
class Module;
} // namespace llvm

namespace tenon {

/// LLVM 22 makes one scalar store of a masked store whose constant mask has a
/// single lane, and where the stored vector is narrowed from a wider one that
/// store has the wide element's size: it writes behind its end. Run last, after
/// masks have become as constant as they will.
void replaceSingleLaneStores(llvm::Module &module);

} // namespace tenon

#endif // TENON_COMPILER_CODEGEN_SINGLELANESTORES_H
