// RUN: tenon-opt %s --tenon-absorb-transposes --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @turned_weight(
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>, %[[W:.*]]: tensor<4x8xf32>
// CHECK: tenon.dot_general %[[X]], %[[W]] batch [] x [] contract [1] x [1]
func.func @turned_weight(%x: tensor<?x8xf32>, %w: tensor<4x8xf32>) -> tensor<?x4xf32> {
  %t = tenon.transpose %w [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %0 = tenon.dot_general %x, %t batch [] x [] contract [1] x [0] : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// The free dimensions would change their order in the result.
// CHECK-LABEL: func.func @free_order(
// CHECK: %[[T:.*]] = tenon.transpose
// CHECK: tenon.dot_general %[[T]],
func.func @free_order(%x: tensor<2x3x8xf32>, %w: tensor<8x4xf32>) -> tensor<3x2x4xf32> {
  %t = tenon.transpose %x [1, 0, 2] : (tensor<2x3x8xf32>) -> tensor<3x2x8xf32>
  %0 = tenon.dot_general %t, %w batch [] x [] contract [2] x [0] : (tensor<3x2x8xf32>, tensor<8x4xf32>) -> tensor<3x2x4xf32>
  return %0 : tensor<3x2x4xf32>
}
