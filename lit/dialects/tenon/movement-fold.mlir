// RUN: tenon-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @broadcast_of_splat(
// CHECK-NEXT: %[[SPLAT:.*]] = tenon.constant dense<2.000000e+00> : tensor<4x8xf32>
// CHECK-NEXT: return %[[SPLAT]]
func.func @broadcast_of_splat() -> tensor<4x8xf32> {
  %c = tenon.constant dense<2.0> : tensor<f32>
  %0 = tenon.broadcast_in_dim %c dims [] sizes [4, 8] : (tensor<f32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @broadcast_to_itself(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
// CHECK-NEXT: return %[[X]]
func.func @broadcast_to_itself(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tenon.broadcast_in_dim %x dims [0, 1] sizes [4, 8] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @broadcast_to_own_extent(
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>
// CHECK-NEXT: return %[[X]]
func.func @broadcast_to_own_extent(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %0 = tenon.broadcast_in_dim %x dims [0] sizes [%n] : (tensor<?xf32>, index) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// The operand's extent may be one where the result's size is not one.
// CHECK-LABEL: func.func @broadcast_to_another_extent_stays(
// CHECK: tenon.broadcast_in_dim
func.func @broadcast_to_another_extent_stays(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %0 = tenon.broadcast_in_dim %x dims [0] sizes [%n] : (tensor<?xf32>, index) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @broadcast_twice(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
// CHECK-NEXT: %[[ONE:.*]] = tenon.broadcast_in_dim %[[X]] dims [2] sizes [2, 4, 8]
// CHECK-NEXT: return %[[ONE]]
func.func @broadcast_twice(%x: tensor<8xf32>) -> tensor<2x4x8xf32> {
  %0 = tenon.broadcast_in_dim %x dims [1] sizes [4, 8] : (tensor<8xf32>) -> tensor<4x8xf32>
  %1 = tenon.broadcast_in_dim %0 dims [1, 2] sizes [2, 4, 8] : (tensor<4x8xf32>) -> tensor<2x4x8xf32>
  return %1 : tensor<2x4x8xf32>
}

// CHECK-LABEL: func.func @reshape_there_and_back(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
// CHECK-NEXT: return %[[X]]
func.func @reshape_there_and_back(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tenon.reshape %x sizes [32] : (tensor<4x8xf32>) -> tensor<32xf32>
  %1 = tenon.reshape %0 sizes [4, 8] : (tensor<32xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// One unknown extent among known ones has only one possible value.
// CHECK-LABEL: func.func @reshape_one_unknown_extent(
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>
// CHECK-NEXT: return %[[X]]
func.func @reshape_one_unknown_extent(%x: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
  %0 = tenon.reshape %x sizes [%n, 8] : (tensor<?x8xf32>, index) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// 2x6 may become 3x4.
// CHECK-LABEL: func.func @reshape_two_unknown_extents_stays(
// CHECK: tenon.reshape
func.func @reshape_two_unknown_extents_stays(%x: tensor<?x?xf32>, %n: index, %m: index) -> tensor<?x?xf32> {
  %0 = tenon.reshape %x sizes [%n, %m] : (tensor<?x?xf32>, index, index) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// A tensor without elements fits any extent.
// CHECK-LABEL: func.func @reshape_of_nothing_stays(
// CHECK: tenon.reshape
func.func @reshape_of_nothing_stays(%x: tensor<?x0xf32>, %n: index) -> tensor<?x0xf32> {
  %0 = tenon.reshape %x sizes [%n, 0] : (tensor<?x0xf32>, index) -> tensor<?x0xf32>
  return %0 : tensor<?x0xf32>
}

// CHECK-LABEL: func.func @reshape_of_constant(
// CHECK-NEXT: tenon.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]>
// CHECK-NOT: tenon.reshape
func.func @reshape_of_constant() -> tensor<2x2xf32> {
  %c = tenon.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = tenon.reshape %c sizes [2, 2] : (tensor<4xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// CHECK-LABEL: func.func @transpose_by_identity(
// CHECK-SAME: %[[X:.*]]: tensor<4x?xf32>
// CHECK-NEXT: return %[[X]]
func.func @transpose_by_identity(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %0 = tenon.transpose %x [0, 1] : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// CHECK-LABEL: func.func @transpose_twice(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>
// CHECK-NEXT: %[[ONE:.*]] = tenon.transpose %[[X]] [2, 0, 1]
// CHECK-NEXT: return %[[ONE]]
func.func @transpose_twice(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = tenon.transpose %x [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = tenon.transpose %0 [1, 2, 0] : (tensor<3x4x2xf32>) -> tensor<4x2x3xf32>
  return %1 : tensor<4x2x3xf32>
}

// CHECK-LABEL: func.func @transpose_of_splat(
// CHECK-NEXT: tenon.constant dense<1> : tensor<3x2xi8>
// CHECK-NOT: tenon.transpose
func.func @transpose_of_splat() -> tensor<3x2xi8> {
  %c = tenon.constant dense<1> : tensor<2x3xi8>
  %0 = tenon.transpose %c [1, 0] : (tensor<2x3xi8>) -> tensor<3x2xi8>
  return %0 : tensor<3x2xi8>
}

// CHECK-LABEL: func.func @slice_of_everything(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
// CHECK-NEXT: return %[[X]]
func.func @slice_of_everything(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tenon.slice %x offsets [0, 0] sizes [4, 8] strides [1, 1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// The element count is equal, but the dimensions are swapped.
// CHECK-LABEL: func.func @slice_backwards_stays(
// CHECK: tenon.slice
func.func @slice_backwards_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tenon.slice %x offsets [3] sizes [4] strides [-1] : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @slice_of_splat(
// CHECK-NEXT: tenon.constant dense<7> : tensor<2xi64>
// CHECK-NOT: tenon.slice
func.func @slice_of_splat() -> tensor<2xi64> {
  %c = tenon.constant dense<7> : tensor<8xi64>
  %0 = tenon.slice %c offsets [1] sizes [2] strides [3] : (tensor<8xi64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// CHECK-LABEL: func.func @concatenate_one(
// CHECK-SAME: %[[X:.*]]: tensor<4x?xf32>
// CHECK-NEXT: return %[[X]]
func.func @concatenate_one(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %0 = tenon.concatenate %x dim 1 : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}
