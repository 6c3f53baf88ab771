// The scores of one step on their way through processors or warpers, and what
// these read.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_SCORES_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_SCORES_H

#include "compiler/import/huggingface/generation/Options.h"
#include "compiler/import/huggingface/generation/Sequences.h"

#include <limits>

namespace tenon::hf {

/// The score of a token that must not be chosen.
constexpr double removedScore = -std::numeric_limits<double>::infinity();

/// `scores`, or the result of `change` if `condition`, an i1, is true. Whatever
/// `change` builds runs only then and has the name of `option` as location.
mlir::Value changedIf(GraphBuilder &g, Option option, Size condition,
                      mlir::Value scores,
                      llvm::function_ref<mlir::Value()> change);

class Scores {
public:
  Scores(GraphBuilder &g, Options &options, const Sequences &at,
         mlir::Value scores);

  GraphBuilder &g;
  Options &options;
  mlir::Value value; ///< f32 [rows, vocabulary]

  mlir::Value ids; ///< i64 [rows, positions]
  /// Sizes of this step, as in Sequences.
  Size length, prompt, maxLength, beams;
  Source source;

  /// Options as scalars.
  Size integer(Option option);
  Size count(Option list);
  mlir::Value number(Option option); ///< f32
  mlir::Value flag(Option option);   ///< i1

  void changeIf(Option option, Size condition,
                llvm::function_ref<mlir::Value()> change) {
    value = changedIf(g, option, condition, value, change);
  }

  /// The scores with those removed where `mask` is true. `mask` is an i1 tensor
  /// that can be broadcast to the scores.
  mlir::Value without(mlir::Value mask) const;

  /// The first `columns` ids of each row.
  mlir::Value firstIds(Size columns) const;
  /// The scores of `tokens`, i64 [rows, n]. A token outside the vocabulary
  /// gives the score of some other one.
  mlir::Value at(mlir::Value tokens) const;
  /// The scores with `updates` at `tokens`, both [rows, n]. Tokens outside the
  /// vocabulary are skipped.
  mlir::Value with(ScatterKind kind, mlir::Value tokens,
                   mlir::Value updates) const;
};

/// Conditions on scalars.
Size both(GraphBuilder &g, Size a, Size b);
Size isAbove(GraphBuilder &g, mlir::Value number, double bound);
Size isBelow(GraphBuilder &g, mlir::Value number, double bound);
Size isNot(GraphBuilder &g, mlir::Value number, double other);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_SCORES_H
