// RUN: tenon-opt %s --tenon-form-fusions | FileCheck %s

// CHECK-LABEL: func.func @one_group(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: %[[F:.*]] = tenon.fusion map ins(%[[X]] : tensor<4xf32>) outs(%[[E]] : tensor<4xf32>) {
// CHECK: tenon.exponential
// CHECK: %[[N:.*]] = tenon.negate
// CHECK-NOT: tenon.group
// CHECK: tenon.yield %[[N]]
// CHECK: return %[[F]]
func.func @one_group(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tenon.exponential %x {tenon.group = 0} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tenon.negate %0 {tenon.group = 0} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// The destination's extent is traced back to the argument's.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[X]],
// CHECK: tensor.empty(%[[N]]) : tensor<?xf32>
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tenon.negate %x {tenon.group = 0} : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @no_group(
// CHECK-NEXT: return
func.func @no_group(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
