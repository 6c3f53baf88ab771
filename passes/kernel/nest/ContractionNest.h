// A matrix product or convolution as plain strides: which loops carry rows,
// columns and sums, and how far each step moves in the two operands. Comes
// from a fusion's one contraction; goes to GemmEmitter, which needs to know
// nothing about dimension numbers.
#ifndef TENON_PASSES_KERNEL_NEST_CONTRACTIONNEST_H
#define TENON_PASSES_KERNEL_NEST_CONTRACTIONNEST_H

#include "passes/kernel/Kernel.h"
#include "passes/kernel/element/StoredColumns.h"

#include <optional>
#include <vector>

namespace tenon {

/// One dimension of the nest. Strides are in elements of the operands. Several
/// may share a dimension of the result, as groups and a group's outputs do; one
/// may have some of its indices only, as a phase of a transposed convolution.
struct ResultDim {
  mlir::Value extent, lhsStride, rhsStride;
  int64_t place;    ///< its number among the result's dimensions
  int64_t step = 1; ///< what one index moves there
  int64_t first = 0;
};

/// The product of their extents, where all are known.
std::optional<int64_t> knownProduct(llvm::ArrayRef<ResultDim> dims);

/// The guard of a tap: which input positions a window may touch.
struct WindowGuard {
  unsigned row;        ///< which of the nest's rows slides along this extent
  int64_t stride, low; ///< the window of position p starts at p * stride - low
  int64_t dilation;
  mlir::Value input; ///< the input's extent
};

/// One dimension that is summed over.
struct SumDim {
  mlir::Value extent, lhsStride, rhsStride;
  std::optional<WindowGuard> guard{}; ///< where the window can leave the input
};

/// Columns of an operand that was packed at compile time: so many lie side by
/// side, and the next ones `stride` elements after them.
struct ColumnPanels {
  int64_t width;
  mlir::Value stride;
};

struct ContractionNest {
  mlir::Value lhs, rhs; ///< rank 1, all elements
  mlir::Type lhsElement, rhsElement, resultElement, sum;
  llvm::SmallVector<ResultDim> outer; ///< batches, and columns but the last
  llvm::SmallVector<ResultDim> rows;
  /// Where the rows of all dimensions lie in lhs at one distance: that.
  mlir::Value rowStride{};
  ResultDim column;
  /// Where rhs lies in panels; column.rhsStride is that within one.
  std::optional<ColumnPanels> panels{};
  /// How products are formed. Of pairs a sum's extent counts the pairs: one
  /// step along it is two elements of lhs, and one word of rhs.
  Products products = Products::Chain;
  /// Sums that one element of rhs holds: eight four-bit integers in a word.
  int64_t sumsPerElement = 1;
  /// Where rhs has a scale for each block of sums: that.
  std::optional<GroupScales> scales{};
  llvm::SmallVector<SumDim> sums;   ///< outermost first, at least one
  mlir::Value lhsOrigin, rhsOrigin; ///< added to every offset there
  /// Products of the innermost dimension are summed in blocks of so many, the
  /// blocks' sums in order; 0: one after another.
  int64_t block = 0;
  /// Where there are several dimensions and the innermost is not known: whether
  /// it has more products than a block. If not, all are summed one after
  /// another, as if it were known.
  mlir::Value isBlocked{};

  int64_t rank; ///< of the result
  /// Bytes that `count` columns of one sum take in rhs.
  int64_t storedBytes(int64_t count) const {
    return count *
           mlir::cast<mlir::MemRefType>(rhs.getType())
               .getElementTypeBitWidth() /
           8 / sumsPerElement;
  }
  /// Whether the column is the innermost dimension of the result.
  bool columnIsLast() const { return column.place + 1 == rank; }
};

/// The nest of the kernel's product; nothing where its form is not covered.
std::optional<ContractionNest> nestOfDot(Kernel &kernel, DotGeneralOp op);
/// The nests that make up the kernel's convolution, more than one where it is
/// transposed; none where its form is not covered.
std::vector<ContractionNest> nestsOfConvolution(Kernel &kernel,
                                                ConvolutionOp op);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NEST_CONTRACTIONNEST_H
