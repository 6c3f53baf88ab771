// Floats made of sizes, as exporters write floor(height * scale): one number at
// a time by the rules of the dialect's ops, folded where it is known.
#ifndef TENON_COMPILER_IMPORT_SIZES_FLOATSIZES_H
#define TENON_COMPILER_IMPORT_SIZES_FLOATSIZES_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon {

/// Arithmetic on floats: a float attribute where the number is known, else an
/// f32 or f64 value.
class FloatSizes {
public:
  /// True for f32 and f64, the types whose numbers are computed.
  static bool isSupported(mlir::Type type);

  explicit FloatSizes(GraphBuilder &builder) : g(builder) {}

  /// The conversions of `tenon.convert`.
  Size fromSize(Size whole, mlir::Type type);
  Size toSize(Size number, mlir::IntegerType type);
  Size convert(Size number, mlir::Type type);

  Size add(Size a, Size b);
  Size sub(Size a, Size b);
  Size mul(Size a, Size b);
  Size div(Size a, Size b);
  Size max(Size a, Size b);
  Size min(Size a, Size b);
  Size negate(Size a);
  Size abs(Size a) { return max(a, negate(a)); }
  Size floor(Size a);
  Size ceil(Size a);
  Size roundToEven(Size a);
  /// A condition, as GraphBuilder::cmp gives it.
  Size cmp(CompareDirection direction, Size a, Size b);
  Size select(Size condition, Size whenTrue, Size whenFalse);

private:
  GraphBuilder &g;

  /// Calls `make` right after its operands, at least one of which is a value.
  /// Equal ops are left to CSE.
  mlir::Value
  build(llvm::ArrayRef<Size> operands,
        llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>)> make);
  template <typename Op> mlir::Value convertBy(Size operand, mlir::Type type);
  template <typename Op>
  Size
  binary(Size a, Size b,
         llvm::function_ref<llvm::APFloat(llvm::APFloat, llvm::APFloat)> fold);
  Size compare(mlir::arith::CmpFPredicate predicate, Size a, Size b);
  /// The next whole number above or below one that is not known.
  Size towards(Size a, bool up);
  /// Both of two conditions.
  Size both(Size a, Size b);
  /// The number if it `fits` into i64, else zero, without its fraction.
  mlir::Value truncated(Size fits, Size number);
};

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_SIZES_FLOATSIZES_H
