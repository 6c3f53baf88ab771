// Samples images at positions between their elements: finds the neighbours of
// each position with their weights, and sums the neighbours' channels.
#ifndef TENON_COMPILER_IMPORT_ONNX_OPS_SAMPLING_H
#define TENON_COMPILER_IMPORT_ONNX_OPS_SAMPLING_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon::onnx {

/// An element near a position, which counts with a weight; along one or more
/// dimensions.
struct Tap {
  mlir::Value index;  ///< i64, within the extent
  mlir::Value weight; ///< float; null means one
  mlir::Value inside; ///< bool; null means always true
};

/// The treatment of positions outside the image.
enum class Outside { Zeros, Border, Reflection };

/// Positions along one dimension.
struct GridDim {
  GraphBuilder &g;
  mlir::Value extent; ///< rank 0, of the positions' float type
  Outside outside;
  bool alignCorners;

  /// Converts coordinates in [-1, 1] to element positions.
  mlir::Value denormalize(mlir::Value x) const;
  /// The elements and weights that the value at position `x` is computed from;
  /// `mode` is nearest, linear or cubic.
  llvm::SmallVector<Tap> taps(mlir::Value x, llvm::StringRef mode) const;

private:
  mlir::Value last() const;
  mlir::Value limit(mlir::Value x) const;
  mlir::Value reflect(mlir::Value x) const;
  mlir::Value settle(mlir::Value x) const;
  Tap tap(mlir::Value at, mlir::Value weight) const;
};

/// Combines every corner with every tap of a further dimension of `extent`
/// elements.
llvm::SmallVector<Tap> crossTaps(GraphBuilder &g, llvm::ArrayRef<Tap> corners,
                                 llvm::ArrayRef<Tap> taps, Size extent);

/// The weighted sums [N, P, C] of rows of `table`, [N, places, C], at the
/// corners of P positions, [N, P].
mlir::Value sampleRows(GraphBuilder &g, mlir::Value table,
                       llvm::ArrayRef<Tap> corners);

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_OPS_SAMPLING_H
