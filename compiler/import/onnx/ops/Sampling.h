// Places in images that lie between elements: their neighbours with weights,
// and rows of channels fetched at them.
#ifndef TENON_COMPILER_IMPORT_ONNX_OPS_SAMPLING_H
#define TENON_COMPILER_IMPORT_ONNX_OPS_SAMPLING_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon::onnx {

/// A neighbour of a place along one or more dimensions.
struct Tap {
  mlir::Value index;  ///< i64, within the extent
  mlir::Value weight; ///< float, or null for one
  mlir::Value inside; ///< bool, or null when it always is
};

/// How places outside of the image are read.
enum class Outside { Zeros, Border, Reflection };

/// Where places lie along one dimension.
struct GridDim {
  GraphBuilder &g;
  mlir::Value extent; ///< rank 0, of the places' float type
  Outside outside;
  bool alignCorners;

  /// [-1, 1] to elements.
  mlir::Value denormalize(mlir::Value x) const;
  /// The elements that place `x` is computed from; `mode` is nearest, linear
  /// or cubic.
  llvm::SmallVector<Tap> taps(mlir::Value x, llvm::StringRef mode) const;

private:
  mlir::Value last() const;
  mlir::Value limit(mlir::Value x) const;
  mlir::Value reflect(mlir::Value x) const;
  mlir::Value settle(mlir::Value x) const;
  Tap tap(mlir::Value at, mlir::Value weight) const;
};

/// Every corner met with every tap of a further dimension of `extent` elements.
llvm::SmallVector<Tap> crossTaps(GraphBuilder &g, llvm::ArrayRef<Tap> corners,
                                 llvm::ArrayRef<Tap> taps, Size extent);

/// [N, P, C]: the weighted sums of rows of `table`, [N, places, C], at the
/// corners of P places, [N, P].
mlir::Value sampleRows(GraphBuilder &g, mlir::Value table,
                       llvm::ArrayRef<Tap> corners);

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_OPS_SAMPLING_H
