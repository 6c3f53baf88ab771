// An op that a recipe cannot compute is an error of the
// text, reported at its place. All such errors are reported.
// RUN: not tenon compile -q %s -o %t.so 2>&1 | FileCheck %s
// CHECK: recipe-errors.mlir: line 9, column 8: error: a weight's recipe cannot hold 'tenon.iota': compute it in the function
// CHECK-NEXT: line 12, column 1: error: the recipe of weight 'b' needs its own result, or recipes more than 64 deep
// CHECK-NEXT: line 16, column 1: error: the recipe of weight 'c' needs its own result, or recipes more than 64 deep
// CHECK-NOT: {{.}}
tenon.weight @a : tensor<4xf32> {
  %0 = tenon.iota dim 0 sizes [4] : () -> tensor<4xf32>
  tenon.yield %0 : tensor<4xf32>
}
tenon.weight @b : tensor<4xf32> {
  %0 = tenon.get_weight @c : tensor<4xf32>
  tenon.yield %0 : tensor<4xf32>
}
tenon.weight @c : tensor<4xf32> {
  %0 = tenon.get_weight @b : tensor<4xf32>
  tenon.yield %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tenon.get_weight @a : tensor<4xf32>
  %1 = tenon.get_weight @b : tensor<4xf32>
  %2 = tenon.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
