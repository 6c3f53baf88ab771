// Arithmetic on single floats made of sizes, such as floor(height * scale). It
// follows the rules of the dialect's ops and folds static numbers.
#ifndef TENON_COMPILER_IMPORT_SIZES_FLOATSIZES_H
#define TENON_COMPILER_IMPORT_SIZES_FLOATSIZES_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon {

/// Arithmetic on floats. A float is an attribute if it is static, else an f32
/// or f64 value.
class FloatSizes {
public:
  /// True for f32 and f64, the supported types.
  static bool isSupported(mlir::Type type);

  explicit FloatSizes(GraphBuilder &builder) : g(builder) {}

  /// Conversions by the rules of `tenon.convert`.
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
  /// A condition (i1), as from GraphBuilder::cmp.
  Size cmp(CompareDirection direction, Size a, Size b);
  Size select(Size condition, Size whenTrue, Size whenFalse);

private:
  GraphBuilder &g;

  /// Calls `make` with the insertion point right after the operands, of which
  /// at least one is a value. Equal ops are not shared here; CSE merges them.
  mlir::Value
  build(llvm::ArrayRef<Size> operands,
        llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>)> make);
  template <typename Op> mlir::Value convertBy(Size operand, mlir::Type type);
  template <typename Op>
  Size
  binary(Size a, Size b,
         llvm::function_ref<llvm::APFloat(llvm::APFloat, llvm::APFloat)> fold);
  Size compare(mlir::arith::CmpFPredicate predicate, Size a, Size b);
  /// The next integer above (`up`) or below a dynamic number.
  Size towards(Size a, bool up);
  /// The conjunction of two conditions.
  Size both(Size a, Size b);
  /// The number rounded towards zero, as i64, if it `fits` into i64; else zero.
  mlir::Value truncated(Size fits, Size number);
};

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_SIZES_FLOATSIZES_H
