// Compares outputs element by element within one tolerance per tensor.
#include "test/random/Agreement.h"

#include "dialects/tenon/TenonDialect.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace tenon {

/// The distance from one to the next float.
static double unitRoundoff(Type element) {
  if (element.isF64())
    return 0x1p-52;
  if (element.isF32())
    return 0x1p-23;
  return element.isF16() ? 0x1p-10 : 0x1p-7;
}

/// Calls `visit` for each value an output is computed from, itself included.
static void forEachSource(Value output, llvm::function_ref<void(Value)> visit) {
  llvm::SmallPtrSet<Operation *, 16> seen;
  llvm::SmallVector<Value> left = {output};
  while (!left.empty()) {
    Value value = left.pop_back_val();
    visit(value);
    Operation *op = value.getDefiningOp();
    // With regions: what is computed inside counts as well.
    if (op && seen.insert(op).second)
      op->walk([&](Operation *inner) {
        llvm::append_range(left, inner->getOperands());
      });
  }
}

double coarsestRoundoff(Value output) {
  double coarsest = 0;
  forEachSource(output, [&](Value value) {
    Type element = getElementTypeOrSelf(value.getType());
    if (isFloatElement(element))
      coarsest = std::max(coarsest, unitRoundoff(element));
  });
  return coarsest;
}

double longestSum(Value output) {
  auto elements = [](Value value) {
    double count = 1;
    for (int64_t extent : cast<RankedTensorType>(value.getType()).getShape())
      count *= ShapedType::isDynamic(extent) ? 1 : double(extent);
    return std::max(count, 1.0);
  };
  double longest = 1;
  forEachSource(output, [&](Value value) {
    Operation *op = value.getDefiningOp();
    // No result has more terms than its operand has elements per result, and
    // in a contraction each result takes part of both operands.
    if (isa_and_nonnull<ReduceOp>(op))
      longest =
          std::max(longest, elements(op->getOperand(0)) / elements(value));
    if (isa_and_nonnull<DotGeneralOp, ConvolutionOp>(op))
      longest = std::max(longest, std::sqrt(elements(op->getOperand(0)) *
                                            elements(op->getOperand(1)) /
                                            elements(value)));
  });
  return longest;
}

HostTensor nudged(const HostTensor &input) {
  HostTensor result = input;
  double half = input.isFloat() ? unitRoundoff(input.element) / 2 : 0;
  for (auto [i, value] : llvm::enumerate(result.floats))
    value *= i % 2 ? 1 + half : 1 - half;
  return result;
}

double distance(const HostTensor &a, const HostTensor &b) {
  double greatest = 0;
  if (a.floats.size() == b.floats.size())
    for (auto [x, y] : llvm::zip_equal(a.floats, b.floats))
      if (std::isfinite(x) && std::isfinite(y))
        greatest = std::max(greatest, std::fabs(x - y));
  return greatest;
}

double tolerance(const Expectation &expected) {
  double moved = distance(expected.ideal, expected.rounded), greatest = 0;
  for (double value : expected.ideal.floats)
    if (std::isfinite(value))
      greatest = std::max(greatest, std::fabs(value));
  double unit =
      std::max(expected.roundoff, unitRoundoff(expected.ideal.element));
  double units = unit > 0x1p-20 ? 8 : 32;
  units *= std::max(1.0, std::sqrt(expected.terms) / 4);
  double cancelled = std::min(expected.sensitivity, 64 * unit);
  return 16 * (moved + cancelled) + units * unit * std::max(greatest, 0x1p-14);
}

static bool agrees(double ideal, double rounded, double actual,
                   double allowed) {
  if (std::isnan(ideal) || std::isnan(actual))
    return std::isnan(ideal) == std::isnan(actual);
  if (ideal == actual || rounded == actual)
    return true;
  return std::fabs(ideal - actual) <= allowed;
}

std::string disagreement(const Expectation &expected,
                         const HostTensor &actual) {
  const HostTensor &ideal = expected.ideal;
  if (ideal.shape != actual.shape || ideal.element != actual.element) {
    std::string text;
    llvm::raw_string_ostream out(text);
    out << "expected " << RankedTensorType::get(ideal.shape, ideal.element)
        << ", got " << RankedTensorType::get(actual.shape, actual.element);
    return text;
  }
  double allowed = ideal.isFloat() && !expected.exact ? tolerance(expected) : 0;
  for (int64_t i = 0, n = ideal.count(); i < n; ++i) {
    if (ideal.isFloat() ? agrees(ideal.floats[i], expected.rounded.floats[i],
                                 actual.floats[i], allowed)
                        : ideal.ints[i] == actual.ints[i])
      continue;
    if (!ideal.isFloat())
      return llvm::formatv("element {0}: expected {1}, got {2}", i,
                           ideal.ints[i], actual.ints[i]);
    return llvm::formatv(
        "element {0}: expected {1:e9} (rounded {2:e9}) within {3:e2}, got "
        "{4:e9}",
        i, ideal.floats[i], expected.rounded.floats[i], allowed,
        actual.floats[i]);
  }
  return "";
}

} // namespace tenon
