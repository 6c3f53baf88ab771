// Evaluates arith on the graph's scalars and the few tensor ops of the graph. A
// division by zero, which is undefined in arith, is an error.
#include "compiler/oracle/OpInstance.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace tenon {

/// The value as an unsigned number of its width.
static uint64_t unsignedOf(const HostTensor &x, int64_t i = 0) {
  return uint64_t(x.ints[i]) &
         llvm::maskTrailingOnes<uint64_t>(elementWidth(x.element));
}

/// The value as a signed number of its width; a true bool is -1.
static int64_t signedOf(const HostTensor &x) {
  return llvm::SignExtend64(unsignedOf(x), elementWidth(x.element));
}

static std::optional<int64_t> binaryInt(Operation *op, const HostTensor &x,
                                        const HostTensor &y) {
  using Result = std::optional<int64_t>;
  int64_t a = signedOf(x), b = signedOf(y);
  uint64_t ua = unsignedOf(x), ub = unsignedOf(y);
  bool overflows =
      b == 0 || (b == -1 && a == llvm::minIntN(elementWidth(x.element)));
  auto guarded = [](bool fails, auto value) {
    return fails ? Result() : Result(value());
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddIOp) { return Result(ua + ub); })
      .Case([&](arith::SubIOp) { return Result(ua - ub); })
      .Case([&](arith::MulIOp) { return Result(ua * ub); })
      .Case([&](arith::DivSIOp) {
        return guarded(overflows, [&] { return a / b; });
      })
      .Case([&](arith::RemSIOp) {
        return guarded(b == 0, [&] { return b == -1 ? 0 : a % b; });
      })
      .Case([&](arith::FloorDivSIOp) {
        return guarded(overflows,
                       [&] { return llvm::divideFloorSigned(a, b); });
      })
      .Case([&](arith::CeilDivSIOp) {
        return guarded(overflows, [&] { return llvm::divideCeilSigned(a, b); });
      })
      .Case([&](arith::DivUIOp) {
        return guarded(ub == 0, [&] { return int64_t(ua / ub); });
      })
      .Case([&](arith::CeilDivUIOp) {
        return guarded(ub == 0,
                       [&] { return int64_t(ua / ub + (ua % ub != 0)); });
      })
      .Case([&](arith::RemUIOp) {
        return guarded(ub == 0, [&] { return int64_t(ua % ub); });
      })
      .Case([&](arith::AndIOp) { return Result(a & b); })
      .Case([&](arith::OrIOp) { return Result(a | b); })
      .Case([&](arith::XOrIOp) { return Result(a ^ b); })
      .Case([&](arith::ShLIOp) {
        return guarded(ub > 63, [&] { return int64_t(ua << ub); });
      })
      .Case([&](arith::ShRUIOp) {
        return guarded(ub > 63, [&] { return int64_t(ua >> ub); });
      })
      .Case([&](arith::ShRSIOp) {
        return guarded(ub > 63, [&] { return a >> ub; });
      })
      .Case([&](arith::MaxSIOp) { return Result(std::max(a, b)); })
      .Case([&](arith::MinSIOp) { return Result(std::min(a, b)); })
      .Case([&](arith::MaxUIOp) { return Result(int64_t(std::max(ua, ub))); })
      .Case([&](arith::MinUIOp) { return Result(int64_t(std::min(ua, ub))); })
      .Default(Result());
}

static std::optional<double> binaryFloat(Operation *op, double a, double b) {
  using Result = std::optional<double>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddFOp) { return Result(a + b); })
      .Case([&](arith::SubFOp) { return Result(a - b); })
      .Case([&](arith::MulFOp) { return Result(a * b); })
      .Case([&](arith::DivFOp) { return Result(a / b); })
      .Case([&](arith::RemFOp) { return Result(std::fmod(a, b)); })
      .Case([&](arith::MaximumFOp) { return Result(maximumOf(a, b)); })
      .Case([&](arith::MinimumFOp) { return Result(minimumOf(a, b)); })
      .Case([&](arith::MaxNumFOp) { return Result(std::fmax(a, b)); })
      .Case([&](arith::MinNumFOp) { return Result(std::fmin(a, b)); })
      .Default(Result());
}

static bool compareInts(arith::CmpIPredicate predicate, const HostTensor &x,
                        const HostTensor &y) {
  int64_t a = signedOf(x), b = signedOf(y);
  uint64_t ua = unsignedOf(x), ub = unsignedOf(y);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return ua < ub;
  case arith::CmpIPredicate::ule:
    return ua <= ub;
  case arith::CmpIPredicate::ugt:
    return ua > ub;
  case arith::CmpIPredicate::uge:
    return ua >= ub;
  }
  return false;
}

static bool compareFloats(arith::CmpFPredicate predicate, double a, double b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::OEQ:
    return a == b;
  case P::OGT:
    return a > b;
  case P::OGE:
    return a >= b;
  case P::OLT:
    return a < b;
  case P::OLE:
    return a <= b;
  case P::ONE:
    return !unordered && a != b;
  case P::ORD:
    return !unordered;
  case P::UEQ:
    return unordered || a == b;
  case P::UGT:
    return unordered || a > b;
  case P::UGE:
    return unordered || a >= b;
  case P::ULT:
    return unordered || a < b;
  case P::ULE:
    return unordered || a <= b;
  case P::UNE:
    return a != b;
  case P::UNO:
    return unordered;
  case P::AlwaysTrue:
    return true;
  }
  return false;
}

/// Evaluates conversions between scalar types; nullopt for other ops.
static std::optional<HostTensor> castScalar(Operation *op, const HostTensor &x,
                                            Type to) {
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return HostTensor::scalar(to, signedOf(x));
  if (isa<arith::IndexCastUIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return HostTensor::scalar(to, int64_t(unsignedOf(x)));
  // This cast brings an element of an unsigned tensor from `tensor.extract`
  // into arith.
  if (isa<UnrealizedConversionCastOp>(op) && !x.isFloat() &&
      !isFloatElement(to))
    return HostTensor::scalar(to, x.ints[0]);
  MLIRContext *context = op->getContext();
  if (isa<arith::SIToFPOp>(op))
    return HostTensor::scalar(
        to, intToFloat(IntegerType::get(context, 64), signedOf(x), to));
  if (isa<arith::UIToFPOp>(op))
    return HostTensor::scalar(
        to, intToFloat(IntegerType::get(context, 64, IntegerType::Unsigned),
                       int64_t(unsignedOf(x)), to));
  if (isa<arith::FPToSIOp>(op))
    return HostTensor::scalar(to, floatToInt(x.floats[0], to));
  if (isa<arith::FPToUIOp>(op)) {
    auto wide =
        IntegerType::get(context, elementWidth(to), IntegerType::Unsigned);
    return HostTensor::scalar(to, floatToInt(x.floats[0], wide));
  }
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return HostTensor::scalar(to, roundToElement(to, x.floats[0]));
  if (isa<arith::BitcastOp>(op)) {
    HostTensor result = HostTensor::zeros(to, {});
    setElementBits(result, 0, elementBits(x, 0));
    return result;
  }
  return std::nullopt;
}

static llvm::Expected<HostTensors> evaluateArith(const OpInstance &at) {
  Operation *op = at.op;
  Type type = at.resultElement();
  // A select of tensors by a scalar: the form that a branch without computation
  // is simplified to.
  auto select = dyn_cast<arith::SelectOp>(op);
  if (select && !isa<RankedTensorType>(select.getCondition().getType()))
    return HostTensors{*at.in[at.in[0]->ints[0] ? 1 : 2]};
  if (isa<RankedTensorType>(op->getResult(0).getType()) &&
      !isa<arith::ConstantOp>(op))
    return at.error("arith on tensors is not of the graph level");
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
      return HostTensors{HostTensor::scalar(type, number.getValueAsDouble())};
    if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
      return HostTensors{HostTensor::scalar(
          type, int64_t(number.getValue().sextOrTrunc(64).getZExtValue()))};
    if (auto elements = dyn_cast<ElementsAttr>(constant.getValue())) {
      auto value = HostTensor::fromAttr(elements);
      if (!value)
        return at.error(llvm::toString(value.takeError()));
      return HostTensors{std::move(*value)};
    }
    return at.error("the oracle does not know this constant");
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return HostTensors{HostTensor::scalar(
        type,
        int64_t(compareInts(compare.getPredicate(), *at.in[0], *at.in[1])))};
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return HostTensors{HostTensor::scalar(
        type, int64_t(compareFloats(compare.getPredicate(), at.in[0]->floats[0],
                                    at.in[1]->floats[0])))};
  if (isa<arith::NegFOp>(op))
    return HostTensors{HostTensor::scalar(type, -at.in[0]->floats[0])};
  if (at.in.size() == 1)
    if (auto cast = castScalar(op, *at.in[0], type))
      return HostTensors{std::move(*cast)};
  if (at.in.size() == 2 && isFloatElement(type)) {
    if (auto value = binaryFloat(op, at.in[0]->floats[0], at.in[1]->floats[0]))
      return HostTensors{HostTensor::scalar(type, *value)};
  } else if (at.in.size() == 2) {
    if (auto value = binaryInt(op, *at.in[0], *at.in[1]))
      return HostTensors{HostTensor::scalar(type, *value)};
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
            arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
            arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
      return at.error("undefined for the values " + Twine(at.in[0]->ints[0]) +
                      " and " + Twine(at.in[1]->ints[0]));
  }
  return at.error("the oracle does not know this op");
}

/// The extents of the result's type with its dynamic ones filled in from
/// `sizes`.
static SmallVector<int64_t> filledShape(const OpInstance &at, Operands sizes) {
  auto type = cast<RankedTensorType>(at.op->getResult(0).getType());
  return at.mixed(type.getShape(), sizes);
}

static llvm::Expected<HostTensors> extract(const OpInstance &at) {
  const HostTensor &x = *at.in[0];
  int64_t from = 0;
  for (auto [d, stride] : llvm::enumerate(rowMajorStrides(x.shape))) {
    int64_t index = at.in[d + 1]->ints[0];
    if (index < 0 || index >= x.shape[d])
      return at.error("expected an index within extents " + shapeText(x.shape) +
                      ", got " + Twine(index));
    from += index * stride;
  }
  HostTensor result = at.copyOf(HostTensor::zeros(x.element, {}));
  copyElement(result, 0, x, from);
  return HostTensors{std::move(result)};
}

llvm::Expected<HostTensors> evaluateScalar(const OpInstance &at) {
  using Result = llvm::Expected<HostTensors>;
  return llvm::TypeSwitch<Operation *, Result>(at.op)
      .Case([&](tensor::DimOp) -> Result {
        int64_t dim = at.in[1]->ints[0];
        if (dim < 0 || dim >= int64_t(at.in[0]->shape.size()))
          return at.error("expected a dimension within rank " +
                          Twine(at.in[0]->shape.size()) + ", got " +
                          Twine(dim));
        return HostTensors{
            HostTensor::scalar(at.resultElement(), at.in[0]->shape[dim])};
      })
      .Case([&](tensor::ExtractOp) { return extract(at); })
      .Case([&](tensor::FromElementsOp) -> Result {
        auto result = at.allocate(at.resultElement(), filledShape(at, {}));
        if (!result)
          return result.takeError();
        for (auto [i, scalar] : llvm::enumerate(at.in))
          copyElement(*result, i, *scalar, 0);
        return HostTensors{std::move(*result)};
      })
      .Case([&](tensor::EmptyOp) -> Result {
        auto result = at.allocate(at.resultElement(), filledShape(at, at.in));
        if (!result)
          return result.takeError();
        return HostTensors{std::move(*result)};
      })
      .Case([&](tensor::CastOp) { return Result(HostTensors{*at.in[0]}); })
      .Default([&](Operation *) { return evaluateArith(at); });
}

} // namespace tenon
