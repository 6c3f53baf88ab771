// A loop over the items of a batch, as the builders of entries use it.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_LOOP_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_LOOP_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon::hf {

/// Runs `body` for each number from 0 to below `count`.
void forEach(GraphBuilder &g, Size count, llvm::function_ref<void(Size)> body);

/// The same with a value that `body` gets from the run before it and returns
/// with the same sizes. `first` is that of the first run.
mlir::Value forEach(GraphBuilder &g, Size count, mlir::Value first,
                    llvm::function_ref<mlir::Value(Size, mlir::Value)> body);

/// Element `index` of `x`, i64 [n], as a size.
Size sizeAt(GraphBuilder &g, mlir::Value x, Size index);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_LOOP_H
