// RUN: tenon-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @reduce_over_nothing(
// CHECK-SAME: %[[X:.*]]: tensor<4x?xf32>
// CHECK-NEXT: return %[[X]]
func.func @reduce_over_nothing(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %0 = tenon.reduce add %x over [] : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// The reduction removes an extent of one; the fold does not.
// CHECK-LABEL: func.func @reduce_over_one_stays(
// CHECK: tenon.reduce
func.func @reduce_over_one_stays(%x: tensor<4x1xf32>) -> tensor<4xf32> {
  %0 = tenon.reduce add %x over [1] : (tensor<4x1xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
