// Consecutive tasks of a contraction compute columns of the same rows. A thread
// with several tasks finds these rows in its cache if it wrote them in the
// launch before.
// RUN: tenon-opt %s --tenon-to-tiled | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK: scf.for %[[TASK:[^ ]+]] =
// CHECK: %[[COLUMN:.*]] = arith.remui %[[TASK]], %[[COLUMNS:[^ ]+]] : index
// CHECK: %[[LINE:.*]] = arith.divui %[[TASK]], %[[COLUMNS]] : index
// CHECK: %[[ROW:.*]] = arith.remui %[[LINE]], %{{.*}} : index
// CHECK: arith.muli %[[ROW]], %{{.*}} : index
// CHECK: arith.muli %[[COLUMN]], %{{.*}} : index
func.func @product(%x: tensor<512x768xf32>, %p: tensor<48x768x16xf32>) -> tensor<512x768xf32> {
  %w = tenon.unpack %p dim 1 extent 768 : (tensor<48x768x16xf32>) -> tensor<768x768xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<512x768xf32>, tensor<768x768xf32>) -> tensor<512x768xf32>
  return %0 : tensor<512x768xf32>
}
}
