// Tests the oracle's interface: inputs, weights from files, rounding, observers
// and faults.
#include "test/oracle/GraphText.h"

#include "compiler/oracle/RandomTensor.h"

#include <cmath>

using namespace mlir;
using namespace tenon;

namespace {

using OracleTest = GraphText;

TEST_F(OracleTest, NamesInputsThatDoNotFit) {
  auto function = parse("func.func @main(%x: tensor<?x2xf32>) -> "
                        "tensor<?x2xf32> { return %x : tensor<?x2xf32> }");
  Type f32 = builder.getF32Type();
  auto none = evaluate(function, {});
  EXPECT_EQ(llvm::toString(none.takeError()), "expected 1 inputs, got 0");
  auto shape = evaluate(function, {floats(f32, {1, 3}, {1, 2, 3})});
  EXPECT_EQ(llvm::toString(shape.takeError()),
            "input 0: expected a value of type tensor<?x2xf32>, got extents "
            "[1, 3] of f32");
  auto type = evaluate(function, {ints(builder.getI32Type(), {1, 2}, {1, 2})});
  EXPECT_EQ(llvm::toString(type.takeError()),
            "input 0: expected a value of type tensor<?x2xf32>, got extents "
            "[1, 2] of i32");
  auto storage = evaluate(function, {floats(f32, {1, 2}, {1})});
  EXPECT_EQ(llvm::toString(storage.takeError()),
            "input 0: elements and extents disagree");
}

TEST_F(OracleTest, RoundsInputsAlwaysAndResultsOnRequest) {
  auto function = parse(R"(func.func @main(%x: tensor<f16>) -> tensor<f16> {
    %0 = tenon.multiply %x, %x : (tensor<f16>, tensor<f16>) -> tensor<f16>
    return %0 : tensor<f16> })");
  // 1 + 2^-10 is an f16 value, its square is not; with 2^-20 more it is no f16
  // value either.
  HostTensor x = floats(builder.getF16Type(), {}, {1 + 0x1p-10 + 0x1p-20});
  auto exact = evaluate(function, {x});
  ASSERT_TRUE(bool(exact));
  EXPECT_EQ((*exact)[0].floats[0], (1 + 0x1p-10) * (1 + 0x1p-10));
  OracleOptions options;
  options.roundToType = true;
  auto rounded = evaluate(function, {x}, {}, options);
  ASSERT_TRUE(bool(rounded));
  EXPECT_EQ((*rounded)[0].floats[0], 1 + 0x1p-9);
}

TEST_F(OracleTest, LoadsWeights) {
  auto function = parse(R"(
    tenon.weight @w : tensor<2xi16> from #tenon.source<"m.bin", 8, 4>
    func.func @main() -> tensor<2xi16> {
      %0 = tenon.get_weight @w : tensor<2xi16>
      return %0 : tensor<2xi16> })");
  int loads = 0;
  WeightLoader loader =
      [&](StringRef file, int64_t offset,
          int64_t length) -> llvm::Expected<std::vector<char>> {
    ++loads;
    EXPECT_EQ(file, "m.bin");
    EXPECT_EQ(offset, 8);
    EXPECT_EQ(length, 4);
    return std::vector<char>{1, 0, -1, -1};
  };
  auto results = evaluate(function, {}, loader);
  ASSERT_TRUE(bool(results));
  EXPECT_EQ((*results)[0].ints, (std::vector<int64_t>{1, -1}));
  EXPECT_EQ(loads, 1);
  auto none = evaluate(function, {});
  EXPECT_EQ(llvm::toString(none.takeError()),
            "tenon.weight (line 2): weights cannot be read here");
  auto missing = evaluate(function, {}, weightsFromFiles("/nonexistent"));
  EXPECT_NE(llvm::toString(missing.takeError()).find("/nonexistent/m.bin"),
            std::string::npos);
}

TEST_F(OracleTest, RefusesRecipesThatNeedThemselves) {
  auto function = parse(R"(
    tenon.weight @w : tensor<f32> {
      %0 = tenon.get_weight @w : tensor<f32>
      tenon.yield %0 : tensor<f32>
    }
    func.func @main() -> tensor<f32> {
      %0 = tenon.get_weight @w : tensor<f32>
      return %0 : tensor<f32> })");
  auto results = evaluate(function, {});
  EXPECT_EQ(llvm::toString(results.takeError()),
            "tenon.weight (line 2): a recipe needs its own weight");
}

TEST_F(OracleTest, ShowsEveryOpsResults) {
  auto function = parse(R"(func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %0 = tenon.negate %x : (tensor<f32>) -> tensor<f32>
    %1 = tenon.abs %0 : (tensor<f32>) -> tensor<f32>
    return %1 : tensor<f32> })");
  std::vector<std::string> seen;
  auto observer = [&](Operation *op, ArrayRef<const HostTensor *> results) {
    seen.push_back(
        (op->getName().getStringRef() + " " + results[0]->text()).str());
  };
  auto results = evaluate(function, {floats(builder.getF32Type(), {}, {2})}, {},
                          {}, observer);
  ASSERT_TRUE(bool(results));
  EXPECT_EQ(seen, (std::vector<std::string>{"tenon.negate tensor<f32> -2",
                                            "tenon.abs tensor<f32> 2"}));
}

TEST_F(OracleTest, FaultsCarryTheirSite) {
  auto function = parse(R"(func.func @main(%f: i64, %l: i64, %h: i64) {
    tenon.fault "here" found %f in [%l, %h]
    return })");
  Type i64 = builder.getI64Type();
  auto results = evaluate(
      function, {ints(i64, {}, {9}), ints(i64, {}, {-2}), ints(i64, {}, {3})});
  bool handled = false;
  llvm::handleAllErrors(results.takeError(), [&](const RangeFault &fault) {
    handled = true;
    EXPECT_EQ(fault.site, "here");
    EXPECT_EQ(fault.found, 9);
    EXPECT_EQ(fault.low, -2);
    EXPECT_EQ(fault.high, 3);
  });
  EXPECT_TRUE(handled);
}

TEST_F(OracleTest, RandomTensorsAreReproducibleAndWithinRange) {
  RandomStream a(7), b(7);
  HostTensor x = randomTensor(a, builder.getF16Type(), {100}, -1, 3);
  EXPECT_EQ(x.floats,
            randomTensor(b, builder.getF16Type(), {100}, -1, 3).floats);
  for (double value : x.floats) {
    EXPECT_GE(value, -1);
    EXPECT_LE(value, 3);
  }
  for (int64_t value : randomTensor(a, unsignedInt(8), {100}, -5, 5).ints) {
    EXPECT_GE(value, 0);
    EXPECT_LE(value, 5);
  }
}

} // namespace
