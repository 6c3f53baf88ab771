// A matrix product or convolution as loops with plain strides. A nest says
// which loops carry rows, columns and sums, and the stride of each in both
// operands. It is built from a fusion's one contraction. GemmEmitter reads it
// and needs to know nothing about dimension numbers.
#ifndef TENON_PASSES_KERNEL_NEST_CONTRACTIONNEST_H
#define TENON_PASSES_KERNEL_NEST_CONTRACTIONNEST_H

#include "passes/kernel/Kernel.h"
#include "passes/kernel/element/StoredColumns.h"

#include <optional>
#include <vector>

namespace tenon {

/// One dimension of the nest. Strides are in elements of the operands. Several
/// of them may share a dimension of the result: groups and the outputs of a
/// group do. One may cover only some indices of the result's dimension: a phase
/// of a transposed convolution does.
struct ResultDim {
  mlir::Value extent, lhsStride, rhsStride;
  int64_t place;    ///< the number of the result's dimension
  int64_t step = 1; ///< its stride in the result's indices
  int64_t first = 0;
};

/// True if a dimension is known to continue an inner one in memory: its stride
/// `outer` is `extent` times the stride `inner`.
bool continuesDim(mlir::Value outer, mlir::Value inner, mlir::Value extent);

/// The product of the extents if all are known.
std::optional<int64_t> knownProduct(llvm::ArrayRef<ResultDim> dims);

/// The guard of a tap: the input positions that a window may read.
struct WindowGuard {
  unsigned row; ///< the nest's row dimension that slides along this extent
  int64_t stride, low; ///< the window of position p starts at p * stride - low
  int64_t dilation;
  mlir::Value input; ///< the input's extent
};

/// One dimension that is summed over.
struct SumDim {
  mlir::Value extent, lhsStride, rhsStride;
  std::optional<WindowGuard> guard{}; ///< set if the window can leave the input
};

/// Columns of an operand that was packed at compile time. `width` columns are
/// contiguous; the next panel begins `stride` elements after them.
struct ColumnPanels {
  int64_t width;
  mlir::Value stride;
};

struct ContractionNest {
  mlir::Value lhs, rhs; ///< rank 1, all elements
  mlir::Type lhsElement, rhsElement, resultElement, sum;
  llvm::SmallVector<ResultDim> outer; ///< batches, and all columns but the last
  llvm::SmallVector<ResultDim> rows;
  /// True if the rows are the positions of an image whose size is known only at
  /// run time. There are rarely few.
  bool isOpenImage = false;
  /// The stride in lhs of all rows together, if they have one.
  mlir::Value rowStride{};
  ResultDim column;
  /// The panels of rhs, if it has panels. column.rhsStride is then the stride
  /// within a panel.
  std::optional<ColumnPanels> panels{};
  /// How products are formed. With pairs or quads, a sum's extent counts words:
  /// one step along it is two or four elements of lhs and one word of rhs.
  Products products = Products::Chain;
  /// Elements of a sum that one element of rhs holds: eight int4 numbers in a
  /// word.
  int64_t sumsPerElement = 1;
  /// The scales of rhs, one for each block of a sum, if it has scales.
  std::optional<GroupScales> scales{};
  llvm::SmallVector<SumDim> sums;   ///< outermost first, at least one
  mlir::Value lhsOrigin, rhsOrigin; ///< added to every offset in the operand
  /// Products of the innermost dimension are summed in blocks of this many, and
  /// the blocks' sums are added in order. 0: all products are one chain.
  int64_t block = 0;
  /// True at run time if the innermost dimension has more products than a
  /// block. It is set if there are several dimensions and the extent of the
  /// innermost one is not known. If it is false, all products are one chain, as
  /// they would be with a known extent.
  mlir::Value isBlocked{};

  int64_t rank; ///< of the result
  /// Bytes of rhs that `count` columns of one sum take.
  int64_t storedBytes(int64_t count) const {
    return count *
           mlir::cast<mlir::MemRefType>(rhs.getType())
               .getElementTypeBitWidth() /
           8 / sumsPerElement;
  }
  /// True if the column is the innermost dimension of the result.
  bool columnIsLast() const { return column.place + 1 == rank; }
  /// True if a window can leave the input.
  bool hasGuards() const {
    return llvm::any_of(sums,
                        [](const SumDim &dim) { return bool(dim.guard); });
  }
  /// True if an instruction multiplies words of several elements.
  bool inWords() const { return products != Products::Chain; }
  /// True if single products multiply elements of rows as they are in memory by
  /// converted columns.
  bool convertsOnlyRhs() const {
    return !inWords() && lhsElement == sum && rhsElement != sum;
  }
};

/// The products of a chain in a convolution of sums of type `sum`, whose groups
/// have so many features; 0: all products are one chain.
int64_t blockOfConvolution(mlir::Type sum, std::optional<int64_t> features);

/// The nest of the kernel's product. Nullopt if its form is not covered; then
/// sets `obstacle` to the reason.
std::optional<ContractionNest> nestOfDot(Kernel &kernel, DotGeneralOp op,
                                         const char *&obstacle);
/// The nests that make up the kernel's convolution. A transposed convolution
/// has more than one. Empty if the form is not covered; then sets `obstacle` to
/// the reason.
std::vector<ContractionNest>
nestsOfConvolution(Kernel &kernel, ConvolutionOp op, const char *&obstacle);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NEST_CONTRACTIONNEST_H
