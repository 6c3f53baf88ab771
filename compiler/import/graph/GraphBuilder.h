// Builds a graph for the frontends: thin functions over OpBuilder. Result types
// follow from the operands, and extents are carried as SSA sizes. Sizes of
// equal origin are one SSA value, so no broadcast between them is built.
// Callers check the rules of their format first: these functions report no
// errors.
#ifndef TENON_COMPILER_IMPORT_GRAPH_GRAPHBUILDER_H
#define TENON_COMPILER_IMPORT_GRAPH_GRAPHBUILDER_H

#include "dialects/tenon/TenonDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <optional>
#include <tuple>

namespace tenon {

/// A size or position: an index attribute if it is static, else an `index`
/// value.
using Size = mlir::OpFoldResult;
using Sizes = llvm::SmallVector<mlir::OpFoldResult>;

class GraphBuilder {
public:
  explicit GraphBuilder(mlir::MLIRContext *context)
      : ops(context), loc(mlir::UnknownLoc::get(context)) {}

  mlir::OpBuilder ops; ///< inserts the ops
  mlir::Location loc;  ///< the location of the ops

  /// Builds Op at `loc` and returns its first result:
  /// `g.make<tenon::ExpOp>(x)`. An op that infers its type ends the process if
  /// its operands break its rules.
  template <typename Op, typename... Args> mlir::Value make(Args &&...args) {
    return Op::create(ops, loc, std::forward<Args>(args)...)->getResult(0);
  }

  /// Prepares for another function: forgets the sizes of the previous one.
  void beginFunction() {
    known.clear();
    shared.clear();
    indexConstants.clear();
  }

  // Types.
  static mlir::RankedTensorType typeOf(mlir::Value value);
  static mlir::Type elementOf(mlir::Value value);
  static int64_t rankOf(mlir::Value value);
  static llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);
  mlir::Type i64() { return ops.getI64Type(); }
  mlir::Type i1() { return ops.getI1Type(); }
  mlir::Type f32() { return ops.getF32Type(); }

  // Sizes. Static arithmetic is folded, and equal dynamic arithmetic is shared.
  // Each op is inserted right after its operands, so its result can be used
  // wherever they can.
  Sizes sizes(mlir::Value value);
  Size size(mlir::Value value, int64_t dim);
  /// Records the sizes of a value, so that no `tensor.dim` is needed.
  void recordSizes(mlir::Value value, llvm::ArrayRef<Size> sizes);
  /// `value` with the extents `sizes` from here on; static ones become part of
  /// its type. They must agree with the extents known before.
  mlir::Value withSizes(mlir::Value value, llvm::ArrayRef<Size> sizes);
  /// Moves the insertion point of `ops` behind the last definition of
  /// `operands`.
  void placeAfter(llvm::ArrayRef<mlir::Value> operands);
  Size index(int64_t value);
  Sizes indices(llvm::ArrayRef<int64_t> values);
  /// `size` as an SSA value.
  mlir::Value indexValue(Size size);
  static std::optional<int64_t> staticSize(Size size);
  /// All sizes if all are static, else null.
  static std::optional<llvm::SmallVector<int64_t>>
  staticSizes(llvm::ArrayRef<Size> sizes);
  /// True if `size` is provably not negative.
  static bool isNonNegative(Size size);
  /// True if the sizes are known to be equal.
  static bool same(Size a, Size b);
  Size add(Size a, Size b);
  Size sub(Size a, Size b);
  Size mul(Size a, Size b);
  Size floorDiv(Size a, Size b); ///< rounds towards minus infinity
  Size ceilDiv(Size a, Size b);
  Size truncDiv(Size a, Size b); ///< rounds towards zero
  Size rem(Size a, Size b);      ///< remainder of truncDiv
  Size max(Size a, Size b);
  Size min(Size a, Size b);
  Size clamp(Size value, Size low, Size high);
  /// Selects by an i1 value or attribute, as cmp returns it.
  Size select(Size condition, Size whenTrue, Size whenFalse);
  Size cmp(mlir::arith::CmpIPredicate predicate, Size a, Size b);
  Size product(llvm::ArrayRef<Size> sizes);
  /// product(dividend) / product(divisor), which must divide without remainder.
  /// Equal factors cancel.
  Size quotient(llvm::ArrayRef<Size> dividend, llvm::ArrayRef<Size> divisor);
  /// A size computed at run time, for which memory is planned with the upper
  /// bound `bound`.
  Size bound(Size value, Size bound);

  // Constants.
  mlir::Value constant(mlir::ElementsAttr value);
  /// A constant of rank 0 of any element type. Floats are rounded, integers
  /// truncated; bools take 0 and 1.
  mlir::Value scalar(mlir::Type element, double value);
  mlir::Value scalarInt(mlir::Type element, int64_t value);
  /// An attribute with one element's value.
  mlir::TypedAttr elementAttr(mlir::Type element, double value);
  mlir::Value splat(mlir::Type element, llvm::ArrayRef<Size> sizes,
                    double value);
  mlir::Value splatLike(mlir::Value like, double value);
  /// The least number of an element type, the neutral element of a maximum.
  static double leastOf(mlir::Type element);
  /// An i64 constant of shape [n].
  mlir::Value ints(llvm::ArrayRef<int64_t> values);
  mlir::Value floats(mlir::Type element, llvm::ArrayRef<double> values,
                     llvm::ArrayRef<int64_t> shape);
  /// A tensor of rank 0 and integer type `element` with the value `size`.
  mlir::Value fromSize(Size size, mlir::Type element);
  /// An i64 tensor of shape [n] with the values `sizes`.
  mlir::Value fromSizes(llvm::ArrayRef<Size> sizes);
  /// The element of a tensor with one element, as an SSA scalar.
  mlir::Value extractScalar(mlir::Value tensor);

  // Movement. `dim` and `dims` are within [0, rank).
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<Size> sizes);
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// Inserts extents of one, so that they are at `dims` of the result.
  mlir::Value unsqueeze(mlir::Value value, llvm::ArrayRef<int64_t> dims);
  mlir::Value squeeze(mlir::Value value, llvm::ArrayRef<int64_t> dims);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  /// Swaps dimensions `a` and `b`.
  mlir::Value swapDims(mlir::Value value, int64_t a, int64_t b);
  mlir::Value slice(mlir::Value value, llvm::ArrayRef<Size> offsets,
                    llvm::ArrayRef<Size> sizes, llvm::ArrayRef<Size> strides);
  /// Slices dimension `dim` and keeps all others whole.
  mlir::Value sliceDim(mlir::Value value, int64_t dim, Size offset, Size size,
                       int64_t stride = 1);
  /// The first `k` elements of the descending or ascending sort along `dim`,
  /// and their positions. `k` is within the extent.
  std::pair<mlir::Value, mlir::Value> topK(mlir::Value value, Size k,
                                           int64_t dim, bool descending);
  /// Pads with `value`, a tensor of rank 0, without interior padding.
  mlir::Value pad(mlir::Value operand, mlir::Value value,
                  llvm::ArrayRef<Size> low, llvm::ArrayRef<Size> high);
  mlir::Value concat(llvm::ArrayRef<mlir::Value> values, int64_t dim);
  mlir::Value reverse(mlir::Value value, llvm::ArrayRef<int64_t> dims);
  mlir::Value iota(mlir::Type element, llvm::ArrayRef<Size> sizes, int64_t dim);
  mlir::Value broadcastInDim(mlir::Value value, llvm::ArrayRef<int64_t> dims,
                             llvm::ArrayRef<Size> sizes);
  /// Broadcasts by numpy's rules, aligned at the right. Returns `value` if
  /// nothing changes.
  mlir::Value broadcastTo(mlir::Value value, llvm::ArrayRef<Size> sizes);
  /// The common sizes of shapes by numpy's rules; null if static extents
  /// disagree.
  std::optional<Sizes> broadcastSizes(llvm::ArrayRef<Sizes> shapes);
  std::optional<Sizes> broadcastSizes(llvm::ArrayRef<mlir::Value> values);
  /// Broadcasts all values to their common sizes; false if there are none.
  [[nodiscard]] bool broadcast(llvm::MutableArrayRef<mlir::Value> values);
  /// Transposes [N, C, spatial...] to [N, spatial..., C] and back.
  mlir::Value toChannelsLast(mlir::Value value);
  mlir::Value fromChannelsLast(mlir::Value value);

  // Computation. Operands of binary functions must be broadcastable and have
  // one element type.
  template <typename Op> mlir::Value binary(mlir::Value lhs, mlir::Value rhs) {
    mlir::Value operands[] = {lhs, rhs};
    [[maybe_unused]] bool fits = broadcast(operands);
    assert(fits && "binary needs operands that can be broadcast");
    return make<Op>(operands[0], operands[1]);
  }
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value maximum(mlir::Value a, mlir::Value b);
  mlir::Value minimum(mlir::Value a, mlir::Value b);
  /// The next functions take a number as second operand.
  mlir::Value add(mlir::Value a, double b);
  mlir::Value sub(mlir::Value a, double b);
  mlir::Value mul(mlir::Value a, double b);
  mlir::Value div(mlir::Value a, double b);
  mlir::Value maximum(mlir::Value a, double b);
  mlir::Value minimum(mlir::Value a, double b);
  mlir::Value compare(CompareDirection direction, mlir::Value a, mlir::Value b);
  mlir::Value compare(CompareDirection direction, mlir::Value a, double b);
  mlir::Value select(mlir::Value condition, mlir::Value whenTrue,
                     mlir::Value whenFalse);
  mlir::Value clamp(mlir::Value value, double low, double high);
  mlir::Value convert(mlir::Value value, mlir::Type element);
  mlir::Value reduce(ReduceKind kind, mlir::Value value,
                     llvm::ArrayRef<int64_t> dims, bool keepDims);
  /// The sum divided by the number of elements.
  mlir::Value mean(mlir::Value value, llvm::ArrayRef<int64_t> dims,
                   bool keepDims);
  mlir::Value matmul(mlir::Value lhs, mlir::Value rhs); ///< both of rank 2
  /// Builds `dot_general` and computes the result's type and sizes. `result` is
  /// its element type (null: that of the operands).
  mlir::Value dotGeneral(mlir::Value lhs, mlir::Value rhs,
                         llvm::ArrayRef<int64_t> lhsBatch,
                         llvm::ArrayRef<int64_t> rhsBatch,
                         llvm::ArrayRef<int64_t> lhsContract,
                         llvm::ArrayRef<int64_t> rhsContract,
                         mlir::Type result = {});
  /// Slices along `dim` at `indices`, which must be checked and not negative.
  /// In the result the indices' extents replace `dim`.
  mlir::Value take(mlir::Value operand, mlir::Value indices, int64_t dim);
  /// `indices` with negative ones counted from the end of `extent`, then
  /// checked against it. A run-time error names `site`.
  mlir::Value checkedIndices(mlir::Value indices, Size extent,
                             llvm::StringRef site);
  /// Ends the run with an error at `site` if the size `found` is outside [low,
  /// high]. Emits nothing if it is known to be inside.
  void checkSize(Size found, Size low, Size high, llvm::StringRef site);
  mlir::Value dynamicUpdateSlice(mlir::Value operand, mlir::Value update,
                                 llvm::ArrayRef<Size> offsets);

private:
  using SizeKey = std::tuple<llvm::StringRef, void *, void *, void *>;

  llvm::DenseMap<mlir::Value, Sizes> known;
  std::map<SizeKey, mlir::Value> shared;
  std::map<int64_t, mlir::Value> indexConstants;

  Sizes traceSizes(mlir::Value value);
  Sizes askSizes(mlir::Value value);
  template <typename Op>
  Size
  arithmetic(llvm::StringRef name, Size a, Size b,
             llvm::function_ref<std::optional<int64_t>(int64_t, int64_t)> fold);
};

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_GRAPH_GRAPHBUILDER_H
