// The warpers of scores: in sampling, they remove tokens that are improbable.
// The best token is kept. In beam search, so that a beam can always go on, one
// more is kept than can end a sequence, and at least two.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_WARPERS_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_WARPERS_H

#include "compiler/import/huggingface/generation/Options.h"
#include "compiler/import/huggingface/generation/Sequences.h"

namespace tenon::hf {

/// The scores, f32 [rows, n], of the tokens `columns`, i64 [rows, n], of which
/// each that is not removed stands once and in ascending order.
struct Candidates {
  mlir::Value scores, columns;
};

/// `scores`, f32 [rows, vocabulary], after temperature, top_k, top_p, min_p,
/// typical_p, epsilon_cutoff and eta_cutoff. An option that is off costs a
/// comparison.
mlir::Value warped(GraphBuilder &g, Options &options, const Sequences &at,
                   mlir::Value scores);

/// Builds what becomes of warped scores. `use` returns values of `sizes`, which
/// are the result. It is called twice, for few candidates and for all tokens.
llvm::SmallVector<mlir::Value>
useWarped(GraphBuilder &g, Options &options, const Sequences &at,
          mlir::Value scores, llvm::ArrayRef<Sizes> sizes,
          llvm::function_ref<llvm::SmallVector<mlir::Value>(Candidates)> use);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_WARPERS_H
