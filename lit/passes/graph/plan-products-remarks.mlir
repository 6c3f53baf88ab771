// Remarks say which contractions form pairs of bf16, and why others do not.
// RUN: tenon-opt %s --tenon-pack-weights --tenon-fold-weights --tenon-plan-products=form=pairs --remarks-filter=products 2>&1 >/dev/null | FileCheck %s --implicit-check-not=remark:

tenon.weight @w : tensor<32x32xf32> from #tenon.source<"m.bin", 0, 4096>
// CHECK: remark: loc("weights"): [Passed] pairs | Category:products | Function=main | Remark="products are formed in pairs of bf16"
// CHECK: remark: loc("values"): [Missed] chain | Category:products | Function=main | Reason="its right operand is no weight in panels, or one of integers", Remark="products are formed one by one"
// CHECK: remark: loc("f64"): [Missed] chain | {{.*}}Reason="it is not of f32"
func.func @main(%x: tensor<20x32xf32>, %d: tensor<4x4xf64>) -> (tensor<20x20xf32>, tensor<4x4xf64>) {
  %w = tenon.get_weight @w : tensor<32x32xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<20x32xf32>, tensor<32x32xf32>) -> tensor<20x32xf32> loc("weights")
  %1 = tenon.dot_general %0, %x batch [] x [] contract [1] x [1] : (tensor<20x32xf32>, tensor<20x32xf32>) -> tensor<20x20xf32> loc("values")
  %2 = tenon.dot_general %d, %d batch [] x [] contract [1] x [0] : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64> loc("f64")
  return %1, %2 : tensor<20x20xf32>, tensor<4x4xf64>
}
