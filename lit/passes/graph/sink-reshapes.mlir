// RUN: tenon-opt %s --tenon-sink-reshapes --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @into_broadcast(
// CHECK-SAME: %[[M:.*]]: tensor<4xf32>
// CHECK-NEXT: tenon.broadcast_in_dim %[[M]] dims [0] sizes [4, 8]
func.func @into_broadcast(%m: tensor<4xf32>) -> tensor<4x8xf32> {
  %r = tenon.reshape %m sizes [4, 1] : (tensor<4xf32>) -> tensor<4x1xf32>
  %b = tenon.broadcast_in_dim %r dims [0, 1] sizes [4, 8] : (tensor<4x1xf32>) -> tensor<4x8xf32>
  return %b : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @below_elementwise(
// CHECK-SAME: %[[M:.*]]: tensor<4xf32>
// CHECK: %[[ROOT:.*]] = tenon.sqrt %[[M]] : (tensor<4xf32>)
// CHECK: tenon.reshape %[[ROOT]] sizes [4, 1]
func.func @below_elementwise(%m: tensor<4xf32>) -> tensor<4x1xf32> {
  %r = tenon.reshape %m sizes [4, 1] : (tensor<4xf32>) -> tensor<4x1xf32>
  %0 = tenon.sqrt %r : (tensor<4x1xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// A reshape that regroups elements stays where it is.
// CHECK-LABEL: func.func @regroups(
// CHECK: %[[R:.*]] = tenon.reshape
// CHECK: tenon.sqrt %[[R]]
func.func @regroups(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %r = tenon.reshape %x sizes [8, 4] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %0 = tenon.sqrt %r : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
