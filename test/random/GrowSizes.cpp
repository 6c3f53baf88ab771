// Numbers computed from extents, as exporters compute pads and bounds: by index
// arithmetic, or on small tensors whose elements are read.
#include "test/random/GraphGrower.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace tenon {

GrownNumber GraphGrower::extentNumber() {
  auto x = pick([](const Grown &x) { return x.rank() > 0; });
  if (!x)
    return {make<arith::ConstantIndexOp>(1), 1};
  int64_t dim = randomDim(*x);
  return {getValueOrCreateConstantIndexOp(builder, location(), sizes(*x)[dim]),
          x->shape[dim].size};
}

GrownNumber GraphGrower::numberByArithmetic(GrownNumber x) {
  int64_t number = 2 + random.below(4);
  Value c = make<arith::ConstantIndexOp>(number);
  Value rest = make<arith::RemSIOp>(x.value, c);
  switch (random.below(5)) {
  case 0:
    return {make<arith::FloorDivSIOp>(x.value, c), x.size / number};
  case 1:
    return {rest, x.size % number};
  case 2: {
    // The distance to the next multiple.
    Value missing = make<arith::SubIOp>(c, rest);
    return {make<arith::RemSIOp>(missing, c),
            (number - x.size % number) % number};
  }
  case 3:
    return {make<arith::MinSIOp>(x.value, c), std::min(x.size, number)};
  default: {
    Value zero = make<arith::ConstantIndexOp>(0);
    Value missing = make<arith::SubIOp>(c, x.value);
    return {make<arith::MaxSIOp>(missing, zero),
            std::max<int64_t>(number - x.size, 0)};
  }
  }
}

GrownNumber GraphGrower::numberByTensor(llvm::ArrayRef<GrownNumber> numbers) {
  Type i64 = builder.getI64Type(), f32 = builder.getF32Type();
  int64_t count = numbers.size();
  llvm::SmallVector<Value> elements;
  llvm::SmallVector<int64_t> values;
  for (GrownNumber number : numbers) {
    elements.push_back(make<arith::IndexCastOp>(i64, number.value));
    values.push_back(number.size);
  }
  GrownShape shape = {{count}};
  Value list = make<tensor::FromElementsOp>(type(shape, i64), elements);
  auto model = [&] { return Grown{list, shape, unbounded, true, true}; };
  for (int steps = 1 + int(random.below(3)); steps > 0; --steps)
    switch (random.below(4)) {
    case 0:
      list = make<ReverseOp>(list, llvm::ArrayRef<int64_t>{0});
      std::reverse(values.begin(), values.end());
      break;
    case 1: {
      // Pads per dimension are regrouped into pads per side.
      GrownShape pairs = {{count / 2}, {2}};
      list = make<ReshapeOp>(type(pairs, i64), list, ValueRange(),
                             llvm::ArrayRef<int64_t>{count / 2, 2});
      list = make<TransposeOp>(list, llvm::ArrayRef<int64_t>{1, 0});
      list = make<ReshapeOp>(type(shape, i64), list, ValueRange(),
                             llvm::ArrayRef<int64_t>{count});
      llvm::SmallVector<int64_t> old = values;
      for (int64_t i = 0; i < count; ++i)
        values[i] = old[i % (count / 2) * 2 + i / (count / 2)];
      break;
    }
    case 2: {
      // The products must be exact, because the reference does not round them
      // to f32.
      static constexpr float scales[] = {0.5f, 1.5f, 0.375f, 2.0f};
      float scale = scales[random.below(std::size(scales))];
      bool up = random.oneIn(2);
      Value floats = make<ConvertOp>(list, f32);
      Grown whole{floats, shape, unbounded, true, true};
      floats = make<MultiplyOp>(floats, splat(whole, scale));
      floats = up ? make<CeilOp>(floats) : make<FloorOp>(floats);
      list = make<ConvertOp>(floats, i64);
      for (int64_t &value : values) {
        float product = float(value) * scale;
        value = int64_t(up ? std::ceil(product) : std::floor(product));
      }
      break;
    }
    default: {
      int64_t limit = 1 + random.below(6);
      Value few = splat(model(), double(limit));
      Value isLess = make<CompareOp>(CompareDirection::LT, list, few);
      list = make<SelectOp>(isLess, list, few);
      for (int64_t &value : values)
        value = std::min(value, limit);
      break;
    }
    }
  int64_t at = random.below(count);
  Value place = make<arith::ConstantIndexOp>(at);
  Value scalar = make<tensor::ExtractOp>(list, place);
  return {make<arith::IndexCastOp>(builder.getIndexType(), scalar), values[at]};
}

std::optional<GrownNumber> GraphGrower::numberUpTo(int64_t most) {
  for (int tries = 0; tries < 4; ++tries) {
    GrownNumber number = numberByArithmetic(extentNumber());
    if (random.oneIn(2))
      number = numberByArithmetic(number);
    if (random.oneIn(2)) {
      llvm::SmallVector<GrownNumber> list = {number};
      while (list.size() < 4)
        list.push_back(extentNumber());
      number = numberByTensor(list);
    }
    if (number.size >= 0 && number.size <= most)
      return number;
  }
  return std::nullopt;
}

} // namespace tenon
