// Rows of different lengths, with pads before their tokens. Rows are moved to
// the left, so that a row's tokens have the positions 0, 1, ... of the row
// alone, and no token can attend to a pad. Results are moved back.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_LEFTPADS_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_LEFTPADS_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon::hf {

class LeftPads {
public:
  /// `like` is [rows, seq, ...]. `lengths` is [rows] and checked.
  LeftPads(GraphBuilder &g, mlir::Value like, mlir::Value lengths);

  /// Moves each row of `x`, [rows, seq, ...], to the left by its pads. Its last
  /// element fills the places that become free.
  mlir::Value removeFrom(mlir::Value x);
  /// Moves each row back. Pads get what the row's first token has.
  mlir::Value restoreTo(mlir::Value x);

private:
  /// Element `columns` of each row of `x`.
  mlir::Value take(mlir::Value x, mlir::Value columns);

  GraphBuilder &g;
  mlir::Value column, firstOfRow; ///< [rows, seq]: j, and r * seq
  mlir::Value pads;               ///< [rows, 1]
  mlir::Value last;               ///< seq - 1
};

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_LEFTPADS_H
