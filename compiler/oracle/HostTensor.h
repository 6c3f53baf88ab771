// A tensor as the oracle stores it: an element type, extents and plain
// elements. Floats of every type are stored as double. Integers are exact in
// their width and extended to 64 bits.
#ifndef TENON_COMPILER_ORACLE_HOSTTENSOR_H
#define TENON_COMPILER_ORACLE_HOSTTENSOR_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tenon {

/// Row-major elements of one type. A scalar (`index` or i1) is a tensor of rank
/// 0.
struct HostTensor {
  /// f16, bf16, f32, f64, iN, uiN, i1 or index.
  mlir::Type element;
  llvm::SmallVector<int64_t> shape;
  std::vector<double> floats; ///< the elements if `element` is a float
  /// The elements if `element` is an integer, sign- or zero-extended (ui64: the
  /// bits). Bools are 0 or 1.
  std::vector<int64_t> ints;
  /// An error bound for each float, if bounds are computed: the largest
  /// distance from any evaluation with allowed rounding. Empty: nothing was
  /// rounded.
  std::vector<double> errors = {};

  double errorAt(int64_t i) const { return errors.empty() ? 0 : errors[i]; }
  bool isFloat() const;
  int64_t count() const;

  /// A tensor of zeros. The elements must fit memory.
  static HostTensor zeros(mlir::Type element, llvm::ArrayRef<int64_t> shape);
  /// A rank-0 tensor of an integer-like type, wrapped to its width.
  static HostTensor scalar(mlir::Type element, int64_t value);
  static HostTensor scalar(mlir::Type element, double value);
  /// Reads little-endian row-major bytes; a bool is one byte.
  static llvm::Expected<HostTensor> fromBytes(mlir::Type element,
                                              llvm::ArrayRef<int64_t> shape,
                                              llvm::ArrayRef<char> bytes);
  static llvm::Expected<HostTensor> fromAttr(mlir::ElementsAttr attr);
  /// Little-endian row-major bytes; floats are rounded to the element type.
  std::vector<char> toBytes() const;
  /// Text like `tensor<2x2xf32> [[1, 2], [3, nan]]`, floats with `digits`
  /// digits.
  std::string text(int digits = 9) const;
};

bool isFloatElement(mlir::Type element);
bool isUnsignedElement(mlir::Type element);
bool isBoolElement(mlir::Type element);
/// The width in bits; 64 for index, 1 for bool.
unsigned elementWidth(mlir::Type element);
/// The width in bytes; 1 for bool.
int64_t elementBytes(mlir::Type element);

/// The value modulo 2^width, sign- or zero-extended as the type demands.
int64_t wrapToElement(mlir::Type element, int64_t value);
/// The nearest value of a float type, ties to even; infinite outside its range.
double roundToElement(mlir::Type element, double value);
/// An integer as the nearest value of a float type, rounded once.
double intToFloat(mlir::Type from, int64_t value, mlir::Type to);
/// The value truncated, saturated at the ends of the integer type; NaN becomes
/// 0.
int64_t floatToInt(double value, mlir::Type to);

/// The element's bits, in its own width.
uint64_t elementBits(const HostTensor &tensor, int64_t at);
/// Sets an element from its bits.
void setElementBits(HostTensor &tensor, int64_t at, uint64_t bits);

/// The product of the extents; -1 if an extent is negative or the product
/// overflows.
int64_t checkedCount(llvm::ArrayRef<int64_t> shape);

} // namespace tenon

#endif // TENON_COMPILER_ORACLE_HOSTTENSOR_H
