// The graph as frontends write it: thin functions over OpBuilder whose result
// types follow from operands, with extents carried as SSA sizes. Sizes of equal
// origin are one SSA value, so that broadcasts between them vanish here
// already. Callers check the rules of their format first: nothing here reports
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

/// A size or position: an index attribute where it is static, else an `index`
/// value.
using Size = mlir::OpFoldResult;
using Sizes = llvm::SmallVector<mlir::OpFoldResult>;

class GraphBuilder {
public:
  explicit GraphBuilder(mlir::MLIRContext *context)
      : ops(context), loc(mlir::UnknownLoc::get(context)) {}

  mlir::OpBuilder ops; ///< where ops go
  mlir::Location loc;  ///< whom they are attributed to

  /// Builds Op at `loc` and gives its first result:
  /// `g.make<tenon::ExpOp>(x)`. Ops that infer their type end the process on
  /// operands that break their rules.
  template <typename Op, typename... Args> mlir::Value make(Args &&...args) {
    return Op::create(ops, loc, std::forward<Args>(args)...)->getResult(0);
  }

  /// Another function begins: forgets the sizes of the one before.
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

  // Sizes. Arithmetic is folded where static and shared where not; every value
  // stands right after what it is computed from, so it can be used wherever
  // its operands can.
  Sizes sizes(mlir::Value value);
  Size size(mlir::Value value, int64_t dim);
  /// States what is known of a value's extents, instead of `tensor.dim`.
  void recordSizes(mlir::Value value, llvm::ArrayRef<Size> sizes);
  /// `value`, whose extents are known to be `sizes` from here on: known ones
  /// become part of its type. They agree with the extents known before.
  mlir::Value withSizes(mlir::Value value, llvm::ArrayRef<Size> sizes);
  /// Moves `ops` behind the last of `operands`' definitions.
  void placeAfter(llvm::ArrayRef<mlir::Value> operands);
  Size index(int64_t value);
  Sizes indices(llvm::ArrayRef<int64_t> values);
  /// As an SSA value.
  mlir::Value indexValue(Size size);
  static std::optional<int64_t> staticSize(Size size);
  /// All sizes, when all are static.
  static std::optional<llvm::SmallVector<int64_t>>
  staticSizes(llvm::ArrayRef<Size> sizes);
  /// Proved not to be negative.
  static bool isNonNegative(Size size);
  /// Known to be equal.
  static bool same(Size a, Size b);
  Size add(Size a, Size b);
  Size sub(Size a, Size b);
  Size mul(Size a, Size b);
  Size floorDiv(Size a, Size b); ///< towards minus infinity
  Size ceilDiv(Size a, Size b);
  Size truncDiv(Size a, Size b); ///< towards zero
  Size rem(Size a, Size b);      ///< what truncDiv leaves
  Size max(Size a, Size b);
  Size min(Size a, Size b);
  Size clamp(Size value, Size low, Size high);
  /// The condition is an i1 value or attribute (from cmp).
  Size select(Size condition, Size whenTrue, Size whenFalse);
  Size cmp(mlir::arith::CmpIPredicate predicate, Size a, Size b);
  Size product(llvm::ArrayRef<Size> sizes);
  /// product(dividend) / product(divisor), equal factors cancelled; they are
  /// known to divide.
  Size quotient(llvm::ArrayRef<Size> dividend, llvm::ArrayRef<Size> divisor);
  /// A size found in the run, planned for as `bound`.
  Size bound(Size value, Size bound);

  // Constants.
  mlir::Value constant(mlir::ElementsAttr value);
  /// Rank 0, of any element type; bools take 0 and 1. Values are rounded to
  /// floats, integers are truncated.
  mlir::Value scalar(mlir::Type element, double value);
  mlir::Value scalarInt(mlir::Type element, int64_t value);
  /// The attribute of one element.
  mlir::TypedAttr elementAttr(mlir::Type element, double value);
  mlir::Value splat(mlir::Type element, llvm::ArrayRef<Size> sizes,
                    double value);
  mlir::Value splatLike(mlir::Value like, double value);
  /// The least number of an element type, the neutral element of a maximum.
  static double leastOf(mlir::Type element);
  /// A constant of shape [n].
  mlir::Value ints(llvm::ArrayRef<int64_t> values);
  mlir::Value floats(mlir::Type element, llvm::ArrayRef<double> values,
                     llvm::ArrayRef<int64_t> shape);
  /// A rank 0 tensor of an integer type.
  mlir::Value fromSize(Size size, mlir::Type element);
  /// A tensor of shape [n] of i64.
  mlir::Value fromSizes(llvm::ArrayRef<Size> sizes);
  /// The element of a tensor of one element as an SSA scalar.
  mlir::Value extractScalar(mlir::Value tensor);

  // Movement. `dim` and `dims` are within the rank, not negative.
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<Size> sizes);
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// Extents of one at `dims` of the result.
  mlir::Value unsqueeze(mlir::Value value, llvm::ArrayRef<int64_t> dims);
  mlir::Value squeeze(mlir::Value value, llvm::ArrayRef<int64_t> dims);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  /// Swaps two dimensions.
  mlir::Value swapDims(mlir::Value value, int64_t a, int64_t b);
  mlir::Value slice(mlir::Value value, llvm::ArrayRef<Size> offsets,
                    llvm::ArrayRef<Size> sizes, llvm::ArrayRef<Size> strides);
  /// Whole in all dimensions but one.
  mlir::Value sliceDim(mlir::Value value, int64_t dim, Size offset, Size size,
                       int64_t stride = 1);
  /// `value` is of rank 0; no interior padding.
  mlir::Value pad(mlir::Value operand, mlir::Value value,
                  llvm::ArrayRef<Size> low, llvm::ArrayRef<Size> high);
  mlir::Value concat(llvm::ArrayRef<mlir::Value> values, int64_t dim);
  mlir::Value reverse(mlir::Value value, llvm::ArrayRef<int64_t> dims);
  mlir::Value iota(mlir::Type element, llvm::ArrayRef<Size> sizes, int64_t dim);
  mlir::Value broadcastInDim(mlir::Value value, llvm::ArrayRef<int64_t> dims,
                             llvm::ArrayRef<Size> sizes);
  /// Right-aligned, as numpy does; the value itself when nothing changes.
  mlir::Value broadcastTo(mlir::Value value, llvm::ArrayRef<Size> sizes);
  /// The common sizes of shapes under numpy's rules; nothing when static
  /// extents disagree.
  std::optional<Sizes> broadcastSizes(llvm::ArrayRef<Sizes> shapes);
  std::optional<Sizes> broadcastSizes(llvm::ArrayRef<mlir::Value> values);
  /// Brings all to the common sizes; false when there are none.
  [[nodiscard]] bool broadcast(llvm::MutableArrayRef<mlir::Value> values);
  /// [N, C, spatial...] to [N, spatial..., C] and back.
  mlir::Value toChannelsLast(mlir::Value value);
  mlir::Value fromChannelsLast(mlir::Value value);

  // Computation. Operands of binary functions are broadcast; they must be
  // broadcastable and of one element type.
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
  /// The same with a number for the second operand.
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
  /// The sum over the number of elements.
  mlir::Value mean(mlir::Value value, llvm::ArrayRef<int64_t> dims,
                   bool keepDims);
  mlir::Value matmul(mlir::Value lhs, mlir::Value rhs); ///< both of rank 2
  /// `dot_general` with the result's type and sizes worked out; `result` is
  /// the element type (null: the operands').
  mlir::Value dotGeneral(mlir::Value lhs, mlir::Value rhs,
                         llvm::ArrayRef<int64_t> lhsBatch,
                         llvm::ArrayRef<int64_t> rhsBatch,
                         llvm::ArrayRef<int64_t> lhsContract,
                         llvm::ArrayRef<int64_t> rhsContract,
                         mlir::Type result = {});
  /// Slices along `dim` at `indices` (already checked, not negative): the
  /// result has the indices' extents in place of `dim`.
  mlir::Value take(mlir::Value operand, mlir::Value indices, int64_t dim);
  /// Negative indices counted from the end of `extent`, then checked against
  /// it; a fault of the run names `site`.
  mlir::Value checkedIndices(mlir::Value indices, Size extent,
                             llvm::StringRef site);
  /// A run in which `found` is outside [low, high] ends with `site`; nothing
  /// where it is known to be within. Sizes only.
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
