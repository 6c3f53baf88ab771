// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-form-fusions))' | FileCheck %s
// As a flag the pass is --tenon-form-fusions, nested in func.func.

// CHECK-LABEL: func.func @one_group(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK: %[[TO:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: %[[Y:.*]] = tenon.fusion{{ +}}map ins(%[[X]] : tensor<4xf32>) outs(%[[TO]] : tensor<4xf32>) {
// CHECK: ^{{.*}}(%[[IN:.*]]: tensor<4xf32>):
// CHECK: %[[POWER:.*]] = tenon.exponential %[[IN]] :
// CHECK: %[[OUT:.*]] = tenon.negate %[[POWER]] :
// CHECK: tenon.yield %[[OUT]]
// CHECK-NOT: tenon.group
// CHECK: return %[[Y]]
func.func @one_group(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tenon.exponential %x {tenon.group = 0} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tenon.negate %0 {tenon.group = 0} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @two_groups(
// CHECK: %[[FIRST:.*]] = tenon.fusion
// CHECK: tenon.exponential
// CHECK: tenon.fusion{{ +}}map ins(%[[FIRST]] :
// CHECK: tenon.negate
func.func @two_groups(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tenon.exponential %x {tenon.group = 1} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tenon.negate %0 {tenon.group = 0} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// The size of the second destination is that of the argument, not of the
// computed value.
// CHECK-LABEL: func.func @sizes_of_arguments(
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>
// CHECK-NOT: tensor.dim %{{[^,]*}}#
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %{{.*}}
// CHECK: tensor.empty(%[[N]])
// CHECK: tenon.fusion
// CHECK: %[[M:.*]] = tensor.dim %[[X]], %{{.*}}
// CHECK: tensor.empty(%[[M]])
// CHECK: tenon.fusion
func.func @sizes_of_arguments(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tenon.exponential %x {tenon.group = 1} : (tensor<?xf32>) -> tensor<?xf32>
  %1 = tenon.negate %0 {tenon.group = 0} : (tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// A value that is read twice has one extent: each tensor of a chain adds two
// ops and does not repeat the ops before it.
// CHECK-LABEL: func.func @doubled(
// CHECK-COUNT-5: arith.addi
// CHECK-NOT: arith.addi
// CHECK: return
func.func @doubled(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tenon.concatenate %x, %x dim 0 {tenon.group = 0} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = tenon.concatenate %0, %0 dim 0 {tenon.group = 1} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %2 = tenon.concatenate %1, %1 dim 0 {tenon.group = 2} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// An extent computed by the op itself becomes index arithmetic on the input
// extents.
// CHECK-LABEL: func.func @sum_of_extents(
// CHECK-SAME: %[[A:.*]]: tensor<?xf32>, %[[B:.*]]: tensor<?xf32>
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[A]]
// CHECK-DAG: %[[M:.*]] = tensor.dim %[[B]]
// CHECK: %[[SUM:.*]] = arith.addi %[[N]], %[[M]]
// CHECK: tensor.empty(%[[SUM]])
func.func @sum_of_extents(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tenon.concatenate %a, %b dim 0 {tenon.group = 0} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Sizes are operands of type index.
// CHECK-LABEL: func.func @index_input(
// CHECK: tenon.fusion{{ +}}map ins(%{{.*}}, %[[N:.*]] : tensor<f32>, index)
func.func @index_input(%x: tensor<f32>, %n: index) -> tensor<?xf32> {
  %0 = tenon.broadcast_in_dim %x dims [] sizes [%n] {tenon.group = 0} : (tensor<f32>, index) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// The kind selects the emitter of the kernel.
// CHECK-LABEL: func.func @kinds(
// CHECK: tenon.fusion{{ +}}contraction
// CHECK: tenon.fusion{{ +}}rows
// CHECK: tenon.fusion{{ +}}scan
// CHECK: tenon.fusion{{ +}}window
func.func @kinds(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<4x7xf32>) {
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] {tenon.group = 0} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = tenon.reduce add %x over [1] {tenon.group = 1} : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = tenon.cumulative add %x over 1 {tenon.group = 2} : tensor<4x8xf32>
  %3 = tenon.reduce_window maximum %x window [1, 2] strides [1, 1] dilations [1, 1] padding [0, 0, 0, 0] {tenon.group = 3} : (tensor<4x8xf32>) -> tensor<4x7xf32>
  return %0, %1, %2, %3 : tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<4x7xf32>
}

// CHECK-LABEL: func.func @no_group(
// CHECK-NOT: tenon.fusion
// CHECK: tenon.reshape
func.func @no_group(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %0 = tenon.reshape %x sizes [2, 2] : (tensor<4xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// Equal computations are equal fusions, whatever the order of their ops, so
// they share one kernel.
// CHECK-LABEL: func.func @order_of_use(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>
// CHECK: tenon.fusion{{ +}}map ins(%[[X]], %[[Y]] : tensor<4xf32>, tensor<4xf32>)
// CHECK: tenon.exponential
// CHECK-NEXT: tenon.negate
// CHECK-NEXT: tenon.add
// CHECK: tenon.fusion{{ +}}map ins(%[[X]], %[[Y]] : tensor<4xf32>, tensor<4xf32>)
// CHECK: tenon.exponential
// CHECK-NEXT: tenon.negate
// CHECK-NEXT: tenon.add
func.func @order_of_use(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tenon.exponential %x {tenon.group = 1} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tenon.negate %y {tenon.group = 1} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = tenon.add %0, %1 {tenon.group = 1} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = tenon.negate %y {tenon.group = 0} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = tenon.exponential %x {tenon.group = 0} : (tensor<4xf32>) -> tensor<4xf32>
  %5 = tenon.add %4, %3 {tenon.group = 0} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2, %5 : tensor<4xf32>, tensor<4xf32>
}

// A value with users outside the fusion is another output.
// CHECK-LABEL: func.func @member_used_outside(
// CHECK: %[[BOTH:.*]]:2 = tenon.fusion{{ +}}map {{.*}} outs(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>) {
// CHECK: %[[POWER:.*]] = tenon.exponential
// CHECK: %[[OUT:.*]] = tenon.negate %[[POWER]]
// CHECK: tenon.yield %[[OUT]], %[[POWER]]
// CHECK: return %[[BOTH]]#1, %[[BOTH]]#0
func.func @member_used_outside(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tenon.exponential %x {tenon.group = 0} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tenon.negate %0 {tenon.group = 0} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
