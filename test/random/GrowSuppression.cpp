// Boxes and scores with exact overlaps and a unique order, so that every
// correct evaluation selects equal boxes.
#include "test/random/GraphGrower.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <algorithm>

using namespace mlir;

namespace tenon {

/// Small whole numbers as f32.
Grown GraphGrower::wholeNumbers(const GrownShape &shape, int64_t least,
                                int64_t greatest) {
  Grown whole =
      fresh(builder.getI8Type(), shape, double(least), double(greatest));
  whole.value =
      make<ConvertOp>(whole.value, TypeAttr::get(builder.getF32Type()));
  return whole;
}

bool GraphGrower::suppression() {
  if (depth > 0)
    return false;
  GrownDim batch = {1 + random.below(2)}, classes = {1 + random.below(3)},
           number = {1 + random.below(20)};
  if (!named.empty() && random.oneIn(2)) {
    int which = int(random.below(named.size()));
    number = {named[which], which + 1};
  }
  bool center = random.oneIn(2);
  // With center coordinates, width and height must not be negative.
  Grown boxes = wholeNumbers({batch, number, {4}}, center ? 0 : -6, 6);
  Grown scores = wholeNumbers({batch, classes, number}, -9, 9);
  int64_t most = random.below(number.size + 3);
  Value limit = make<arith::ConstantIndexOp>(most);
  auto threshold = [&](double value) {
    auto type = RankedTensorType::get({}, builder.getF32Type());
    return make<ConstantOp>(
        DenseElementsAttr::get(type, builder.getF32FloatAttr(float(value))));
  };
  // No quotient of such areas is close to these thresholds.
  static constexpr double overlaps[] = {0.0101, 0.2603, 0.5101, 0.7703};
  GrownDim taken =
      derived(batch.size * classes.size * std::min(most, number.size),
              number.symbol != 0);
  GrownShape shape = {taken, {3}};
  auto op = NonMaxSuppressionOp::create(
      builder, location(), type(shape, builder.getI64Type()),
      RankedTensorType::get({}, builder.getI64Type()), boxes.value,
      scores.value, limit, threshold(overlaps[random.below(4)]),
      threshold(double(random.below(9)) - 8.5), center);
  add(op.getCount(), {}, double(taken.size), true);
  Value selected = op.getSelected();
  if (options.dataDependent && random.oneIn(2)) {
    // The number of rows that are set, known only during the run.
    Value count = make<arith::IndexCastOp>(
        builder.getIndexType(),
        make<tensor::ExtractOp>(op.getCount(), ValueRange()));
    Value bound = getValueOrCreateConstantIndexOp(builder, location(),
                                                  sizes({selected, shape})[0]);
    Value rows = make<BoundOp>(builder.getIndexType(), count, bound);
    GrownShape cut = {{0, ++lastSymbol}, {3}};
    add(make<SliceOp>(type(cut, builder.getI64Type()), selected, ValueRange(),
                      rows, ValueRange(), ArrayRef<int64_t>{0, 0},
                      ArrayRef<int64_t>{ShapedType::kDynamic, 3},
                      ArrayRef<int64_t>{1, 1}),
        cut, unbounded, true);
    pool.back().closed = true;
    return true;
  }
  // Rows that are not set are unspecified: replace them by zeros.
  Grown rows{selected, shape};
  Mixed mixed = split(sizes(rows));
  Value row = make<IotaOp>(type(shape, builder.getI64Type()), 0, mixed.values,
                           mixed.list);
  Value isSet = make<CompareOp>(CompareDirection::LT, row,
                                broadcastTo(op.getCount(), {}, rows));
  add(make<SelectOp>(isSet, selected, splat(rows, 0)), shape, unbounded, true);
  return true;
}

} // namespace tenon
