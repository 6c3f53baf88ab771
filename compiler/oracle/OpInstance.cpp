// Index arithmetic, combination of elements, and errors for all op families.
#include "compiler/oracle/OpInstance.h"

#include "mlir/IR/Location.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace tenon {

/// The op's name, and the model node or source line it comes from.
static std::string placeOf(Operation *op) {
  std::string where;
  llvm::raw_string_ostream out(where);
  out << op->getName().getStringRef();
  if (auto name = op->getLoc()->findInstanceOf<NameLoc>())
    out << " \"" << name.getName().getValue() << '"';
  else if (auto file = op->getLoc()->findInstanceOf<FileLineColLoc>())
    out << " (line " << file.getLine() << ")";
  return where;
}

llvm::Error OpInstance::error(const llvm::Twine &text) const {
  return llvm::createStringError(placeOf(op) + ": " + text);
}

llvm::Error OpInstance::limit(const llvm::Twine &text) const {
  return llvm::createStringError(
      std::make_error_code(std::errc::not_enough_memory),
      placeOf(op) + ": " + text);
}

llvm::Expected<HostTensor> OpInstance::allocate(Type element,
                                                Indices shape) const {
  int64_t count = checkedCount(shape);
  if (llvm::any_of(shape, [](int64_t extent) { return extent < 0; }))
    return error("expected extents that are sizes, got " + shapeText(shape));
  if (count < 0)
    return limit("expected extents whose product fits 64 bits, got " +
                 shapeText(shape));
  if (count > options.maxElements)
    return limit("expected at most " + Twine(options.maxElements) +
                 " elements, got " + Twine(count));
  // Only for large tensors, because memoryLeft takes a system call.
  constexpr int64_t largeCount = 1 << 20;
  bool hasErrors = options.bounds && isFloatElement(element);
  uint64_t bytes = count * sizeof(double) * (hasErrors ? 2 : 1);
  if (count >= largeCount && options.memoryLeft) {
    uint64_t left = options.memoryLeft();
    if (bytes > left)
      return limit("a tensor of " + Twine(count) + " elements takes " +
                   Twine(bytes >> 20) + " MiB in the reference, and " +
                   Twine(left >> 20) + " MiB may be taken");
  }
  return copyOf(HostTensor::zeros(element, shape));
}

HostTensor OpInstance::copyOf(HostTensor x) const {
  if (options.bounds && x.isFloat())
    x.errors.resize(x.floats.size());
  return x;
}

Type OpInstance::resultElement(unsigned result) const {
  return getElementTypeOrSelf(op->getResult(result).getType());
}

SmallVector<int64_t> OpInstance::mixed(Indices list, Operands values) const {
  SmallVector<int64_t> result(list);
  size_t next = 0;
  for (int64_t &entry : result)
    if (ShapedType::isDynamic(entry))
      entry = values[next++]->ints[0];
  return result;
}

double maximumOf(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

double minimumOf(double a, double b) { return -maximumOf(-a, -b); }

bool lessInt(Type element, int64_t a, int64_t b) {
  return isUnsignedElement(element) ? uint64_t(a) < uint64_t(b) : a < b;
}

double combine(ReduceKind kind, double a, double b) {
  switch (kind) {
  case ReduceKind::Multiply:
    return a * b;
  case ReduceKind::Maximum:
    return maximumOf(a, b);
  case ReduceKind::Minimum:
    return minimumOf(a, b);
  default:
    return a + b;
  }
}

int64_t combine(ReduceKind kind, Type element, int64_t a, int64_t b) {
  bool logical = isBoolElement(element);
  switch (kind) {
  case ReduceKind::Add:
    return logical ? a | b : wrapToElement(element, uint64_t(a) + uint64_t(b));
  case ReduceKind::Multiply:
    return wrapToElement(element, uint64_t(a) * uint64_t(b));
  case ReduceKind::Maximum:
    return lessInt(element, a, b) ? b : a;
  case ReduceKind::Minimum:
    return lessInt(element, b, a) ? b : a;
  case ReduceKind::And:
    return a & b;
  case ReduceKind::Or:
    return a | b;
  }
  return a;
}

double floatIdentity(ReduceKind kind) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (kind) {
  case ReduceKind::Multiply:
    return 1;
  case ReduceKind::Maximum:
    return -infinity;
  case ReduceKind::Minimum:
    return infinity;
  default:
    return 0;
  }
}

int64_t intIdentity(ReduceKind kind, Type element) {
  unsigned width = elementWidth(element);
  bool isUnsigned = isUnsignedElement(element);
  switch (kind) {
  case ReduceKind::Multiply:
    return 1;
  case ReduceKind::Maximum:
    return isUnsigned ? 0 : llvm::minIntN(width);
  case ReduceKind::Minimum:
    return isUnsigned ? wrapToElement(element, -1) : llvm::maxIntN(width);
  case ReduceKind::And:
    return wrapToElement(element, -1);
  default:
    return 0;
  }
}

bool advance(MutableArrayRef<int64_t> index, Indices shape) {
  for (size_t i = shape.size(); i-- > 0;) {
    if (++index[i] < shape[i])
      return true;
    index[i] = 0;
  }
  return false;
}

SmallVector<int64_t> rowMajorStrides(Indices shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * std::max<int64_t>(shape[i], 1);
  return strides;
}

int64_t linearIndex(Indices index, Indices strides) {
  int64_t linear = 0;
  for (auto [i, stride] : llvm::zip_equal(index, strides))
    linear += i * stride;
  return linear;
}

std::string shapeText(Indices shape) {
  std::string text = "[";
  for (auto [i, extent] : llvm::enumerate(shape))
    text += (i ? ", " : "") + std::to_string(extent);
  return text + "]";
}

} // namespace tenon
