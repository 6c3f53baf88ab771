// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-plan-fusions))' | FileCheck %s
// As a flag the pass is --tenon-plan-fusions, nested in func.func.

// CHECK-LABEL: func.func @chain(
// CHECK: tenon.exponential %{{.*}} {tenon.group = [[G:.*]] : i64}
// CHECK: tenon.negate %{{.*}} {tenon.group = [[G]] : i64}
func.func @chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tenon.exponential %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tenon.negate %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A value that is needed outside has to be in memory: it is a kernel of its own.
// CHECK-LABEL: func.func @result_on_the_way(
// CHECK: tenon.exponential %{{.*}} {tenon.group = [[A:.*]] : i64}
// CHECK-NOT: tenon.group = [[A]] :
// CHECK: tenon.negate %{{.*}} {tenon.group
func.func @result_on_the_way(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tenon.exponential %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tenon.negate %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// A bias and an activation are computed on the contraction's result as it is made.
// CHECK-LABEL: func.func @epilogue(
// CHECK: tenon.dot_general {{.*}}{tenon.group = [[G:.*]] : i64}
// CHECK: tenon.broadcast_in_dim {{.*}}{tenon.group = [[G]] : i64}
// CHECK: tenon.add {{.*}}{tenon.group = [[G]] : i64}
// CHECK: tenon.tanh {{.*}}{tenon.group = [[G]] : i64}
func.func @epilogue(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = tenon.broadcast_in_dim %b dims [1] sizes [4, 16] : (tensor<16xf32>) -> tensor<4x16xf32>
  %2 = tenon.add %0, %1 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  %3 = tenon.tanh %2 : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %3 : tensor<4x16xf32>
}

// Every element of an operand is read many times: what makes it is not repeated.
// CHECK-LABEL: func.func @no_prologue(
// CHECK: tenon.tanh %{{.*}} {tenon.group = [[A:.*]] : i64}
// CHECK-NOT: tenon.group = [[A]] :
// CHECK: tenon.dot_general
func.func @no_prologue(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = tenon.tanh %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = tenon.dot_general %0, %w batch [] x [] contract [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

// Both reductions of a softmax read and write along one row: one kernel.
// CHECK-LABEL: func.func @rows(
// CHECK: tenon.reduce {{.*}}{tenon.group = [[G:.*]] : i64}
// CHECK: tenon.broadcast_in_dim {{.*}}{tenon.group = [[G]] : i64}
// CHECK: tenon.subtract {{.*}}{tenon.group = [[G]] : i64}
// CHECK: tenon.exponential {{.*}}{tenon.group = [[G]] : i64}
// CHECK: tenon.reduce {{.*}}{tenon.group = [[G]] : i64}
// CHECK: tenon.broadcast_in_dim {{.*}}{tenon.group = [[G]] : i64}
// CHECK: tenon.divide {{.*}}{tenon.group = [[G]] : i64}
func.func @rows(%x: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
  %0 = tenon.reduce maximum %x over [1] : (tensor<?x8xf32>) -> tensor<?xf32>
  %1 = tenon.broadcast_in_dim %0 dims [0] sizes [%n, 8] : (tensor<?xf32>, index) -> tensor<?x8xf32>
  %2 = tenon.subtract %x, %1 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %3 = tenon.exponential %2 : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %4 = tenon.reduce add %3 over [1] : (tensor<?x8xf32>) -> tensor<?xf32>
  %5 = tenon.broadcast_in_dim %4 dims [0] sizes [%n, 8] : (tensor<?xf32>, index) -> tensor<?x8xf32>
  %6 = tenon.divide %3, %5 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %6 : tensor<?x8xf32>
}

// The reduced value is wanted along the other dimension: another row needs it.
// CHECK-LABEL: func.func @across_rows(
// CHECK: tenon.reduce {{.*}}{tenon.group = [[A:.*]] : i64}
// CHECK-NOT: tenon.group = [[A]] :
// CHECK: tenon.subtract
func.func @across_rows(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = tenon.reduce add %x over [1] : (tensor<8x8xf32>) -> tensor<8xf32>
  %1 = tenon.broadcast_in_dim %0 dims [1] sizes [8, 8] : (tensor<8xf32>) -> tensor<8x8xf32>
  %2 = tenon.subtract %x, %1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// What costs next to nothing is cloned to each user.
// CHECK-LABEL: func.func @free_for_each(
// CHECK-COUNT-2: tenon.constant dense<1.000000e+00>
// CHECK: tenon.add
func.func @free_for_each(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %one = tenon.constant dense<1.0> : tensor<4xf32>
  %0 = tenon.add %x, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = tenon.subtract %x, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Once per row, not once per element: an expensive value is not computed where it is repeated.
// CHECK-LABEL: func.func @expensive_before_broadcast(
// CHECK: tenon.exponential %{{.*}} {tenon.group = [[A:.*]] : i64}
// CHECK-NOT: tenon.group = [[A]] :
// CHECK: tenon.broadcast_in_dim
func.func @expensive_before_broadcast(%x: tensor<8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tenon.exponential %x : (tensor<8xf32>) -> tensor<8xf32>
  %1 = tenon.broadcast_in_dim %0 dims [1] sizes [4, 8] : (tensor<8xf32>) -> tensor<4x8xf32>
  %2 = tenon.add %1, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// Per row it is computed once, between the reduction and what takes it along the row.
// CHECK-LABEL: func.func @expensive_once_a_row(
// CHECK: tenon.reduce {{.*}}{tenon.group = [[G:.*]] : i64}
// CHECK: tenon.log {{.*}}{tenon.group = [[G]] : i64}
// CHECK: tenon.broadcast_in_dim {{.*}}{tenon.group = [[G]] : i64}
// CHECK: tenon.subtract {{.*}}{tenon.group = [[G]] : i64}
func.func @expensive_once_a_row(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tenon.reduce add %x over [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = tenon.log %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = tenon.broadcast_in_dim %1 dims [0] sizes [4, 8] : (tensor<4xf32>) -> tensor<4x8xf32>
  %3 = tenon.subtract %x, %2 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// Attention reads slices where they lie, also one that is needed elsewhere, and masks that are repeated; what is computed comes before it.
// CHECK-LABEL: func.func @attention(
// CHECK-DAG: tenon.slice %{{.*}} offsets [0, 8] {{.*}}{tenon.group = [[G:.*]] : i64}
// CHECK-DAG: tenon.slice %{{.*}} offsets [0, 8] {{.*}}{tenon.group = [[OTHER:.*]] : i64}
// CHECK-DAG: tenon.negate {{.*}}{tenon.group = [[BEFORE:.*]] : i64}
// CHECK: tenon.attention {{.*}}{tenon.group = [[G]] : i64}
func.func @attention(%x: tensor<4x16xf32>, %m: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = tenon.slice %x offsets [0, 0] sizes [4, 8] strides [1, 1] : (tensor<4x16xf32>) -> tensor<4x8xf32>
  %1 = tenon.slice %x offsets [0, 8] sizes [4, 8] strides [1, 1] : (tensor<4x16xf32>) -> tensor<4x8xf32>
  %2 = tenon.negate %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = tenon.broadcast_in_dim %m dims [1] sizes [4, 4] : (tensor<4xf32>) -> tensor<4x4xf32>
  %4 = tenon.attention %2, %1, %1 mask %3 order [0, 1] x [0, 1] x [0, 1] to [0, 1] scale 1.0
     : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
  return %4, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// Views, weights and what nobody uses are in no kernel.
// CHECK-LABEL: func.func @nothing_to_do(
// CHECK-NOT: tenon.group
// CHECK: return
tenon.weight @w : tensor<4xf32> from #tenon.source<"model.onnx", 0, 16>
func.func @nothing_to_do(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %w = tenon.get_weight @w : tensor<4xf32>
  %unused = tenon.negate %x : (tensor<4xf32>) -> tensor<4xf32>
  %0 = tenon.reshape %w sizes [2, 2] : (tensor<4xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
