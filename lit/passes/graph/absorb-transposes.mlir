// RUN: tenon-opt %s --tenon-absorb-transposes | FileCheck %s

// CHECK-LABEL: func.func @rhs(
// CHECK-SAME: %[[X:.*]]: tensor<2x4xf32>, %[[W:.*]]: tensor<8x4xf32>
// CHECK-NOT: tenon.transpose
// CHECK: tenon.dot_general %[[X]], %[[W]] batch [] x [] contract [1] x [1]
func.func @rhs(%x: tensor<2x4xf32>, %w: tensor<8x4xf32>) -> tensor<2x8xf32> {
  %t = tenon.transpose %w [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %0 = tenon.dot_general %x, %t batch [] x [] contract [1] x [0] : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// CHECK-LABEL: func.func @lhs(
// CHECK-SAME: %[[X:.*]]: tensor<4x2xf32>, %[[W:.*]]: tensor<4x8xf32>
// CHECK: tenon.dot_general %[[X]], %[[W]] batch [] x [] contract [0] x [0]
func.func @lhs(%x: tensor<4x2xf32>, %w: tensor<4x8xf32>) -> tensor<2x8xf32> {
  %t = tenon.transpose %x [1, 0] : (tensor<4x2xf32>) -> tensor<2x4xf32>
  %0 = tenon.dot_general %t, %w batch [] x [] contract [1] x [0] : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// The heads of an attention become batch dimensions without a transpose.
// CHECK-LABEL: func.func @batch(
// CHECK-SAME: %[[Q:.*]]: tensor<1x?x12x64xf32>, %[[K:.*]]: tensor<1x?x12x64xf32>
// CHECK-NOT: tenon.transpose
// CHECK: tenon.dot_general %[[Q]], %[[K]] batch [0, 2] x [0, 2] contract [3] x [3]
func.func @batch(%q: tensor<1x?x12x64xf32>, %k: tensor<1x?x12x64xf32>) -> tensor<1x12x?x?xf32> {
  %0 = tenon.transpose %q [0, 2, 1, 3] : (tensor<1x?x12x64xf32>) -> tensor<1x12x?x64xf32>
  %1 = tenon.transpose %k [0, 2, 3, 1] : (tensor<1x?x12x64xf32>) -> tensor<1x12x64x?xf32>
  %2 = tenon.dot_general %0, %1 batch [0, 1] x [0, 1] contract [3] x [2] : (tensor<1x12x?x64xf32>, tensor<1x12x64x?xf32>) -> tensor<1x12x?x?xf32>
  return %2 : tensor<1x12x?x?xf32>
}

// A chain of transposes is one permutation.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[X:.*]]: tensor<2x4xf32>, %[[W:.*]]: tensor<4x8xf32>
// CHECK-NOT: tenon.transpose
// CHECK: tenon.dot_general %[[X]], %[[W]] batch [] x [] contract [1] x [0]
func.func @chain(%x: tensor<2x4xf32>, %w: tensor<4x8xf32>) -> tensor<2x8xf32> {
  %t = tenon.transpose %w [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %u = tenon.transpose %t [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %0 = tenon.dot_general %x, %u batch [] x [] contract [1] x [0] : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// The result lists the free dimensions in their order, which the transpose
// changed.
// CHECK-LABEL: func.func @free_order_changed(
// CHECK: %[[T:.*]] = tenon.transpose
// CHECK: tenon.dot_general %[[T]]
func.func @free_order_changed(%x: tensor<2x3x4xf32>, %w: tensor<4x8xf32>) -> tensor<3x2x8xf32> {
  %t = tenon.transpose %x [1, 0, 2] : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
  %0 = tenon.dot_general %t, %w batch [] x [] contract [2] x [0] : (tensor<3x2x4xf32>, tensor<4x8xf32>) -> tensor<3x2x8xf32>
  return %0 : tensor<3x2x8xf32>
}
