// Parts of a graph that run on a condition.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_CONDITIONAL_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_CONDITIONAL_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon::hf {

/// The value of `yes` if `condition`, an i1 as GraphBuilder::cmp returns it, is
/// true, else that of `no`. Both have the sizes `sizes`. If the condition is
/// known, only one of them is built.
mlir::Value choose(GraphBuilder &g, Size condition, llvm::ArrayRef<Size> sizes,
                   llvm::function_ref<mlir::Value()> yes,
                   llvm::function_ref<mlir::Value()> no);

/// Several values, each with its own of `sizes`.
llvm::SmallVector<mlir::Value>
chooseAll(GraphBuilder &g, Size condition, llvm::ArrayRef<Sizes> sizes,
          llvm::function_ref<llvm::SmallVector<mlir::Value>()> yes,
          llvm::function_ref<llvm::SmallVector<mlir::Value>()> no);

/// Runs `yes` if `condition` is true, else `no`.
void either(GraphBuilder &g, Size condition, llvm::function_ref<void()> yes,
            llvm::function_ref<void()> no);

/// Runs `body` if `condition` is true.
void onlyIf(GraphBuilder &g, Size condition, llvm::function_ref<void()> body);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_CONDITIONAL_H
