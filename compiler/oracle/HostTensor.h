// A tensor on the host, as the oracle sees it: a type, extents and plain
// elements. Floats are doubles whatever their element type; integers are exact
// in their width, kept extended to 64 bits.
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

/// Row-major elements of one type. A scalar of the graph (an `index`, an i1)
/// is a tensor of rank 0.
struct HostTensor {
  /// f16, bf16, f32, f64, iN, uiN, i1 or index.
  mlir::Type element;
  llvm::SmallVector<int64_t> shape;
  std::vector<double> floats; ///< the elements when `element` is a float
  /// The elements otherwise: sign or zero extended (ui64: the bits), bools 0
  /// or 1.
  std::vector<int64_t> ints;
  /// Where asked for: of each float, how far any evaluation that rounds as it
  /// may can be from it. Empty says that nothing was rounded.
  std::vector<double> errors = {};

  double errorAt(int64_t i) const { return errors.empty() ? 0 : errors[i]; }
  bool isFloat() const;
  int64_t count() const;

  /// Zeros; the number of elements must fit the memory.
  static HostTensor zeros(mlir::Type element, llvm::ArrayRef<int64_t> shape);
  /// A rank-0 tensor of an integer-like type, wrapped to its width.
  static HostTensor scalar(mlir::Type element, int64_t value);
  static HostTensor scalar(mlir::Type element, double value);
  /// Little-endian row-major bytes, a bool being one byte.
  static llvm::Expected<HostTensor> fromBytes(mlir::Type element,
                                              llvm::ArrayRef<int64_t> shape,
                                              llvm::ArrayRef<char> bytes);
  static llvm::Expected<HostTensor> fromAttr(mlir::ElementsAttr attr);
  /// Floats are rounded to the element type.
  std::vector<char> toBytes() const;
  /// `tensor<2x2xf32> [[1, 2], [3, nan]]`, floats with `digits` digits.
  std::string text(int digits = 9) const;
};

bool isFloatElement(mlir::Type element);
bool isUnsignedElement(mlir::Type element);
bool isBoolElement(mlir::Type element);
/// In bits; 64 for index, 1 for bool.
unsigned elementWidth(mlir::Type element);
/// In bytes; 1 for bool.
int64_t elementBytes(mlir::Type element);

/// The value modulo 2^width, extended as the type says.
int64_t wrapToElement(mlir::Type element, int64_t value);
/// The nearest value of a float type, ties to even; infinite past its range.
double roundToElement(mlir::Type element, double value);
/// An integer as the nearest value of a float type, rounded once.
double intToFloat(mlir::Type from, int64_t value, mlir::Type to);
/// Truncated, saturated at the ends of the integer type, NaN as zero.
int64_t floatToInt(double value, mlir::Type to);

/// The element's bits in its own width.
uint64_t elementBits(const HostTensor &tensor, int64_t at);
/// Sets an element from bits of its own width.
void setElementBits(HostTensor &tensor, int64_t at, uint64_t bits);

/// The product of the extents, or -1 when one is negative or the product
/// overflows.
int64_t checkedCount(llvm::ArrayRef<int64_t> shape);

} // namespace tenon

#endif // TENON_COMPILER_ORACLE_HOSTTENSOR_H
