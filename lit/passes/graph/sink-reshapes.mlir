// RUN: tenon-opt %s --tenon-sink-reshapes --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @into_broadcast(
// CHECK-SAME: %[[MEAN:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[ROWS:.*]] = tenon.broadcast_in_dim %[[MEAN]] dims [0] sizes [4, 8]
// CHECK-NEXT: return %[[ROWS]]
func.func @into_broadcast(%mean: tensor<4xf32>) -> tensor<4x8xf32> {
  %0 = tenon.reshape %mean sizes [4, 1] : (tensor<4xf32>) -> tensor<4x1xf32>
  %1 = tenon.broadcast_in_dim %0 dims [0, 1] sizes [4, 8] : (tensor<4x1xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// Computed from a reduction with kept dimensions: every value has the row's
// shape.
// CHECK-LABEL: func.func @below_elementwise(
// CHECK-SAME: %[[SUM:.*]]: tensor<4xf32>
// CHECK-DAG: %[[ROOT:.*]] = tenon.sqrt %[[SUM]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-DAG: %[[EPSILON:.*]] = tenon.constant dense<{{.*}}> : tensor<4xf32>
// CHECK: %[[SAFE:.*]] = tenon.add %[[ROOT]], %[[EPSILON]]
// CHECK: tenon.broadcast_in_dim %[[SAFE]] dims [0]
// CHECK-NOT: tenon.reshape
func.func @below_elementwise(%sum: tensor<4xf32>) -> tensor<4x8xf32> {
  %e = tenon.constant dense<1.0e-5> : tensor<4x1xf32>
  %0 = tenon.reshape %sum sizes [4, 1] : (tensor<4xf32>) -> tensor<4x1xf32>
  %1 = tenon.sqrt %0 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %2 = tenon.add %1, %e : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  %3 = tenon.broadcast_in_dim %2 dims [0, 1] sizes [4, 8] : (tensor<4x1xf32>) -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @broadcast_scalar_beside(
// CHECK-SAME: %[[SUM:.*]]: tensor<?xf32>, %[[SCALAR:.*]]: tensor<f32>
// CHECK: %[[SPLAT:.*]] = tenon.broadcast_in_dim %[[SCALAR]] dims [] sizes [%{{.*}}] : (tensor<f32>, index) -> tensor<?xf32>
// CHECK: %[[MEAN:.*]] = tenon.divide %[[SUM]], %[[SPLAT]]
// CHECK: tenon.reshape %[[MEAN]]
func.func @broadcast_scalar_beside(%sum: tensor<?xf32>, %scalar: tensor<f32>, %n: index) -> tensor<?x1xf32> {
  %0 = tenon.reshape %sum sizes [%n, 1] : (tensor<?xf32>, index) -> tensor<?x1xf32>
  %1 = tenon.broadcast_in_dim %scalar dims [] sizes [%n, 1] : (tensor<f32>, index) -> tensor<?x1xf32>
  %2 = tenon.divide %0, %1 : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  return %2 : tensor<?x1xf32>
}

// -----

// A predicate has another element type but the same rows.
// CHECK-LABEL: func.func @result_of_other_type(
// CHECK: tenon.compare {{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
// CHECK: tenon.reshape {{.*}} -> tensor<4x1xi1>
func.func @result_of_other_type(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4x1xi1> {
  %0 = tenon.reshape %a sizes [4, 1] : (tensor<4xf32>) -> tensor<4x1xf32>
  %1 = tenon.reshape %b sizes [4, 1] : (tensor<4xf32>) -> tensor<4x1xf32>
  %2 = tenon.compare lt %0, %1 : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xi1>
  return %2 : tensor<4x1xi1>
}

// -----

// CHECK-LABEL: func.func @regrouping_stays(
// CHECK: tenon.reshape
// CHECK: tenon.negate %{{.*}} : (tensor<2x4xf32>)
func.func @regrouping_stays(%x: tensor<8xf32>) -> tensor<2x4xf32> {
  %0 = tenon.reshape %x sizes [2, 4] : (tensor<8xf32>) -> tensor<2x4xf32>
  %1 = tenon.negate %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// -----

// The shape of the other operand cannot be changed.
// CHECK-LABEL: func.func @other_operand_stays(
// CHECK: %[[COLUMN:.*]] = tenon.reshape
// CHECK: tenon.add %[[COLUMN]]
func.func @other_operand_stays(%x: tensor<4xf32>, %y: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %0 = tenon.reshape %x sizes [4, 1] : (tensor<4xf32>) -> tensor<4x1xf32>
  %1 = tenon.add %0, %y : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  return %1 : tensor<4x1xf32>
}

// -----

// Two unknown extents may be regrouped: 2x6 becomes 3x4 without a change of
// type.
// CHECK-LABEL: func.func @unknown_extents_stay(
// CHECK: %[[REGROUPED:.*]] = tenon.reshape
// CHECK: tenon.broadcast_in_dim %[[REGROUPED]]
func.func @unknown_extents_stay(%x: tensor<?x?xf32>, %n: index, %m: index) -> tensor<?x?x8xf32> {
  %0 = tenon.reshape %x sizes [%n, %m, 1] : (tensor<?x?xf32>, index, index) -> tensor<?x?x1xf32>
  %1 = tenon.broadcast_in_dim %0 dims [0, 1, 2] sizes [%n, %m, 8] : (tensor<?x?x1xf32>, index, index) -> tensor<?x?x8xf32>
  return %1 : tensor<?x?x8xf32>
}

// -----

// Sizes that are the operand's own extents exclude regrouping.
// CHECK-LABEL: func.func @own_unknown_extents(
// CHECK-SAME: %[[X:.*]]: tensor<?x?x8xf32>
// CHECK: %[[SUM:.*]] = tenon.reduce add %[[X]] over [2]
// CHECK-NOT: tenon.reshape
// CHECK: tenon.broadcast_in_dim %[[SUM]] dims [0, 1]
func.func @own_unknown_extents(%x: tensor<?x?x8xf32>) -> tensor<?x?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x8xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?x8xf32>
  %0 = tenon.reduce add %x over [2] : (tensor<?x?x8xf32>) -> tensor<?x?xf32>
  %1 = tenon.reshape %0 sizes [%n, %m, 1] : (tensor<?x?xf32>, index, index) -> tensor<?x?x1xf32>
  %2 = tenon.broadcast_in_dim %1 dims [0, 1, 2] sizes [%n, %m, 8] : (tensor<?x?x1xf32>, index, index) -> tensor<?x?x8xf32>
  return %2 : tensor<?x?x8xf32>
}

// -----

// Sizes that are computed as the operand's extents are exclude regrouping, too.
// CHECK-LABEL: func.func @computed_extents(
// CHECK: %[[TWICE:.*]] = tenon.concatenate
// CHECK-NOT: tenon.reshape
// CHECK: tenon.broadcast_in_dim %[[TWICE]] dims [0, 1]
func.func @computed_extents(%x: tensor<?x?xf32>) -> tensor<?x?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %twice = arith.muli %n, %c2 : index
  %0 = tenon.concatenate %x, %x dim 0 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tenon.reshape %0 sizes [%twice, %m, 1] : (tensor<?x?xf32>, index, index) -> tensor<?x?x1xf32>
  %2 = tenon.broadcast_in_dim %1 dims [0, 1, 2] sizes [%twice, %m, 8] : (tensor<?x?x1xf32>, index, index) -> tensor<?x?x8xf32>
  return %2 : tensor<?x?x8xf32>
}

// -----

// Extents that only their names make equal do not move a reshape.
// CHECK-LABEL: func.func @names_stay(
// CHECK: %[[COLUMN:.*]] = tenon.reshape
// CHECK: tenon.negate %[[COLUMN]]
func.func @names_stay(%x: tensor<?x?xf32> {tenon.dims = ["n", "m"]}, %y: tensor<?x?xf32> {tenon.dims = ["n", "m"]}) -> tensor<?x?x1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %y, %c0 : tensor<?x?xf32>
  %m = tensor.dim %y, %c1 : tensor<?x?xf32>
  %0 = tenon.reshape %x sizes [%n, %m, 1] : (tensor<?x?xf32>, index, index) -> tensor<?x?x1xf32>
  %1 = tenon.negate %0 : (tensor<?x?x1xf32>) -> tensor<?x?x1xf32>
  return %1 : tensor<?x?x1xf32>
}
