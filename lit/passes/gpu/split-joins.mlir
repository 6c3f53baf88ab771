// RUN: tenon-opt %s --tenon-split-joins --split-input-file | FileCheck %s

// Keys that attention joins and gives to the caller are joined by a kernel of
// their own, and attention reads them from memory.
// CHECK-LABEL: func.func @joined(
// CHECK-SAME: %[[Q:[a-z0-9]*]]: memref<1x64xf32>, %[[OLD:[a-z0-9]*]]: memref<?x64xf32>, %[[NEW:[a-z0-9]*]]: memref<1x64xf32>, %[[V:[a-z0-9]*]]: memref<?x64xf32>,
// CHECK-SAME: %[[Y:[a-z0-9]*]]: memref<1x64xf32>, %[[KEYS:[a-z0-9]*]]: memref<?x64xf32>)
// CHECK: tenon.fusion map ins(%[[OLD]], %[[NEW]] : memref<?x64xf32>, memref<1x64xf32>) outs(%[[KEYS]] : memref<?x64xf32>) attributes {tenon.on_device}
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<?x64xf32>, %[[B:.*]]: tensor<1x64xf32>):
// CHECK-NEXT: %[[JOINED:.*]] = tenon.concatenate %[[A]], %[[B]] dim 0
// CHECK-NEXT: tenon.yield %[[JOINED]]
// CHECK: tenon.fusion attention ins(%[[Q]], %[[V]], %[[KEYS]] : memref<1x64xf32>, memref<?x64xf32>, memref<?x64xf32>) outs(%[[Y]] : memref<1x64xf32>) attributes {tenon.on_device}
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<1x64xf32>, %[[B:.*]]: tensor<?x64xf32>, %[[C:.*]]: tensor<?x64xf32>):
// CHECK-NEXT: tenon.attention %[[A]], %[[C]], %[[B]]
func.func @joined(%q: memref<1x64xf32>, %old: memref<?x64xf32>, %new: memref<1x64xf32>, %v: memref<?x64xf32>, %y: memref<1x64xf32>, %keys: memref<?x64xf32>) {
  tenon.fusion attention ins(%q, %old, %new, %v : memref<1x64xf32>, memref<?x64xf32>, memref<1x64xf32>, memref<?x64xf32>)
      outs(%y, %keys : memref<1x64xf32>, memref<?x64xf32>) attributes {streamed, tenon.on_device} {
  ^bb0(%a: tensor<1x64xf32>, %b: tensor<?x64xf32>, %c: tensor<1x64xf32>, %d: tensor<?x64xf32>):
    %0 = tenon.concatenate %b, %c dim 0 : (tensor<?x64xf32>, tensor<1x64xf32>) -> tensor<?x64xf32>
    %1 = tenon.attention %a, %0, %d order [0, 1] x [0, 1] x [0, 1] to [0, 1] scale 1.0
       : (tensor<1x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<1x64xf32>
    tenon.yield %1, %0 : tensor<1x64xf32>, tensor<?x64xf32>
  }
  return
}

// -----

// The host's attention joins its keys while it reads them.
// CHECK-LABEL: func.func @of_host(
// CHECK-NOT: tenon.fusion map
// CHECK: tenon.fusion attention
// CHECK-NEXT: ^bb0
// CHECK-NEXT: tenon.concatenate
func.func @of_host(%q: memref<1x64xf32>, %old: memref<?x64xf32>, %new: memref<1x64xf32>, %y: memref<1x64xf32>, %keys: memref<?x64xf32>) {
  tenon.fusion attention ins(%q, %old, %new : memref<1x64xf32>, memref<?x64xf32>, memref<1x64xf32>) outs(%y, %keys : memref<1x64xf32>, memref<?x64xf32>) {
  ^bb0(%a: tensor<1x64xf32>, %b: tensor<?x64xf32>, %c: tensor<1x64xf32>):
    %0 = tenon.concatenate %b, %c dim 0 : (tensor<?x64xf32>, tensor<1x64xf32>) -> tensor<?x64xf32>
    %1 = tenon.attention %a, %0, %0 order [0, 1] x [0, 1] x [0, 1] to [0, 1] scale 1.0
       : (tensor<1x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<1x64xf32>
    tenon.yield %1, %0 : tensor<1x64xf32>, tensor<?x64xf32>
  }
  return
}
