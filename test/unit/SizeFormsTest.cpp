// Tests that equal forms are equal sizes and proved signs hold: on chosen
// arithmetic, and on random arithmetic that is evaluated for many extents.
#include "dialects/tenon/SizeForms.h"

#include "dialects/tenon/SizeSigns.h"
#include "dialects/tenon/TenonDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace tenon;

namespace {

class SizeFormsTest : public testing::Test {
protected:
  SizeFormsTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, scf::SCFDialect,
                        tensor::TensorDialect, TenonDialect>();
  }

  /// Parses a function's body, with %a, %b and %c the extents of %t.
  void parse(const std::string &ops) {
    module = parseSourceString<ModuleOp>(
        "func.func @f(%t: tensor<?x?x?xf32> {tenon.dims = [\"a\", \"b\", "
        "\"c\"]}, %u: tensor<?xf32> {tenon.dims = [\"a\"]}, %i: index, "
        "%p: i1) {\n"
        "%c0 = arith.constant 0 : index\n %c1 = arith.constant 1 : index\n"
        "%c2 = arith.constant 2 : index\n"
        "%a = tensor.dim %t, %c0 : tensor<?x?x?xf32>\n"
        "%b = tensor.dim %t, %c1 : tensor<?x?x?xf32>\n"
        "%c = tensor.dim %t, %c2 : tensor<?x?x?xf32>\n" +
            ops + "\n return\n}",
        &context);
    ASSERT_TRUE(module);
    func = *module->getOps<func::FuncOp>().begin();
  }

  /// The last op before the terminator.
  Operation *last() {
    return func.getBody().front().getTerminator()->getPrevNode();
  }

  /// The form of an index value, or of a tensor's first extent.
  static SizeForm formOf(SizeForms &forms, Value value) {
    return isa<RankedTensorType>(value.getType())
               ? forms.of(value, 0)
               : forms.of(OpFoldResult(value));
  }

  /// True if the op marked `other` and the last op of `ops` have one form.
  bool areEqual(const std::string &ops) {
    parse(ops);
    if (HasFatalFailure())
      return false;
    SizeForms forms(func);
    Value other;
    for (Operation &op : func.getBody().front())
      if (op.hasAttr("other"))
        other = op.getResult(0);
    return formOf(forms, other) == formOf(forms, last()->getResult(0));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp func;
};

TEST_F(SizeFormsTest, Arithmetic) {
  SizeForm two = SizeForms::number(2), three = SizeForms::number(3);
  EXPECT_EQ(SizeForms::constant(two * three - two + three), 7);
  EXPECT_EQ(SizeForms::constant(two - two), 0);
  EXPECT_TRUE((two - two).empty());
  // Coefficients wrap as the run's numbers do.
  SizeForm most = SizeForms::number(INT64_MAX);
  EXPECT_EQ(SizeForms::constant(most + SizeForms::number(1)), INT64_MIN);
  EXPECT_EQ(SizeForms::constant(most * two), -2);
}

TEST_F(SizeFormsTest, PolynomialsAreEqual) {
  // (a + b) * c is c * b + a * c.
  EXPECT_TRUE(areEqual("%s = arith.addi %a, %b : index\n"
                       "%x = arith.muli %s, %c {other} : index\n"
                       "%l = arith.muli %c, %b : index\n"
                       "%r = arith.muli %a, %c : index\n"
                       "%y = arith.addi %l, %r : index"));
  // 2 a / 2 is a, also rounded up.
  EXPECT_TRUE(areEqual("%x = arith.addi %a, %c0 {other} : index\n"
                       "%d = arith.muli %c2, %a : index\n"
                       "%y = arith.ceildivsi %d, %c2 : index"));
  // 2 (a / 2) need not be a.
  EXPECT_FALSE(areEqual("%x = arith.addi %a, %c0 {other} : index\n"
                        "%h = arith.floordivsi %a, %c2 : index\n"
                        "%y = arith.muli %h, %c2 : index"));
  EXPECT_TRUE(areEqual("%x = arith.addi %a, %c1 {other} : index\n"
                       "%n = arith.addi %c1, %a : index\n"
                       "%y = arith.maxsi %n, %a : index"));
  EXPECT_FALSE(areEqual("%x = arith.addi %a, %c0 {other} : index\n"
                        "%y = arith.maxsi %a, %b : index"));
}

TEST_F(SizeFormsTest, ExtentsThroughOps) {
  // The first extents of %t and %u have one name.
  std::string u = "%x = tensor.dim {other} %u, %c0 : tensor<?xf32>\n";
  EXPECT_TRUE(areEqual(u + "%y = arith.addi %a, %c0 : index"));
  EXPECT_TRUE(areEqual(u + "%y = tenon.negate %u : (tensor<?xf32>) -> "
                           "tensor<?xf32>"));
  EXPECT_TRUE(areEqual(u + "%y = tenon.transpose %t [0, 2, 1] : "
                           "(tensor<?x?x?xf32>) -> tensor<?x?x?xf32>"));
  EXPECT_FALSE(areEqual(u + "%y = tenon.transpose %t [1, 0, 2] : "
                            "(tensor<?x?x?xf32>) -> tensor<?x?x?xf32>"));
  EXPECT_TRUE(areEqual("%x = arith.addi %a, %a {other} : index\n"
                       "%y = tenon.concatenate %u, %u dim 0 : (tensor<?xf32>, "
                       "tensor<?xf32>) -> tensor<?xf32>"));
  EXPECT_TRUE(areEqual("%x = arith.addi %b, %c0 {other} : index\n"
                       "%y = tenon.iota dim 0 sizes [%b] : (index) -> "
                       "tensor<?xi64>"));
}

TEST_F(SizeFormsTest, ExtentsThroughLoopsAndBranches) {
  std::string u = "%x = tensor.dim {other} %u, %c0 : tensor<?xf32>\n";
  EXPECT_TRUE(
      areEqual(u + "%y = scf.for %k = %c0 to %b step %c1 iter_args(%v = %u) -> "
                   "(tensor<?xf32>) {\n"
                   "%w = tenon.negate %v : (tensor<?xf32>) -> tensor<?xf32>\n"
                   "scf.yield %w : tensor<?xf32> }"));
  EXPECT_TRUE(areEqual(
      u + "%y = scf.while (%v = %u) : (tensor<?xf32>) -> tensor<?xf32> {\n"
          "scf.condition(%p) %v : tensor<?xf32> } do {\n"
          "^bb0(%v: tensor<?xf32>): scf.yield %v : tensor<?xf32> }"));
  EXPECT_TRUE(areEqual(
      u + "%y = scf.if %p -> tensor<?xf32> { scf.yield %u : tensor<?xf32> } "
          "else { %w = tenon.negate %u : (tensor<?xf32>) -> tensor<?xf32>\n"
          "scf.yield %w : tensor<?xf32> }"));
  // Importers yield an extent that differs beside its tensor.
  parse("%v = tenon.iota dim 0 sizes [%a] : (index) -> tensor<?xi64>\n"
        "%w = tenon.iota dim 0 sizes [%b] : (index) -> tensor<?xi64>\n"
        "%y:2 = scf.if %p -> (tensor<?xi64>, index) {\n"
        "scf.yield %v, %a : tensor<?xi64>, index } else {\n"
        "scf.yield %w, %b : tensor<?xi64>, index }");
  SizeForms forms(func);
  SizeForm count = formOf(forms, last()->getResult(1));
  EXPECT_EQ(formOf(forms, last()->getResult(0)), count);
  EXPECT_TRUE(forms.isNonNegative(count));
}

TEST_F(SizeFormsTest, QueriesLeaveNoOps) {
  parse("%y = tenon.concatenate %u, %u dim 0 : (tensor<?xf32>, "
        "tensor<?xf32>) -> tensor<?xf32>");
  size_t before = func.getBody().front().getOperations().size();
  SizeForms forms(func);
  formOf(forms, last()->getResult(0));
  EXPECT_EQ(func.getBody().front().getOperations().size(), before);
}

TEST_F(SizeFormsTest, Descriptions) {
  parse("%y = arith.addi %b, %c0 : index");
  SizeForms forms(func);
  SizeForm b = formOf(forms, last()->getResult(0));
  EXPECT_EQ(forms.describe(b), "extent 1 (\"b\") of input 0");
  EXPECT_EQ(forms.describe(b + b), "");
}

/// A chain as long as a large model, of arithmetic and of tensors.
TEST_F(SizeFormsTest, LongChains) {
  parse("%y = arith.maxsi %a, %i : index");
  OpBuilder builder(func.getBody().front().getTerminator());
  Value size =
            func.getBody().front().getTerminator()->getPrevNode()->getResult(0),
        tensor = func.getArgument(1), index = func.getArgument(2);
  for (int i = 0; i < 30000; ++i) {
    size =
        i % 2
            ? Value(arith::MinSIOp::create(builder, func.getLoc(), size, index))
            : Value(
                  arith::MaxSIOp::create(builder, func.getLoc(), size, index));
    tensor = NegateOp::create(builder, func.getLoc(), tensor);
  }
  SizeForms forms(func);
  EXPECT_FALSE(forms.isNonNegative(forms.of(OpFoldResult(size))));
  EXPECT_EQ(forms.of(tensor, 0), forms.of(func.getArgument(0), 0));
}

//===-- Random arithmetic -----------------------------------------------===//

/// Grows index arithmetic and evaluates it for a few extents beside.
class Arithmetic {
public:
  static constexpr unsigned trials = 12;
  using Numbers = std::vector<int64_t>;

  Arithmetic(func::FuncOp func, unsigned seed)
      : builder(func.getBody().front().getTerminator()), loc(func.getLoc()),
        random(seed) {
    for (Operation &op : func.getBody().front())
      if (isa<tensor::DimOp>(op))
        add(op.getResult(0), draw(0, 9));
    add(func.getArgument(2), draw(-9, 9));
    for (int64_t number : {-3, -1, 0, 1, 2, 3})
      add(arith::ConstantIndexOp::create(builder, loc, number),
          Numbers(trials, number));
  }

  void grow() {
    size_t i = pick(), k = pick();
    Value a = values[i], b = values[k];
    auto of = [&](auto rule) {
      Numbers result;
      for (unsigned t = 0; t < trials; ++t)
        result.push_back(rule(numbers[i][t], numbers[k][t]));
      return result;
    };
    bool divides = !llvm::is_contained(numbers[k], 0);
    switch (random() % 10) {
    case 0:
      return add(arith::AddIOp::create(builder, loc, a, b),
                 of([](int64_t x, int64_t y) { return x + y; }));
    case 1:
      return add(arith::SubIOp::create(builder, loc, a, b),
                 of([](int64_t x, int64_t y) { return x - y; }));
    case 2:
      return add(arith::MulIOp::create(builder, loc, a, b),
                 of([](int64_t x, int64_t y) { return x * y; }));
    case 3:
      return add(arith::MaxSIOp::create(builder, loc, a, b),
                 of([](int64_t x, int64_t y) { return std::max(x, y); }));
    case 4:
      return add(arith::MinSIOp::create(builder, loc, a, b),
                 of([](int64_t x, int64_t y) { return std::min(x, y); }));
    case 5: {
      Value less =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, a, b);
      size_t j = pick();
      Numbers chosen = of([](int64_t x, int64_t y) { return x < y; });
      for (unsigned t = 0; t < trials; ++t)
        chosen[t] = chosen[t] ? numbers[j][t] : numbers[i][t];
      return add(arith::SelectOp::create(builder, loc, less, values[j], a),
                 chosen);
    }
    case 6:
      return divides ? add(arith::FloorDivSIOp::create(builder, loc, a, b),
                           of(llvm::divideFloorSigned<int64_t, int64_t>))
                     : void();
    case 7:
      return divides ? add(arith::CeilDivSIOp::create(builder, loc, a, b),
                           of(llvm::divideCeilSigned<int64_t, int64_t>))
                     : void();
    case 8:
      return divides ? add(arith::DivSIOp::create(builder, loc, a, b),
                           of([](int64_t x, int64_t y) { return x / y; }))
                     : void();
    case 9:
      return divides ? add(arith::RemSIOp::create(builder, loc, a, b),
                           of([](int64_t x, int64_t y) { return x % y; }))
                     : void();
    }
  }

  std::vector<Value> values;
  std::vector<Numbers> numbers;

private:
  size_t pick() { return random() % values.size(); }

  Numbers draw(int64_t low, int64_t high) {
    Numbers result;
    for (unsigned t = 0; t < trials; ++t)
      result.push_back(low + int64_t(random() % unsigned(high - low + 1)));
    return result;
  }

  /// Drops arithmetic of numbers that no size reaches.
  void add(Value value, Numbers results) {
    for (int64_t number : results)
      if (std::abs(number) > int64_t(1) << 30)
        return;
    values.push_back(value);
    numbers.push_back(std::move(results));
  }

  OpBuilder builder;
  Location loc;
  std::mt19937 random;
};

TEST_F(SizeFormsTest, ProofsHoldForRandomArithmetic) {
  size_t signs = 0, formSigns = 0, pairs = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    parse("");
    Arithmetic code(func, seed);
    for (int i = 0; i < 60; ++i)
      code.grow();
    SizeForms forms(func);
    std::vector<SizeForm> found;
    for (auto [value, numbers] : llvm::zip(code.values, code.numbers)) {
      found.push_back(forms.of(OpFoldResult(value)));
      int64_t smallest = *llvm::min_element(numbers);
      for (int64_t least : {0, 1})
        if (isAtLeast(value, least)) {
          ASSERT_GE(smallest, least) << "seed " << seed;
          ++signs;
        }
      if (forms.isNonNegative(found.back())) {
        ASSERT_GE(smallest, 0) << "seed " << seed;
        ++formSigns;
      }
    }
    for (size_t i = 0; i < found.size(); ++i)
      for (size_t k = 0; k < i; ++k)
        if (found[i] == found[k]) {
          ASSERT_EQ(code.numbers[i], code.numbers[k]) << "seed " << seed;
          ++pairs;
        }
  }
  // Enough is proved for the test to mean something.
  EXPECT_GT(signs, 2000u);
  EXPECT_GT(formSigns, 2000u);
  EXPECT_GT(pairs, 1000u);
}

} // namespace
