// Arithmetic on one number for each element along an output dimension. Static
// numbers are folded at import, others are computed by ops, so one formula
// serves both.
#ifndef TENON_COMPILER_IMPORT_ONNX_OPS_AXISMATH_H
#define TENON_COMPILER_IMPORT_ONNX_OPS_AXISMATH_H

#include "compiler/import/graph/GraphBuilder.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tenon::onnx {

/// The numbers along an output dimension, or one number for all of them.
struct AxisNumbers {
  std::optional<llvm::SmallVector<double>> known;
  mlir::Value value; ///< set if the numbers are not static
};

/// Arithmetic on lanes in f64, or rounded to f32 after every step.
class AxisMath {
  /// Longer lists are computed at run time, even if they are static.
  static constexpr int64_t maxKnown = 1 << 16;

public:
  explicit AxisMath(GraphBuilder &builder)
      : AxisMath(builder, builder.ops.getF64Type()) {}
  AxisMath(GraphBuilder &builder, mlir::Type real) : g(builder), real(real) {}

  AxisNumbers number(double value) {
    return {llvm::SmallVector<double>{value}, {}};
  }
  AxisNumbers size(Size size) {
    if (auto known = GraphBuilder::staticSize(size))
      return number(double(*known));
    return {std::nullopt, g.convert(g.fromSize(size, g.i64()), real)};
  }
  /// The lane 0, 1, ..., count - 1.
  AxisNumbers positions(Size count) {
    auto known = GraphBuilder::staticSize(count);
    if (!known || *known > maxKnown)
      return {std::nullopt, g.iota(real, {count}, 0)};
    llvm::SmallVector<double> values;
    for (int64_t i = 0; i < *known; ++i)
      values.push_back(double(i));
    return {values, {}};
  }
  AxisNumbers add(const AxisNumbers &a, const AxisNumbers &b) {
    return apply<AddOp>(a, b, [](double x, double y) { return x + y; });
  }
  AxisNumbers sub(const AxisNumbers &a, const AxisNumbers &b) {
    return apply<SubtractOp>(a, b, [](double x, double y) { return x - y; });
  }
  AxisNumbers mul(const AxisNumbers &a, const AxisNumbers &b) {
    return apply<MultiplyOp>(a, b, [](double x, double y) { return x * y; });
  }
  AxisNumbers div(const AxisNumbers &a, const AxisNumbers &b) {
    return apply<DivideOp>(a, b, [](double x, double y) { return x / y; });
  }
  AxisNumbers min(const AxisNumbers &a, const AxisNumbers &b) {
    return apply<MinimumOp>(a, b,
                            [](double x, double y) { return std::min(x, y); });
  }
  AxisNumbers max(const AxisNumbers &a, const AxisNumbers &b) {
    return apply<MaximumOp>(a, b,
                            [](double x, double y) { return std::max(x, y); });
  }
  AxisNumbers abs(const AxisNumbers &a) { return max(a, sub(number(0), a)); }
  AxisNumbers floor(const AxisNumbers &a) {
    if (!a.known)
      return {std::nullopt, g.make<FloorOp>(tensor(a))};
    AxisNumbers result = a;
    for (double &x : *result.known)
      x = std::floor(x);
    return result;
  }
  /// 1 where a < b (or a <= b with `orEqual`), else 0.
  AxisNumbers less(const AxisNumbers &a, const AxisNumbers &b,
                   bool orEqual = false) {
    if (a.known && b.known)
      return apply<AddOp>(a, b, [&](double x, double y) {
        return double(orEqual ? x <= y : x < y);
      });
    mlir::Value flag =
        g.compare(orEqual ? CompareDirection::LE : CompareDirection::LT,
                  tensor(a), tensor(b));
    return {std::nullopt, g.convert(flag, real)};
  }
  /// `yes` where `flag` is 1, `no` where it is 0.
  AxisNumbers choose(const AxisNumbers &flag, const AxisNumbers &yes,
                     const AxisNumbers &no) {
    if (flag.known && yes.known && no.known) {
      AxisNumbers picked = mul(flag, yes),
                  other = mul(sub(number(1), flag), no);
      return add(picked, other);
    }
    mlir::Value condition = g.compare(CompareDirection::NE, tensor(flag), 0.0);
    return {std::nullopt, g.select(condition, tensor(yes), tensor(no))};
  }
  /// The lane as a tensor of rank 1, or of rank 0 if it is one number.
  mlir::Value tensor(const AxisNumbers &lane) {
    if (!lane.known)
      return g.convert(lane.value, real);
    llvm::SmallVector<int64_t> shape;
    if (lane.known->size() != 1)
      shape.push_back(lane.known->size());
    return g.floats(real, *lane.known, shape);
  }
  /// The lane as a vector of `count` elements of type `element`.
  mlir::Value vector(const AxisNumbers &lane, Size count, mlir::Type element) {
    mlir::Value result =
        lane.known && lane.known->size() != 1
            ? g.floats(element, *lane.known, {int64_t(lane.known->size())})
            : g.convert(tensor(lane), element);
    return g.broadcastTo(result, {count});
  }

private:
  GraphBuilder &g;
  mlir::Type real; ///< f64 or f32

  /// Rounds to `real`. A sum, product or quotient of two f32 that is computed
  /// in f64 and rounded to f32 equals the f32 operation's result.
  double rounded(double x) const { return real.isF32() ? float(x) : x; }

  template <typename Op>
  AxisNumbers apply(const AxisNumbers &a, const AxisNumbers &b,
                    llvm::function_ref<double(double, double)> fold) {
    if (!a.known || !b.known)
      return {std::nullopt, g.binary<Op>(tensor(a), tensor(b))};
    size_t count = std::max(a.known->size(), b.known->size());
    if (a.known->empty() || b.known->empty())
      count = 0;
    llvm::SmallVector<double> result;
    for (size_t i = 0; i < count; ++i)
      result.push_back(
          rounded(fold(rounded((*a.known)[a.known->size() == 1 ? 0 : i]),
                       rounded((*b.known)[b.known->size() == 1 ? 0 : i]))));
    return {result, {}};
  }
};

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_OPS_AXISMATH_H
