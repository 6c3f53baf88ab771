// RUN: tenon-opt %s --tenon-restore-rows | FileCheck %s

// CHECK-LABEL: func.func @restored(
// CHECK-SAME: %[[X:.*]]: tensor<7x?x12x8xf32>, %[[W:.*]]: tensor<96x32xf32>, %[[B:[a-z0-9]+]]: tensor<32xf32>, %{{.*}}: index, %[[N:.*]]: index
// CHECK: %[[ROWS:.*]] = tenon.reshape %[[X]] sizes [7, %{{.*}}, 96]
// CHECK: %[[P:.*]] = tenon.dot_general %[[ROWS]], %[[W]] batch [] x [] contract [2] x [0] {{.*}} -> tensor<7x?x32xf32>
// CHECK: %[[BIAS:.*]] = tenon.broadcast_in_dim %[[B]] dims [2] sizes [7, %[[N]], 32]
// CHECK: %[[S:.*]] = tenon.add %[[BIAS]], %[[P]]
// CHECK: %[[T:.*]] = tenon.tanh %[[S]]
// CHECK: return %[[T]]
func.func @restored(%x: tensor<7x?x12x8xf32>, %w: tensor<96x32xf32>, %b: tensor<32xf32>, %m: index, %n: index) -> tensor<7x?x32xf32> {
  %0 = tenon.reshape %x sizes [%m, 96] : (tensor<7x?x12x8xf32>, index) -> tensor<?x96xf32>
  %1 = tenon.dot_general %0, %w batch [] x [] contract [1] x [0] : (tensor<?x96xf32>, tensor<96x32xf32>) -> tensor<?x32xf32>
  %2 = tenon.broadcast_in_dim %b dims [1] sizes [%m, 32] : (tensor<32xf32>, index) -> tensor<?x32xf32>
  %3 = tenon.add %2, %1 : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
  %4 = tenon.tanh %3 : (tensor<?x32xf32>) -> tensor<?x32xf32>
  %5 = tenon.reshape %4 sizes [7, %n, 32] : (tensor<?x32xf32>, index) -> tensor<7x?x32xf32>
  return %5 : tensor<7x?x32xf32>
}

// The rows after the product differ from those before it.
// CHECK-LABEL: func.func @regrouped(
// CHECK: tenon.dot_general {{.*}} -> tensor<12x5xf32>
func.func @regrouped(%x: tensor<3x4x8xf32>, %w: tensor<8x5xf32>) -> tensor<4x3x5xf32> {
  %0 = tenon.reshape %x sizes [12, 8] : (tensor<3x4x8xf32>) -> tensor<12x8xf32>
  %1 = tenon.dot_general %0, %w batch [] x [] contract [1] x [0] : (tensor<12x8xf32>, tensor<8x5xf32>) -> tensor<12x5xf32>
  %2 = tenon.reshape %1 sizes [4, 3, 5] : (tensor<12x5xf32>) -> tensor<4x3x5xf32>
  return %2 : tensor<4x3x5xf32>
}

// With two unknown extents the original rows are not known.
// CHECK-LABEL: func.func @unknown(
// CHECK: tenon.dot_general {{.*}} -> tensor<?x5xf32>
func.func @unknown(%x: tensor<?x?x8xf32>, %w: tensor<8x5xf32>, %m: index, %a: index, %b: index) -> tensor<?x?x5xf32> {
  %0 = tenon.reshape %x sizes [%m, 8] : (tensor<?x?x8xf32>, index) -> tensor<?x8xf32>
  %1 = tenon.dot_general %0, %w batch [] x [] contract [1] x [0] : (tensor<?x8xf32>, tensor<8x5xf32>) -> tensor<?x5xf32>
  %2 = tenon.reshape %1 sizes [%a, %b, 5] : (tensor<?x5xf32>, index, index) -> tensor<?x?x5xf32>
  return %2 : tensor<?x?x5xf32>
}

// The value added differs between rows.
// CHECK-LABEL: func.func @residual(
// CHECK: tenon.dot_general {{.*}} -> tensor<12x5xf32>
func.func @residual(%x: tensor<3x4x8xf32>, %w: tensor<8x5xf32>, %y: tensor<12x5xf32>) -> tensor<3x4x5xf32> {
  %0 = tenon.reshape %x sizes [12, 8] : (tensor<3x4x8xf32>) -> tensor<12x8xf32>
  %1 = tenon.dot_general %0, %w batch [] x [] contract [1] x [0] : (tensor<12x8xf32>, tensor<8x5xf32>) -> tensor<12x5xf32>
  %2 = tenon.add %1, %y : (tensor<12x5xf32>, tensor<12x5xf32>) -> tensor<12x5xf32>
  %3 = tenon.reshape %2 sizes [3, 4, 5] : (tensor<12x5xf32>) -> tensor<3x4x5xf32>
  return %3 : tensor<3x4x5xf32>
}
