// Tests each rule of the table of signs, and what must not be proved.
#include "dialects/tenon/SizeSigns.h"

#include "dialects/tenon/TenonDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tenon;

namespace {

class SizeSigns : public testing::Test {
protected:
  SizeSigns() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        memref::MemRefDialect, scf::SCFDialect,
                        tensor::TensorDialect, TenonDialect>();
  }

  /// True if the first result of the last op of `ops` is proved to be at least
  /// `least`. %n and %m are extents, %i, %j, %w, %x and %b are unknown.
  bool isProved(const std::string &ops, int64_t least = 0) {
    std::string text =
        "func.func @f(%t: tensor<?x?xf32>, %u: memref<?xf32>, %i: index, "
        "%j: i64, %w: i32, %x: f32, %b: i1) {\n"
        "%zero = arith.constant 0 : index\n %one = arith.constant 1 : index\n"
        "%seven = arith.constant 7 : index\n"
        "%minus = arith.constant -1 : index\n"
        "%n = tensor.dim %t, %zero : tensor<?x?xf32>\n"
        "%m = memref.dim %u, %zero : memref<?xf32>\n" +
        ops + "\n return\n}";
    auto module = parseSourceString<ModuleOp>(text, &context);
    if (!module) {
      ADD_FAILURE() << "does not parse: " << ops;
      return false;
    }
    auto func = *module->getOps<func::FuncOp>().begin();
    Operation *last = func.getBody().front().getTerminator()->getPrevNode();
    return isAtLeast(last->getResult(0), least);
  }

  /// True if `ops` are proved not to be negative, but not to be positive.
  bool isOnlyNonNegative(const std::string &ops) {
    return isProved(ops) && !isProved(ops, 1);
  }

  MLIRContext context;
};

TEST_F(SizeSigns, ConstantsAndExtents) {
  EXPECT_TRUE(isProved("%r = arith.constant 7 : index", 7));
  EXPECT_FALSE(isProved("%r = arith.constant 7 : index", 8));
  EXPECT_FALSE(isProved("%r = arith.constant -1 : index"));
  EXPECT_TRUE(isOnlyNonNegative("%r = tensor.dim %t, %one : tensor<?x?xf32>"));
  EXPECT_TRUE(isOnlyNonNegative("%r = memref.dim %u, %zero : memref<?xf32>"));
  EXPECT_TRUE(isOnlyNonNegative("%r = tenon.bound %i at_most %n"));
  EXPECT_FALSE(isProved("%r = arith.addi %i, %i : index"));
}

TEST_F(SizeSigns, SumsAndProducts) {
  EXPECT_TRUE(isOnlyNonNegative("%r = arith.addi %n, %m : index"));
  EXPECT_TRUE(isProved("%r = arith.addi %n, %one : index", 1));
  EXPECT_TRUE(isProved("%r = arith.addi %one, %n : index", 1));
  EXPECT_FALSE(isProved("%r = arith.addi %one, %i : index"));
  EXPECT_FALSE(isProved("%r = arith.addi %n, %minus : index"));
  EXPECT_TRUE(isOnlyNonNegative("%r = arith.muli %n, %seven : index"));
  EXPECT_FALSE(isProved("%r = arith.muli %i, %i : index"));
}

TEST_F(SizeSigns, Choices) {
  EXPECT_TRUE(isProved("%r = arith.maxsi %i, %one : index", 1));
  EXPECT_TRUE(isOnlyNonNegative("%r = arith.maxsi %n, %i : index"));
  EXPECT_TRUE(isOnlyNonNegative("%r = arith.minsi %n, %one : index"));
  EXPECT_FALSE(isProved("%r = arith.minsi %n, %i : index"));
  EXPECT_TRUE(isOnlyNonNegative("%r = arith.select %b, %n, %one : index"));
  EXPECT_FALSE(isProved("%r = arith.select %b, %n, %i : index"));
  EXPECT_TRUE(
      isOnlyNonNegative("%r = scf.if %b -> index { scf.yield %n : index "
                        "} else { scf.yield %one : index }"));
  EXPECT_FALSE(isProved("%r = scf.if %b -> index { scf.yield %n : index } else "
                        "{ scf.yield %i : index }"));
}

TEST_F(SizeSigns, Quotients) {
  for (const char *op : {"divsi", "floordivsi", "ceildivsi"}) {
    std::string text = "%r = arith." + std::string(op);
    EXPECT_TRUE(isOnlyNonNegative(text + " %n, %seven : index"));
    EXPECT_FALSE(isProved(text + " %n, %minus : index"));
    EXPECT_FALSE(isProved(text + " %i, %seven : index"));
  }
}

TEST_F(SizeSigns, Remainders) {
  EXPECT_TRUE(isOnlyNonNegative("%r = arith.remsi %n, %i : index"));
  EXPECT_FALSE(isProved("%r = arith.remsi %i, %seven : index"));
  std::string rest = "%rest = arith.remsi %i, %seven : index\n";
  EXPECT_TRUE(isProved(rest + "%six = arith.constant 6 : index\n"
                              "%r = arith.subi %six, %rest : index"));
  EXPECT_FALSE(isProved(rest + "%five = arith.constant 5 : index\n"
                               "%r = arith.subi %five, %rest : index"));
  EXPECT_FALSE(isProved(rest + "%r = arith.subi %i, %rest : index"));
  EXPECT_TRUE(isProved("%rest = arith.remsi %n, %i : index\n"
                       "%r = arith.subi %n, %rest : index"));
  EXPECT_FALSE(isProved("%r = arith.subi %n, %m : index"));
}

TEST_F(SizeSigns, IntegersOfOtherTypes) {
  std::string wide = "%a = arith.index_cast %n : index to i64\n";
  EXPECT_TRUE(isProved(wide + "%s = arith.addi %a, %a : i64\n"
                              "%r = arith.index_cast %s : i64 to index"));
  // A narrow sum may wrap, and a narrow extent may lose its high bits.
  std::string narrow = "%a = arith.index_cast %n : index to i32\n";
  EXPECT_FALSE(isProved(narrow + "%r = arith.index_cast %a : i32 to index"));
  EXPECT_TRUE(isOnlyNonNegative("%r = arith.index_castui %b : i1 to index"));
  EXPECT_TRUE(isOnlyNonNegative("%r = arith.index_castui %w : i32 to index"));
  EXPECT_FALSE(isProved("%r = arith.index_castui %j : i64 to index"));
}

TEST_F(SizeSigns, Floats) {
  std::string real = "%a = arith.index_cast %n : index to i64\n"
                     "%y = arith.sitofp %a : i64 to f32\n"
                     "%half = arith.constant 0.5 : f32\n";
  for (const char *op : {"addf", "mulf", "divf", "minimumf"}) {
    std::string text = real + "%z = arith." + op;
    EXPECT_TRUE(isProved(text + " %y, %half : f32"));
    EXPECT_FALSE(isProved(text + " %y, %x : f32"));
  }
  EXPECT_TRUE(isProved(real + "%z = arith.maximumf %x, %half : f32"));
  EXPECT_FALSE(isProved(real + "%z = arith.subf %y, %half : f32"));
  EXPECT_TRUE(isProved(real + "%v = arith.extf %y : f32 to f64\n"
                              "%z = arith.fptosi %v : f64 to i64\n"
                              "%r = arith.index_cast %z : i64 to index"));
  // A quotient by minus zero is negative.
  EXPECT_FALSE(isProved("%z = arith.constant -0.0 : f32"));
  EXPECT_TRUE(isProved("%z = arith.constant 1.0 : f32", 1));
  EXPECT_FALSE(isProved("%z = arith.constant 0.5 : f32", 1));
}

TEST_F(SizeSigns, TheDepthLimitsTheWalk) {
  std::string sums = "%s0 = arith.addi %n, %n : index\n";
  for (int i = 1; i < 12; ++i) {
    EXPECT_EQ(isProved(sums), i <= 8) << i;
    std::string last = std::to_string(i - 1);
    sums += "%s" + std::to_string(i) + " = arith.addi %s" + last + ", %s" +
            last + " : index\n";
  }
}

} // namespace
