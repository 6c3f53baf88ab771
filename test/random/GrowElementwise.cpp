// Elementwise steps: smooth functions on scaled operands, discontinuous ops on
// exact operands, integers with all special values.
#include "test/random/GraphGrower.h"

#include <cmath>

using namespace mlir;

namespace tenon {

bool GraphGrower::unaryFloat() {
  auto x = pickFloat();
  if (!x)
    return false;
  auto emit = [&](Value value, double bound, bool exact = false) {
    add(value, x->shape, bound, exact);
    return true;
  };
  switch (random.below(14)) {
  case 0:
    return emit(make<TanhOp>(x->value), 1);
  case 1:
    return emit(make<LogisticOp>(x->value), 1);
  case 2:
    return emit(make<ErfOp>(x->value), 1);
  case 3:
    x = scaledTo(*x, 8);
    return emit(make<SineOp>(x->value), 1);
  case 4:
    x = scaledTo(*x, 8);
    return emit(make<CosineOp>(x->value), 1);
  case 5:
    return emit(make<AtanOp>(x->value), 1.6);
  case 6:
    x = scaledTo(*x, 3);
    return emit(make<ExpOp>(x->value), std::exp(x->bound));
  case 7:
    x = scaledTo(*x, 3);
    return emit(make<Expm1Op>(x->value), std::exp(x->bound));
  case 8:
    x = scaledTo(*x, 3);
    return emit(make<SinhOp>(x->value), std::exp(x->bound));
  case 9:
    x = scaledTo(*x, 3);
    return emit(make<CoshOp>(x->value), std::exp(x->bound));
  case 10:
    x = scaledTo(*x, 1.2);
    return emit(make<TanOp>(x->value), 3);
  case 11:
    return emit(make<AsinhOp>(x->value), x->bound);
  case 12:
    return emit(make<NegateOp>(x->value), x->bound, x->exact);
  default:
    return emit(make<AbsOp>(x->value), x->bound, x->exact);
  }
}

bool GraphGrower::guardedFloat() {
  auto x = pickFloat();
  if (!x)
    return false;
  auto emit = [&](Value value, double bound) {
    add(value, x->shape, bound, false);
    return true;
  };
  switch (random.below(10)) {
  case 0:
    return emit(make<SqrtOp>(above(*x, 0.25)), std::sqrt(x->bound + 0.25));
  case 1:
    return emit(make<RsqrtOp>(above(*x, 0.25)), 2);
  case 2:
    return emit(make<LogOp>(above(*x, 0.5)), std::log(x->bound + 2));
  case 3:
    return emit(make<Log1pOp>(make<AbsOp>(x->value)), std::log1p(x->bound));
  case 4:
    return emit(make<CbrtOp>(above(*x, 0.125)), std::cbrt(x->bound + 0.125));
  case 5:
    x = scaledTo(*x, 0.9);
    return emit(make<AsinOp>(x->value), 1.6);
  case 6:
    x = scaledTo(*x, 0.9);
    return emit(make<AcosOp>(x->value), 3.2);
  case 7:
    x = scaledTo(*x, 0.9);
    return emit(make<AtanhOp>(x->value), 1.6);
  case 8:
    return emit(make<AcoshOp>(above(*x, 1.5)), std::acosh(x->bound + 1.5));
  default:
    return emit(make<ClampOp>(splat(*x, -1.5), x->value, splat(*x, 0.75)), 1.5);
  }
}

bool GraphGrower::binaryFloat() {
  auto a = pickFloat();
  if (!a)
    return false;
  Grown b = pickLike(*a);
  if (b.value == a->value && random.oneIn(2))
    b = fresh(a->element(), a->shape);
  if (b.shape != a->shape)
    return false;
  auto emit = [&](Value value, double bound, bool exact = false) {
    add(value, a->shape, bound, exact);
    return true;
  };
  bool exact = a->exact && b.exact;
  switch (random.below(9)) {
  case 0:
  case 1:
    if (a->bound + b.bound > 64)
      a = scaledTo(*a, 8), b = scaledTo(b, 8);
    return emit(make<AddOp>(a->value, b.value), a->bound + b.bound);
  case 2:
    if (a->bound + b.bound > 64)
      a = scaledTo(*a, 8), b = scaledTo(b, 8);
    return emit(make<SubtractOp>(a->value, b.value), a->bound + b.bound);
  case 3:
  case 4:
    if (a->bound * b.bound > 64)
      a = scaledTo(*a, 4), b = scaledTo(b, 4);
    return emit(make<MultiplyOp>(a->value, b.value), a->bound * b.bound);
  case 5:
    a = scaledTo(*a, 8);
    return emit(make<DivideOp>(a->value, above(b, 0.5)), a->bound * 2);
  case 6:
    return random.oneIn(2) ? emit(make<MaximumOp>(a->value, b.value),
                                  std::max(a->bound, b.bound), exact)
                           : emit(make<MinimumOp>(a->value, b.value),
                                  std::max(a->bound, b.bound), exact);
  case 7:
    // Only the right half plane: the angle jumps at the negative axis.
    return emit(make<Atan2Op>(a->value, above(b, 0.5)), 1.6);
  default:
    a = scaledTo(*a, 2), b = scaledTo(b, 2);
    return emit(make<PowerOp>(above(*a, 0.5), b.value), 6.3);
  }
}

bool GraphGrower::stepOnExact() {
  auto x = pick([](const Grown &x) {
    return x.isFloat() && x.exact && x.bound != unbounded;
  });
  if (!x)
    return false;
  auto emit = [&](Value value, double bound) {
    add(value, x->shape, bound, true);
    return true;
  };
  switch (random.below(6)) {
  case 0:
    return emit(make<FloorOp>(x->value), x->bound + 1);
  case 1:
    return emit(make<CeilOp>(x->value), x->bound + 1);
  case 2:
    return emit(make<RoundNearestEvenOp>(x->value), x->bound + 1);
  case 3:
    return emit(make<RoundNearestAfzOp>(x->value), x->bound + 1);
  case 4:
    return emit(make<SignOp>(x->value), 1);
  default:
    return emit(make<RemainderOp>(x->value, splat(*x, 0.75)), 0.75);
  }
}

bool GraphGrower::integer() {
  auto a = pick([](const Grown &x) { return !x.isFloat(); });
  if (!a) {
    GrownShape shape = pool.front().shape;
    a = fresh(random.oneIn(4) ? builder.getI1Type() : randomInt(), shape, -100,
              100);
  }
  Grown b = pickLike(*a);
  if (b.value == a->value)
    b = fresh(a->element(), a->shape, -9, 9);
  if (b.shape != a->shape)
    return false;
  auto emit = [&](Value value) {
    add(value, a->shape, unbounded, true);
    return true;
  };
  if (a->isBool())
    switch (random.below(4)) {
    case 0:
      return emit(make<AndOp>(a->value, b.value));
    case 1:
      return emit(make<OrOp>(a->value, b.value));
    case 2:
      return emit(make<XorOp>(a->value, b.value));
    default:
      return emit(make<NotOp>(a->value));
    }
  switch (random.below(18)) {
  case 0:
  case 1:
    return emit(make<AddOp>(a->value, b.value));
  case 2:
    return emit(make<SubtractOp>(a->value, b.value));
  case 3:
    return emit(make<MultiplyOp>(a->value, b.value));
  case 4:
    return emit(make<DivideOp>(a->value, b.value));
  case 5:
    return emit(make<RemainderOp>(a->value, b.value));
  case 6:
    return emit(make<PowerOp>(a->value, b.value));
  case 7:
    return emit(make<MaximumOp>(a->value, b.value));
  case 8:
    return emit(make<MinimumOp>(a->value, b.value));
  case 9:
    return emit(make<AndOp>(a->value, b.value));
  case 10:
    return emit(make<OrOp>(a->value, b.value));
  case 11:
    return emit(make<XorOp>(a->value, b.value));
  case 12:
    return emit(make<ShiftLeftOp>(a->value, b.value));
  case 13:
    return emit(make<ShiftRightLogicalOp>(a->value, b.value));
  case 14:
    return emit(make<ShiftRightArithmeticOp>(a->value, b.value));
  case 15:
    return emit(make<AbsOp>(a->value));
  case 16:
    return emit(make<SignOp>(a->value));
  default:
    return emit(random.oneIn(2) ? make<NegateOp>(a->value)
                                : make<NotOp>(a->value));
  }
}

bool GraphGrower::compareSelect() {
  auto a = pick([](const Grown &x) { return x.exact; });
  if (!a)
    return false;
  Grown b = pick([&](const Grown &x) {
              return x.exact && x.shape == a->shape &&
                     x.element() == a->element() && x.value != a->value;
            }).value_or(*a);
  Value other =
      b.value == a->value ? splat(*a, double(random.below(3)) - 1) : b.value;
  auto direction = CompareDirection(random.below(6));
  Value flags = make<CompareOp>(direction, a->value, other);
  auto chosen = pick([&](const Grown &x) { return x.shape == a->shape; });
  if (!chosen || random.oneIn(3)) {
    add(flags, a->shape, 1, true);
    return true;
  }
  Grown second =
      pick([&](const Grown &x) {
        return x.shape == a->shape && x.element() == chosen->element();
      }).value_or(*chosen);
  add(make<SelectOp>(flags, chosen->value, second.value), a->shape,
      std::max(chosen->bound, second.bound), chosen->exact && second.exact);
  return true;
}

bool GraphGrower::convert() {
  auto x = pick([](const Grown &x) { return true; });
  Type to;
  double bound = unbounded;
  if (x->isFloat() && (!x->exact || x->bound == unbounded || random.oneIn(2))) {
    if (x->bound > 1000)
      return false; // beyond 65504, the greatest f16
    to = randomFloat();
    bound = x->bound * 1.01;
  } else if (x->isFloat()) {
    if (random.oneIn(4) && !x->element().isF64()) {
      // The bits of a float are exact if the float is.
      unsigned width = elementWidth(x->element());
      to = builder.getIntegerType(width);
      add(make<BitcastConvertOp>(x->value, TypeAttr::get(to)), x->shape,
          unbounded, true);
      return true;
    }
    to = random.oneIn(4) ? builder.getI1Type() : randomInt();
  } else if (elementWidth(x->element()) <= 8 && random.oneIn(2)) {
    to = randomFloat(); // at most 255, which every float represents
    bound = 255;
  } else {
    to = random.oneIn(4) ? builder.getI1Type() : randomInt();
  }
  if (to == x->element())
    return false;
  add(make<ConvertOp>(x->value, TypeAttr::get(to)), x->shape, bound, x->exact);
  return true;
}

} // namespace tenon
