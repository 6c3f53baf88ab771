// RUN: tenon-opt %s --tenon-bufferize | FileCheck %s

// The destination becomes a buffer; the region keeps speaking of tensors.
// CHECK-LABEL: func.func @fusion(
// CHECK-SAME: %[[X:.*]]: memref<4xf32>
// CHECK: %[[A:.*]] = memref.alloc(){{.*}} : memref<4xf32>
// CHECK: tenon.fusion map ins(%[[X]] : memref<4xf32>) outs(%[[A]] : memref<4xf32>) {
// CHECK: tenon.negate %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: return %[[A]] : memref<4xf32>
func.func @fusion(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = tenon.fusion map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %1 = tenon.negate %a : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %1 : tensor<4xf32>
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
