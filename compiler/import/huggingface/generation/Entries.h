// The functions of the artifact, as the builders of generation make them.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_ENTRIES_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_ENTRIES_H

#include "compiler/import/ModelImporter.h"

namespace tenon::hf {

class Entries {
public:
  virtual ~Entries() = default;

  /// Begins an entry function. The builder moves into its body.
  virtual mlir::func::FuncOp begin(llvm::StringRef name,
                                   llvm::ArrayRef<EntryArgument> inputs) = 0;
  virtual void end(mlir::func::FuncOp entry,
                   llvm::ArrayRef<mlir::Value> results,
                   llvm::ArrayRef<std::string> names) = 0;
  /// A builder in the module, before the entry under construction.
  virtual mlir::OpBuilder inModule() = 0;
};

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_ENTRIES_H
