// The sequences of one step, as processors and warpers see them.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_SEQUENCES_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_SEQUENCES_H

#include "mlir/IR/Value.h"

namespace tenon::hf {

/// All values are i64 tensors; rows are those of the batch times beams.
struct Sequences {
  mlir::Value ids;       ///< [rows, positions], pads included; valid below
                         ///< `length`
  mlir::Value length;    ///< [], the tokens of a row, pads included
  mlir::Value prompt;    ///< [], the columns of the prompt
  mlir::Value maxLength; ///< [], the greatest length
  mlir::Value beams;     ///< [], the beams of this call
};

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_SEQUENCES_H
