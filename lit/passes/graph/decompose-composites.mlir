// RUN: tenon-opt %s --tenon-decompose-composites | FileCheck %s

// The greatest element is taken off before the exponential: nothing overflows.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
// CHECK: %[[MAX:.*]] = tenon.reduce maximum %[[X]] over [1]
// CHECK: %[[EXP:.*]] = tenon.exponential
// CHECK: tenon.reduce add %[[EXP]] over [1]
// CHECK: tenon.divide %[[EXP]],
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tenon.softmax %x over 1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @gelu(
// CHECK: tenon.erf
// CHECK-NOT: tenon.gelu
func.func @gelu(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tenon.gelu %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @gelu_tanh(
// CHECK: tenon.tanh
func.func @gelu_tanh(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tenon.gelu %x tanh : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @primitives(
// CHECK-NEXT: tenon.negate
// CHECK-NEXT: return
func.func @primitives(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tenon.negate %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
