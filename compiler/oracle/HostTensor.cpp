// Host tensors: storage, rounding, bits and text. Every element that is read
// back is a value of the element type.
#include "compiler/oracle/HostTensor.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;
using llvm::ArrayRef;
using llvm::Expected;

namespace tenon {

bool isFloatElement(Type element) { return isa<FloatType>(element); }

bool isUnsignedElement(Type element) {
  return element.isUnsignedInteger() || element.isInteger(1);
}

bool isBoolElement(Type element) { return element.isInteger(1); }

unsigned elementWidth(Type element) {
  return element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
}

int64_t elementBytes(Type element) { return (elementWidth(element) + 7) / 8; }

int64_t checkedCount(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  bool empty = llvm::is_contained(shape, 0);
  for (int64_t extent : shape) {
    if (extent < 0)
      return -1;
    if (!empty && llvm::MulOverflow(count, extent, count))
      return -1;
  }
  return empty ? 0 : count;
}

bool HostTensor::isFloat() const { return isFloatElement(element); }

int64_t HostTensor::count() const {
  return isFloat() ? floats.size() : ints.size();
}

HostTensor HostTensor::zeros(Type element, ArrayRef<int64_t> shape) {
  HostTensor tensor{element, llvm::SmallVector<int64_t>(shape), {}, {}};
  int64_t count = checkedCount(shape);
  assert(count >= 0 && "extents are checked before memory is taken");
  if (tensor.isFloat())
    tensor.floats.resize(count);
  else
    tensor.ints.resize(count);
  return tensor;
}

HostTensor HostTensor::scalar(Type element, int64_t value) {
  return {element, {}, {}, {wrapToElement(element, value)}};
}

HostTensor HostTensor::scalar(Type element, double value) {
  return {element, {}, {value}, {}};
}

int64_t wrapToElement(Type element, int64_t value) {
  unsigned width = elementWidth(element);
  if (width >= 64)
    return value;
  if (isUnsignedElement(element))
    return value & int64_t(llvm::maskTrailingOnes<uint64_t>(width));
  return llvm::SignExtend64(uint64_t(value), width);
}

/// Rounds to `precision` significant bits with exponents of at least `least`;
/// infinite above `greatest`.
static double roundToPrecision(double value, int precision, int least,
                               double greatest) {
  if (value == 0 || !std::isfinite(value))
    return value;
  int exponent = std::max(std::ilogb(value), least);
  // Scaling by a power of two is exact, so this rounds once.
  double scaled = std::ldexp(value, precision - 1 - exponent);
  double rounded =
      std::ldexp(std::nearbyint(scaled), exponent - (precision - 1));
  if (std::fabs(rounded) > greatest)
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  return std::copysign(rounded, value);
}

double roundToElement(Type element, double value) {
  if (element.isF32())
    return double(float(value));
  if (element.isF16())
    return roundToPrecision(value, 11, -14, 65504.0);
  if (element.isBF16())
    return roundToPrecision(value, 8, -126, 0x1.FEp127);
  return value;
}

double intToFloat(Type from, int64_t value, Type to) {
  bool isUnsigned = isUnsignedElement(from);
  APFloat number(cast<FloatType>(to).getFloatSemantics());
  number.convertFromAPInt(APInt(64, uint64_t(value)), !isUnsigned,
                          APFloat::rmNearestTiesToEven);
  bool lossy;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
  return number.convertToDouble();
}

int64_t floatToInt(double value, Type to) {
  if (isBoolElement(to))
    return value != 0; // NaN is nonzero
  if (std::isnan(value))
    return 0;
  bool isUnsigned = isUnsignedElement(to);
  unsigned width = elementWidth(to);
  double whole = std::trunc(value);
  double above = std::ldexp(1.0, isUnsigned ? width : width - 1);
  if (whole >= above)
    return isUnsigned ? int64_t(llvm::maskTrailingOnes<uint64_t>(width))
                      : int64_t(llvm::maskTrailingOnes<uint64_t>(width - 1));
  if (isUnsigned)
    return whole <= 0 ? 0 : int64_t(uint64_t(whole));
  return whole < -above ? llvm::minIntN(width) : int64_t(whole);
}

uint64_t elementBits(const HostTensor &tensor, int64_t at) {
  Type element = tensor.element;
  if (!tensor.isFloat())
    return uint64_t(tensor.ints[at]) &
           llvm::maskTrailingOnes<uint64_t>(elementWidth(element));
  double value = tensor.floats[at];
  if (element.isF32())
    return llvm::bit_cast<uint32_t>(float(value));
  if (element.isF64())
    return llvm::bit_cast<uint64_t>(value);
  APFloat number(value);
  bool lossy;
  number.convert(cast<FloatType>(element).getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &lossy);
  return number.bitcastToAPInt().getZExtValue();
}

void setElementBits(HostTensor &tensor, int64_t at, uint64_t bits) {
  Type element = tensor.element;
  if (isBoolElement(element)) {
    tensor.ints[at] = bits != 0;
  } else if (!tensor.isFloat()) {
    tensor.ints[at] = wrapToElement(element, int64_t(bits));
  } else if (element.isF32()) {
    tensor.floats[at] = llvm::bit_cast<float>(uint32_t(bits));
  } else if (element.isF64()) {
    tensor.floats[at] = llvm::bit_cast<double>(bits);
  } else if (element.isBF16()) {
    tensor.floats[at] = llvm::bit_cast<float>(uint32_t(bits << 16));
  } else {
    APFloat number(cast<FloatType>(element).getFloatSemantics(),
                   APInt(elementWidth(element), bits));
    bool lossy;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
    tensor.floats[at] = number.convertToDouble();
  }
}

Expected<HostTensor> HostTensor::fromBytes(Type element,
                                           ArrayRef<int64_t> shape,
                                           ArrayRef<char> bytes) {
  int64_t count = checkedCount(shape), size = elementBytes(element), expected;
  if (count < 0 || llvm::MulOverflow(count, size, expected) ||
      expected != int64_t(bytes.size()))
    return llvm::createStringError("expected the bytes of " + Twine(count) +
                                   " elements, got " + Twine(bytes.size()));
  HostTensor tensor = zeros(element, shape);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = 0;
    for (int64_t b = 0; b < size; ++b)
      bits |= uint64_t(uint8_t(bytes[i * size + b])) << (8 * b);
    setElementBits(tensor, i, bits);
  }
  return tensor;
}

std::vector<char> HostTensor::toBytes() const {
  int64_t size = elementBytes(element);
  std::vector<char> bytes(count() * size);
  for (int64_t i = 0, n = count(); i < n; ++i) {
    uint64_t bits = elementBits(*this, i);
    for (int64_t b = 0; b < size; ++b)
      bytes[i * size + b] = char(bits >> (8 * b));
  }
  return bytes;
}

Expected<HostTensor> HostTensor::fromAttr(ElementsAttr attr) {
  auto type = cast<ShapedType>(attr.getType());
  HostTensor tensor = zeros(type.getElementType(), type.getShape());
  if (tensor.isFloat()) {
    auto values = attr.tryGetValues<APFloat>();
    if (!values)
      return llvm::createStringError("constant elements cannot be read");
    for (auto [to, from] : llvm::zip_equal(tensor.floats, *values)) {
      bool lossy;
      APFloat wide = from;
      wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
      to = wide.convertToDouble();
    }
    return tensor;
  }
  auto values = attr.tryGetValues<APInt>();
  if (!values)
    return llvm::createStringError("constant elements cannot be read");
  for (auto [to, from] : llvm::zip_equal(tensor.ints, *values))
    to = wrapToElement(tensor.element, int64_t(from.getZExtValue()));
  return tensor;
}

static void writeElement(llvm::raw_ostream &out, const HostTensor &tensor,
                         int64_t at, int digits) {
  if (isBoolElement(tensor.element)) {
    out << (tensor.ints[at] ? "true" : "false");
  } else if (!tensor.isFloat()) {
    if (isUnsignedElement(tensor.element))
      out << uint64_t(tensor.ints[at]);
    else
      out << tensor.ints[at];
  } else if (std::isnan(tensor.floats[at])) {
    out << "nan"; // the sign of a NaN is unspecified
  } else {
    out << llvm::format("%.*g", digits, tensor.floats[at]);
  }
}

std::string HostTensor::text(int digits) const {
  std::string buffer;
  llvm::raw_string_ostream out(buffer);
  out << RankedTensorType::get(shape, element) << ' ';
  int64_t next = 0;
  auto write = [&](auto &&self, size_t dim) -> void {
    if (dim == shape.size())
      return writeElement(out, *this, next++, digits);
    out << '[';
    for (int64_t i = 0; i < shape[dim]; ++i) {
      if (i)
        out << ", ";
      self(self, dim + 1);
    }
    out << ']';
  };
  write(write, 0);
  return buffer;
}

} // namespace tenon
