// The sequences of one step, as processors and warpers see them.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_SEQUENCES_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_SEQUENCES_H

#include "mlir/IR/Value.h"

#include <functional>

namespace tenon::hf {

/// What the options of the encoder read: the prompt, or in a model with an
/// encoder the tokens that it has read.
struct Source {
  /// Builds i64 [rows, columns], with -1 after the ids of a row. Null if the
  /// prompt is the source.
  std::function<mlir::Value()> ids = {};
  mlir::OpFoldResult columns = {};
  bool exists = true; ///< false if the encoder reads no tokens
};

/// All values are i64 tensors; rows are those of the batch times beams.
struct Sequences {
  mlir::Value ids;       ///< [rows, positions], pads included; valid below
                         ///< `length`
  mlir::Value length;    ///< [], the tokens of a row, pads included
  mlir::Value prompt;    ///< [], the columns of the prompt
  mlir::Value maxLength; ///< [], the greatest length
  mlir::Value beams;     ///< [], the beams of this call
  Source source = {};
};

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_SEQUENCES_H
