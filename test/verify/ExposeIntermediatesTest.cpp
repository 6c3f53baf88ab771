// Tests that every computed tensor becomes an output once, in order, named
// after its node.
#include "compiler/verify/ExposeIntermediates.h"

#include "dialects/tenon/Annotations.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace {

TEST(ExposeIntermediates, AppendsComputedValues) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<tenon::TenonDialect, func::FuncDialect,
                      tensor::TensorDialect>();
  auto module = parseSourceString<ModuleOp>(R"(
    tenon.weight @w : tensor<2xf32> from #tenon.source<"m.onnx", 0, 8>
    func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32> {tenon.name = "y"}) {
      %w = tenon.get_weight @w : tensor<2xf32>
      %0 = tenon.abs %x : (tensor<2xf32>) -> tensor<2xf32> loc("first")
      %1 = tenon.tanh %0 : (tensor<2xf32>) -> tensor<2xf32> loc("twice")
      %2 = tenon.tanh %1 : (tensor<2xf32>) -> tensor<2xf32> loc("twice")
      %3 = tenon.tanh %w : (tensor<2xf32>) -> tensor<2xf32> loc("last")
      return %3 : tensor<2xf32>
    })",
                                            &context);
  ASSERT_TRUE(module);
  auto function = *module->getOps<func::FuncOp>().begin();
  tenon::exposeIntermediates(function);
  ASSERT_TRUE(succeeded(verify(*module)));
  std::vector<std::string> names;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    names.push_back(tenon::annotation::name.ofResult(function, i).str());
  EXPECT_EQ(names,
            (std::vector<std::string>{"y", "node \"first\" (tenon.abs)",
                                      "node \"twice\" (tenon.tanh)",
                                      "node \"twice\" (tenon.tanh) #2"}));
}

TEST(ExposeIntermediates, LeavesOutWhatIsPartlySet) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<tenon::TenonDialect, func::FuncDialect>();
  auto module = parseSourceString<ModuleOp>(R"(
    func.func @main(%b: tensor<1x6x4xf32>, %s: tensor<1x1x6xf32>, %n: index,
                    %t: tensor<f32>) -> tensor<i64> {
      %rows, %count = tenon.non_max_suppression %b, %s limit %n, %t, %t
        : (tensor<1x6x4xf32>, tensor<1x1x6xf32>, index, tensor<f32>, tensor<f32>) -> (tensor<?x3xi64>, tensor<i64>)
      %0 = tenon.negate %count : (tensor<i64>) -> tensor<i64>
      return %0 : tensor<i64>
    })",
                                            &context);
  ASSERT_TRUE(module);
  auto function = *module->getOps<func::FuncOp>().begin();
  tenon::exposeIntermediates(function);
  // The first result and the count are outputs; the rows are not, because only
  // `count` of them are set.
  EXPECT_EQ(function.getNumResults(), 2u);
}

TEST(ExposeIntermediates, LeavesAFunctionThatComputesNothing) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<tenon::TenonDialect, func::FuncDialect>();
  auto module = parseSourceString<ModuleOp>(
      "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  return %x : tensor<2xf32>\n}",
      &context);
  ASSERT_TRUE(module);
  auto function = *module->getOps<func::FuncOp>().begin();
  tenon::exposeIntermediates(function);
  EXPECT_EQ(function.getNumResults(), 1u);
}

} // namespace
