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

// A value that is needed outside must be in memory, so it is a kernel of its
// own.
// CHECK-LABEL: func.func @result_on_the_way(
// CHECK: tenon.exponential %{{.*}} {tenon.group = [[A:.*]] : i64}
// CHECK-NOT: tenon.group = [[A]] :
// CHECK: tenon.negate %{{.*}} {tenon.group
func.func @result_on_the_way(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tenon.exponential %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tenon.negate %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// A bias and an activation are the epilogue of the contraction.
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

// Every element of an operand is read many times, so its producer is not fused.
// CHECK-LABEL: func.func @no_prologue(
// CHECK: tenon.tanh %{{.*}} {tenon.group = [[A:.*]] : i64}
// CHECK-NOT: tenon.group = [[A]] :
// CHECK: tenon.dot_general
func.func @no_prologue(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = tenon.tanh %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = tenon.dot_general %0, %w batch [] x [] contract [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

// Both reductions of a softmax read and write along one row: they are one
// kernel.
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

// The reduced value is used along the other dimension, so it needs another
// kernel.
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

// A cheap op is cloned to each user.
// CHECK-LABEL: func.func @free_for_each(
// CHECK-COUNT-2: tenon.constant dense<1.000000e+00>
// CHECK: tenon.add
func.func @free_for_each(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %one = tenon.constant dense<1.0> : tensor<4xf32>
  %0 = tenon.add %x, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = tenon.subtract %x, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// An expensive value that is broadcast is computed once per row, not once per
// element.
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

// A value per row is computed once, between the reduction and its use along the
// row.
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

// Several cheap ops cost more than the load of their result: a kernel of their
// own computes them once. Their number counts, not that of the last op alone.
// CHECK-LABEL: func.func @chain_before_broadcast(
// CHECK-COUNT-5: tenon.{{add|multiply}} {{.*}}{tenon.group = [[CHAIN:.*]] : i64}
// CHECK: tenon.broadcast_in_dim {{.*}}{tenon.group = [[G:.*]] : i64}
// CHECK-NOT: tenon.group = [[CHAIN]] :
// CHECK: return
func.func @chain_before_broadcast(%x: tensor<8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tenon.add %x, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = tenon.multiply %0, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %2 = tenon.add %1, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = tenon.multiply %2, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %4 = tenon.add %3, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %5 = tenon.broadcast_in_dim %4 dims [1] sizes [4, 8] : (tensor<8xf32>) -> tensor<4x8xf32>
  %6 = tenon.add %y, %5 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @short_chain_before_broadcast(
// CHECK: tenon.add {{.*}}{tenon.group = [[G:.*]] : i64}
// CHECK: tenon.multiply {{.*}}{tenon.group = [[G]] : i64}
// CHECK: tenon.broadcast_in_dim {{.*}}{tenon.group = [[G]] : i64}
func.func @short_chain_before_broadcast(%x: tensor<8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tenon.add %x, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = tenon.multiply %0, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %2 = tenon.broadcast_in_dim %1 dims [1] sizes [4, 8] : (tensor<8xf32>) -> tensor<4x8xf32>
  %3 = tenon.add %y, %2 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// Gathers are part of the kernel that uses their results, as in an image that
// is enlarged. Their operands and places are read in memory.
// CHECK-LABEL: func.func @gathers(
// CHECK: tenon.negate {{.*}}{tenon.group = [[TABLE:.*]] : i64}
// CHECK: tenon.add {{.*}}{tenon.group = [[PLACES:.*]] : i64}
// CHECK: tenon.gather {{.*}}tenon.group = [[G:.*]] : i64
// CHECK: tenon.gather {{.*}}tenon.group = [[G]] : i64
// CHECK: tenon.add {{.*}}{tenon.group = [[G]] : i64}
func.func @gathers(%x: tensor<4x8xf32>, %i: tensor<16xi64>, %j: tensor<16xi64>) -> tensor<4x16xf32> {
  %0 = tenon.negate %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = tenon.add %i, %j : (tensor<16xi64>, tensor<16xi64>) -> tensor<16xi64>
  %2 = tenon.gather %0, %1 offset_dims [0] collapsed [1] batching [] x [] map [1] vector_dim 1 slice_sizes [4, 1] : (tensor<4x8xf32>, tensor<16xi64>) -> tensor<4x16xf32>
  %3 = tenon.gather %0, %i offset_dims [0] collapsed [1] batching [] x [] map [1] vector_dim 1 slice_sizes [4, 1] : (tensor<4x8xf32>, tensor<16xi64>) -> tensor<4x16xf32>
  %4 = tenon.add %2, %3 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return %4 : tensor<4x16xf32>
}

// A gather of a gather is one kernel; a gather of places is not.
// CHECK-LABEL: func.func @gather_of_gather(
// CHECK: tenon.gather %arg1, {{.*}}tenon.group = [[PLACES:.*]] : i64
// CHECK: tenon.gather {{.*}}tenon.group = [[G:.*]] : i64
// CHECK-NOT: tenon.group = [[PLACES]] :
// CHECK: tenon.gather {{.*}}tenon.group = [[G]] : i64
// CHECK: return
func.func @gather_of_gather(%x: tensor<4x8xf32>, %i: tensor<16xi64>, %j: tensor<6xi64>) -> tensor<6x6xf32> {
  %0 = tenon.gather %i, %j offset_dims [] collapsed [0] batching [] x [] map [0] vector_dim 1 slice_sizes [1] : (tensor<16xi64>, tensor<6xi64>) -> tensor<6xi64>
  %1 = tenon.gather %x, %j offset_dims [1] collapsed [0] batching [] x [] map [0] vector_dim 1 slice_sizes [1, 8] : (tensor<4x8xf32>, tensor<6xi64>) -> tensor<6x8xf32>
  %2 = tenon.gather %1, %0 offset_dims [0] collapsed [1] batching [] x [] map [1] vector_dim 1 slice_sizes [6, 1] : (tensor<6x8xf32>, tensor<6xi64>) -> tensor<6x6xf32>
  return %2 : tensor<6x6xf32>
}

// CHECK-LABEL: func.func @broadcast_gather(
// CHECK: tenon.gather {{.*}}tenon.group = [[K:.*]] : i64
// CHECK-NOT: tenon.group = [[K]] :
// CHECK: return
func.func @broadcast_gather(%x: tensor<8xf32>, %i: tensor<6xi64>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = tenon.gather %x, %i offset_dims [] collapsed [0] batching [] x [] map [0] vector_dim 1 slice_sizes [1] : (tensor<8xf32>, tensor<6xi64>) -> tensor<6xf32>
  %1 = tenon.broadcast_in_dim %0 dims [1] sizes [4, 6] : (tensor<6xf32>) -> tensor<4x6xf32>
  %2 = tenon.add %y, %1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// Attention reads slices in place, also a slice with other users, and broadcast
// masks; computed values are separate kernels.
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

// It reads slices of a cache and of its table in place, too, and offsets that
// are free. Computed lengths are a separate kernel.
// CHECK-LABEL: func.func @attention_cached(
// CHECK-DAG: tenon.slice %arg1 {{.*}}{tenon.group = [[G:.*]] : i64}
// CHECK-DAG: tenon.slice %arg2 {{.*}}{tenon.group = [[G]] : i64}
// CHECK-DAG: tenon.broadcast_in_dim {{.*}}{tenon.group = [[G]] : i64}
// CHECK-NOT: tenon.add {{.*}}tenon.group = [[G]] : i64
// CHECK: tenon.attention {{.*}}{tenon.group = [[G]] : i64}
func.func @attention_cached(%q: tensor<2x4x1x8xf32>, %k: tensor<9x4x?x8xbf16>, %t: tensor<8x?xi64>, %n: tensor<2xi64>, %c: tensor<i64>, %p: index) -> tensor<2x4x1x8xf32> {
  %0 = tenon.slice %k offsets [1, 0, 0, 0] sizes [5, 4, %p, 8] strides [1, 1, 1, 1] : (tensor<9x4x?x8xbf16>, index) -> tensor<5x4x?x8xbf16>
  %1 = tenon.slice %t offsets [3, 0] sizes [2, %p] strides [1, 1] : (tensor<8x?xi64>, index) -> tensor<2x?xi64>
  %2 = tenon.add %n, %n : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %3 = tenon.broadcast_in_dim %c dims [] sizes [2] : (tensor<i64>) -> tensor<2xi64>
  %4 = tenon.attention %q, %0, %0 causal %3 lengths %2 table %1 fill 0.0 order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 1.0
     : (tensor<2x4x1x8xf32>, tensor<5x4x?x8xbf16>, tensor<5x4x?x8xbf16>, tensor<2xi64>, tensor<2xi64>, tensor<2x?xi64>) -> tensor<2x4x1x8xf32>
  return %4 : tensor<2x4x1x8xf32>
}

// Views, weights and unused ops are in no kernel.
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

// A kernel has a limited number of ops: at most 32 expensive ones; the 33rd is
// stored to memory.
// CHECK-LABEL: func.func @long(
// CHECK: tenon.exponential %arg0 {tenon.group = 1 : i64}
// CHECK-COUNT-32: tenon.exponential {{.*}} {tenon.group = 0 : i64}
func.func @long(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tenon.exponential %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tenon.exponential %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = tenon.exponential %1 : (tensor<4xf32>) -> tensor<4xf32>
  %3 = tenon.exponential %2 : (tensor<4xf32>) -> tensor<4xf32>
  %4 = tenon.exponential %3 : (tensor<4xf32>) -> tensor<4xf32>
  %5 = tenon.exponential %4 : (tensor<4xf32>) -> tensor<4xf32>
  %6 = tenon.exponential %5 : (tensor<4xf32>) -> tensor<4xf32>
  %7 = tenon.exponential %6 : (tensor<4xf32>) -> tensor<4xf32>
  %8 = tenon.exponential %7 : (tensor<4xf32>) -> tensor<4xf32>
  %9 = tenon.exponential %8 : (tensor<4xf32>) -> tensor<4xf32>
  %10 = tenon.exponential %9 : (tensor<4xf32>) -> tensor<4xf32>
  %11 = tenon.exponential %10 : (tensor<4xf32>) -> tensor<4xf32>
  %12 = tenon.exponential %11 : (tensor<4xf32>) -> tensor<4xf32>
  %13 = tenon.exponential %12 : (tensor<4xf32>) -> tensor<4xf32>
  %14 = tenon.exponential %13 : (tensor<4xf32>) -> tensor<4xf32>
  %15 = tenon.exponential %14 : (tensor<4xf32>) -> tensor<4xf32>
  %16 = tenon.exponential %15 : (tensor<4xf32>) -> tensor<4xf32>
  %17 = tenon.exponential %16 : (tensor<4xf32>) -> tensor<4xf32>
  %18 = tenon.exponential %17 : (tensor<4xf32>) -> tensor<4xf32>
  %19 = tenon.exponential %18 : (tensor<4xf32>) -> tensor<4xf32>
  %20 = tenon.exponential %19 : (tensor<4xf32>) -> tensor<4xf32>
  %21 = tenon.exponential %20 : (tensor<4xf32>) -> tensor<4xf32>
  %22 = tenon.exponential %21 : (tensor<4xf32>) -> tensor<4xf32>
  %23 = tenon.exponential %22 : (tensor<4xf32>) -> tensor<4xf32>
  %24 = tenon.exponential %23 : (tensor<4xf32>) -> tensor<4xf32>
  %25 = tenon.exponential %24 : (tensor<4xf32>) -> tensor<4xf32>
  %26 = tenon.exponential %25 : (tensor<4xf32>) -> tensor<4xf32>
  %27 = tenon.exponential %26 : (tensor<4xf32>) -> tensor<4xf32>
  %28 = tenon.exponential %27 : (tensor<4xf32>) -> tensor<4xf32>
  %29 = tenon.exponential %28 : (tensor<4xf32>) -> tensor<4xf32>
  %30 = tenon.exponential %29 : (tensor<4xf32>) -> tensor<4xf32>
  %31 = tenon.exponential %30 : (tensor<4xf32>) -> tensor<4xf32>
  %32 = tenon.exponential %31 : (tensor<4xf32>) -> tensor<4xf32>
  return %32 : tensor<4xf32>
}

// Paths through shared values are counted once.
// CHECK-LABEL: func.func @doubled(
// CHECK: tenon.dot_general {{.*}} {tenon.group = 0 : i64}
// CHECK-COUNT-64: tenon.add {{.*}} {tenon.group = 0 : i64}
func.func @doubled(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %d = tenon.dot_general %x, %x batch [] x [] contract [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = tenon.add %d, %d : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = tenon.add %0, %0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = tenon.add %1, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = tenon.add %2, %2 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = tenon.add %3, %3 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = tenon.add %4, %4 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %6 = tenon.add %5, %5 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %7 = tenon.add %6, %6 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %8 = tenon.add %7, %7 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %9 = tenon.add %8, %8 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %10 = tenon.add %9, %9 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %11 = tenon.add %10, %10 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %12 = tenon.add %11, %11 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %13 = tenon.add %12, %12 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %14 = tenon.add %13, %13 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %15 = tenon.add %14, %14 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %16 = tenon.add %15, %15 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %17 = tenon.add %16, %16 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %18 = tenon.add %17, %17 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %19 = tenon.add %18, %18 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %20 = tenon.add %19, %19 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %21 = tenon.add %20, %20 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %22 = tenon.add %21, %21 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %23 = tenon.add %22, %22 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %24 = tenon.add %23, %23 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %25 = tenon.add %24, %24 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %26 = tenon.add %25, %25 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %27 = tenon.add %26, %26 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %28 = tenon.add %27, %27 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %29 = tenon.add %28, %28 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %30 = tenon.add %29, %29 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %31 = tenon.add %30, %30 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %32 = tenon.add %31, %31 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %33 = tenon.add %32, %32 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %34 = tenon.add %33, %33 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %35 = tenon.add %34, %34 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %36 = tenon.add %35, %35 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %37 = tenon.add %36, %36 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %38 = tenon.add %37, %37 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %39 = tenon.add %38, %38 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %40 = tenon.add %39, %39 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %41 = tenon.add %40, %40 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %42 = tenon.add %41, %41 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %43 = tenon.add %42, %42 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %44 = tenon.add %43, %43 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %45 = tenon.add %44, %44 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %46 = tenon.add %45, %45 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %47 = tenon.add %46, %46 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %48 = tenon.add %47, %47 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %49 = tenon.add %48, %48 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %50 = tenon.add %49, %49 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %51 = tenon.add %50, %50 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %52 = tenon.add %51, %51 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %53 = tenon.add %52, %52 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %54 = tenon.add %53, %53 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %55 = tenon.add %54, %54 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %56 = tenon.add %55, %55 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %57 = tenon.add %56, %56 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %58 = tenon.add %57, %57 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %59 = tenon.add %58, %58 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %60 = tenon.add %59, %59 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %61 = tenon.add %60, %60 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %62 = tenon.add %61, %61 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %63 = tenon.add %62, %62 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %63 : tensor<4x4xf32>
}

// Attention joins earlier and new keys itself if it is the only reader and they
// are results of the model, and reads slices of the new ones.
// CHECK-LABEL: func.func @past_keys(
// CHECK: tenon.slice {{.*}}{tenon.group = [[G:.*]] : i64}
// CHECK: tenon.concatenate %arg1, {{.*}}{tenon.group = [[G]] : i64}
// CHECK: tenon.concatenate %arg1, %arg2 {{.*}}{tenon.group = [[G]] : i64}
// CHECK: tenon.attention {{.*}}{tenon.group = [[G]] : i64}
func.func @past_keys(%q: tensor<8x1x4xf32>, %past: tensor<8x?x4xf32>, %new: tensor<8x1x4xf32>, %both: tensor<16x1x4xf32>) -> (tensor<8x1x4xf32>, tensor<8x?x4xf32>, tensor<8x?x4xf32>) {
  %0 = tenon.slice %both offsets [8, 0, 0] sizes [8, 1, 4] strides [1, 1, 1] : (tensor<16x1x4xf32>) -> tensor<8x1x4xf32>
  %1 = tenon.concatenate %past, %0 dim 1 : (tensor<8x?x4xf32>, tensor<8x1x4xf32>) -> tensor<8x?x4xf32>
  %2 = tenon.concatenate %past, %new dim 1 : (tensor<8x?x4xf32>, tensor<8x1x4xf32>) -> tensor<8x?x4xf32>
  %3 = tenon.attention %q, %1, %2 order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0
     : (tensor<8x1x4xf32>, tensor<8x?x4xf32>, tensor<8x?x4xf32>) -> tensor<8x1x4xf32>
  return %3, %1, %2 : tensor<8x1x4xf32>, tensor<8x?x4xf32>, tensor<8x?x4xf32>
}

// Not if it leaves out keys.
// CHECK-LABEL: func.func @past_keys_of_entries(
// CHECK: tenon.concatenate {{.*}}{tenon.group = [[K:.*]] : i64}
// CHECK-NOT: tenon.group = [[K]] : i64
// CHECK: return
func.func @past_keys_of_entries(%q: tensor<1x8x1x4xf32>, %past: tensor<1x8x?x4xf32>, %new: tensor<1x8x1x4xf32>, %n: tensor<1xi64>) -> (tensor<1x8x1x4xf32>, tensor<1x8x?x4xf32>) {
  %0 = tenon.concatenate %past, %new dim 2 : (tensor<1x8x?x4xf32>, tensor<1x8x1x4xf32>) -> tensor<1x8x?x4xf32>
  %1 = tenon.attention %q, %0, %0 lengths %n order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 1.0
     : (tensor<1x8x1x4xf32>, tensor<1x8x?x4xf32>, tensor<1x8x?x4xf32>, tensor<1xi64>) -> tensor<1x8x1x4xf32>
  return %1, %0 : tensor<1x8x1x4xf32>, tensor<1x8x?x4xf32>
}

// Not if keys are transposed, or if another op reads the joined tensor.
// CHECK-LABEL: func.func @keys_apart(
// CHECK: tenon.concatenate {{.*}}{tenon.group = [[K:.*]] : i64}
// CHECK: tenon.concatenate {{.*}}{tenon.group = [[V:.*]] : i64}
// CHECK-NOT: tenon.group = [[K]] : i64
// CHECK-NOT: tenon.group = [[V]] : i64
// CHECK: return
func.func @keys_apart(%q: tensor<8x1x4xf32>, %a: tensor<8x4x2xf32>, %b: tensor<8x4x1xf32>, %c: tensor<8x2x4xf32>, %d: tensor<8x1x4xf32>)
    -> (tensor<8x1x4xf32>, tensor<8x4x3xf32>, tensor<8x3x4xf32>) {
  %0 = tenon.concatenate %a, %b dim 2 : (tensor<8x4x2xf32>, tensor<8x4x1xf32>) -> tensor<8x4x3xf32>
  %1 = tenon.concatenate %c, %d dim 1 : (tensor<8x2x4xf32>, tensor<8x1x4xf32>) -> tensor<8x3x4xf32>
  %2 = tenon.attention %q, %0, %1 order [0, 1, 2] x [0, 2, 1] x [0, 1, 2] to [0, 1, 2] scale 1.0
     : (tensor<8x1x4xf32>, tensor<8x4x3xf32>, tensor<8x3x4xf32>) -> tensor<8x1x4xf32>
  %3 = tenon.negate %1 : (tensor<8x3x4xf32>) -> tensor<8x3x4xf32>
  return %2, %0, %3 : tensor<8x1x4xf32>, tensor<8x4x3xf32>, tensor<8x3x4xf32>
}

// Nor if the joined tensor is used only by attention, if it is the queries,
// or a mask, or if no operand is known to be computed in this run.
// CHECK-LABEL: func.func @joined_not_returned(
// CHECK: tenon.concatenate {{.*}}{tenon.group = [[K:.*]] : i64}
// CHECK-NOT: tenon.group = [[K]] : i64
// CHECK: return
func.func @joined_not_returned(%q: tensor<8x1x4xf32>, %a: tensor<8x2x4xf32>, %b: tensor<8x1x4xf32>, %v: tensor<8x3x4xf32>) -> tensor<8x1x4xf32> {
  %0 = tenon.concatenate %a, %b dim 1 : (tensor<8x2x4xf32>, tensor<8x1x4xf32>) -> tensor<8x3x4xf32>
  %1 = tenon.attention %q, %0, %v order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0
     : (tensor<8x1x4xf32>, tensor<8x3x4xf32>, tensor<8x3x4xf32>) -> tensor<8x1x4xf32>
  return %1 : tensor<8x1x4xf32>
}

// CHECK-LABEL: func.func @joined_queries(
// CHECK: tenon.concatenate {{.*}}{tenon.group = [[Q:.*]] : i64}
// CHECK-NOT: tenon.group = [[Q]] : i64
// CHECK: return
func.func @joined_queries(%a: tensor<8x2x4xf32>, %b: tensor<8x1x4xf32>, %k: tensor<8x3x4xf32>, %v: tensor<8x3x4xf32>) -> (tensor<8x3x4xf32>, tensor<8x3x4xf32>) {
  %0 = tenon.concatenate %a, %b dim 1 : (tensor<8x2x4xf32>, tensor<8x1x4xf32>) -> tensor<8x3x4xf32>
  %1 = tenon.attention %0, %k, %v order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0
     : (tensor<8x3x4xf32>, tensor<8x3x4xf32>, tensor<8x3x4xf32>) -> tensor<8x3x4xf32>
  return %1, %0 : tensor<8x3x4xf32>, tensor<8x3x4xf32>
}

// CHECK-LABEL: func.func @joined_mask(
// CHECK: tenon.concatenate {{.*}}{tenon.group = [[M:.*]] : i64}
// CHECK-NOT: tenon.group = [[M]] : i64
// CHECK: return
func.func @joined_mask(%q: tensor<8x3x4xf32>, %k: tensor<8x3x4xf32>, %v: tensor<8x3x4xf32>, %a: tensor<8x2x3xf32>, %b: tensor<8x1x3xf32>) -> (tensor<8x3x4xf32>, tensor<8x3x3xf32>) {
  %0 = tenon.concatenate %a, %b dim 1 : (tensor<8x2x3xf32>, tensor<8x1x3xf32>) -> tensor<8x3x3xf32>
  %1 = tenon.attention %q, %k, %v mask %0 order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0
     : (tensor<8x3x4xf32>, tensor<8x3x4xf32>, tensor<8x3x4xf32>, tensor<8x3x3xf32>) -> tensor<8x3x4xf32>
  return %1, %0 : tensor<8x3x4xf32>, tensor<8x3x3xf32>
}

// CHECK-LABEL: func.func @no_queries(
// CHECK: tenon.concatenate {{.*}}{tenon.group = [[K:.*]] : i64}
// CHECK-NOT: tenon.group = [[K]] : i64
// CHECK: return
func.func @no_queries(%q: tensor<8x0x4xf32>, %a: tensor<8x2x4xf32>, %b: tensor<8x1x4xf32>, %v: tensor<8x3x4xf32>) -> (tensor<8x0x4xf32>, tensor<8x3x4xf32>) {
  %0 = tenon.concatenate %a, %b dim 1 : (tensor<8x2x4xf32>, tensor<8x1x4xf32>) -> tensor<8x3x4xf32>
  %1 = tenon.attention %q, %0, %v order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0
     : (tensor<8x0x4xf32>, tensor<8x3x4xf32>, tensor<8x3x4xf32>) -> tensor<8x0x4xf32>
  return %1, %0 : tensor<8x0x4xf32>, tensor<8x3x4xf32>
}

// CHECK-LABEL: func.func @perhaps_no_queries(
// CHECK: tenon.concatenate {{.*}}{tenon.group = [[K:.*]] : i64}
// CHECK-NOT: tenon.group = [[K]] : i64
// CHECK: return
func.func @perhaps_no_queries(%q: tensor<8x?x4xf32>, %a: tensor<8x2x4xf32>, %b: tensor<8x1x4xf32>, %v: tensor<8x3x4xf32>) -> (tensor<8x?x4xf32>, tensor<8x3x4xf32>) {
  %0 = tenon.concatenate %a, %b dim 1 : (tensor<8x2x4xf32>, tensor<8x1x4xf32>) -> tensor<8x3x4xf32>
  %1 = tenon.attention %q, %0, %v order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0
     : (tensor<8x?x4xf32>, tensor<8x3x4xf32>, tensor<8x3x4xf32>) -> tensor<8x?x4xf32>
  return %1, %0 : tensor<8x?x4xf32>, tensor<8x3x4xf32>
}

// CHECK-LABEL: func.func @values_without_depth(
// CHECK: tenon.concatenate {{.*}}{tenon.group = [[K:.*]] : i64}
// CHECK-NOT: tenon.group = [[K]] : i64
// CHECK: return
func.func @values_without_depth(%q: tensor<8x1x4xf32>, %a: tensor<8x2x4xf32>, %b: tensor<8x1x4xf32>, %v: tensor<8x3x0xf32>) -> (tensor<8x1x0xf32>, tensor<8x3x4xf32>) {
  %0 = tenon.concatenate %a, %b dim 1 : (tensor<8x2x4xf32>, tensor<8x1x4xf32>) -> tensor<8x3x4xf32>
  %1 = tenon.attention %q, %0, %v order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0
     : (tensor<8x1x4xf32>, tensor<8x3x4xf32>, tensor<8x3x0xf32>) -> tensor<8x1x0xf32>
  return %1, %0 : tensor<8x1x0xf32>, tensor<8x3x4xf32>
}

// CHECK-LABEL: func.func @keys_without_depth(
// CHECK: tenon.concatenate {{.*}}{tenon.group = [[K:.*]] : i64}
// CHECK-NOT: tenon.group = [[K]] : i64
// CHECK: return
func.func @keys_without_depth(%q: tensor<8x1x0xf32>, %a: tensor<8x2x0xf32>, %b: tensor<8x1x0xf32>, %v: tensor<8x3x4xf32>) -> (tensor<8x1x4xf32>, tensor<8x3x0xf32>) {
  %0 = tenon.concatenate %a, %b dim 1 : (tensor<8x2x0xf32>, tensor<8x1x0xf32>) -> tensor<8x3x0xf32>
  %1 = tenon.attention %q, %0, %v order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0
     : (tensor<8x1x0xf32>, tensor<8x3x0xf32>, tensor<8x3x4xf32>) -> tensor<8x1x4xf32>
  return %1, %0 : tensor<8x1x4xf32>, tensor<8x3x0xf32>
}

// CHECK-LABEL: func.func @keys_of_any_depth(
// CHECK: tenon.concatenate {{.*}}{tenon.group = [[K:.*]] : i64}
// CHECK-NOT: tenon.group = [[K]] : i64
// CHECK: return
func.func @keys_of_any_depth(%q: tensor<8x1x4xf32>, %a: tensor<8x2x?xf32>, %b: tensor<8x1x?xf32>, %v: tensor<8x3x4xf32>) -> (tensor<8x1x4xf32>, tensor<8x3x?xf32>) {
  %0 = tenon.concatenate %a, %b dim 1 : (tensor<8x2x?xf32>, tensor<8x1x?xf32>) -> tensor<8x3x?xf32>
  %1 = tenon.attention %q, %0, %v order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0
     : (tensor<8x1x4xf32>, tensor<8x3x?xf32>, tensor<8x3x4xf32>) -> tensor<8x1x4xf32>
  return %1, %0 : tensor<8x1x4xf32>, tensor<8x3x?xf32>
}

// Nor if several tasks share a head, or if there are too few heads.
// CHECK-LABEL: func.func @many_queries(
// CHECK: tenon.concatenate {{.*}}{tenon.group = [[K:.*]] : i64}
// CHECK-NOT: tenon.group = [[K]] : i64
// CHECK: return
func.func @many_queries(%q: tensor<8x17x4xf32>, %a: tensor<8x2x4xf32>, %b: tensor<8x1x4xf32>, %v: tensor<8x3x4xf32>) -> (tensor<8x17x4xf32>, tensor<8x3x4xf32>) {
  %0 = tenon.concatenate %a, %b dim 1 : (tensor<8x2x4xf32>, tensor<8x1x4xf32>) -> tensor<8x3x4xf32>
  %1 = tenon.attention %q, %0, %v order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0
     : (tensor<8x17x4xf32>, tensor<8x3x4xf32>, tensor<8x3x4xf32>) -> tensor<8x17x4xf32>
  return %1, %0 : tensor<8x17x4xf32>, tensor<8x3x4xf32>
}

// CHECK-LABEL: func.func @few_heads(
// CHECK: tenon.concatenate {{.*}}{tenon.group = [[K:.*]] : i64}
// CHECK-NOT: tenon.group = [[K]] : i64
// CHECK: return
func.func @few_heads(%q: tensor<7x1x4xf32>, %a: tensor<7x2x4xf32>, %b: tensor<7x1x4xf32>, %v: tensor<7x3x4xf32>) -> (tensor<7x1x4xf32>, tensor<7x3x4xf32>) {
  %0 = tenon.concatenate %a, %b dim 1 : (tensor<7x2x4xf32>, tensor<7x1x4xf32>) -> tensor<7x3x4xf32>
  %1 = tenon.attention %q, %0, %v order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0
     : (tensor<7x1x4xf32>, tensor<7x3x4xf32>, tensor<7x3x4xf32>) -> tensor<7x1x4xf32>
  return %1, %0 : tensor<7x1x4xf32>, tensor<7x3x4xf32>
}

// An image with few channels is read from its planes, whatever its size; with
// more channels it is transposed first.
// CHECK-LABEL: func.func @image(
// CHECK: tenon.transpose {{.*}}{tenon.group = [[K:.*]] : i64}
// CHECK: tenon.convolution {{.*}}tenon.group = [[K]] : i64
func.func @image(%x: tensor<1x3x8x8xf32>, %w: tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32> {
  %0 = tenon.transpose %x [0, 2, 3, 1] : (tensor<1x3x8x8xf32>) -> tensor<1x8x8x3xf32>
  %1 = tenon.convolution %0, %w strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32>
  return %1 : tensor<1x6x6x16xf32>
}

// CHECK-LABEL: func.func @open_image(
// CHECK: tenon.transpose {{.*}}{tenon.group = [[K:.*]] : i64}
// CHECK: tenon.convolution {{.*}}tenon.group = [[K]] : i64
func.func @open_image(%x: tensor<1x3x8x?xf32>, %w: tensor<3x3x3x16xf32>) -> tensor<1x6x?x16xf32> {
  %0 = tenon.transpose %x [0, 2, 3, 1] : (tensor<1x3x8x?xf32>) -> tensor<1x8x?x3xf32>
  %1 = tenon.convolution %0, %w strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x8x?x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x?x16xf32>
  return %1 : tensor<1x6x?x16xf32>
}

// CHECK-LABEL: func.func @many_channels(
// CHECK: tenon.transpose {{.*}}{tenon.group = [[K:.*]] : i64}
// CHECK-NOT: tenon.group = [[K]] : i64
// CHECK: return
func.func @many_channels(%x: tensor<1x8x8x8xf32>, %w: tensor<3x3x8x16xf32>) -> tensor<1x6x6x16xf32> {
  %0 = tenon.transpose %x [0, 2, 3, 1] : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %1 = tenon.convolution %0, %w strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x8x8x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x6x6x16xf32>
  return %1 : tensor<1x6x6x16xf32>
}

// Not all forms of a transposed convolution read it from planes.
// CHECK-LABEL: func.func @transposed_convolution(
// CHECK: tenon.transpose {{.*}}{tenon.group = [[K:.*]] : i64}
// CHECK-NOT: tenon.group = [[K]] : i64
// CHECK: return
func.func @transposed_convolution(%x: tensor<1x3x8x8xf32>, %w: tensor<3x3x3x16xf32>) -> tensor<1x6x13x16xf32> {
  %0 = tenon.transpose %x [0, 2, 3, 1] : (tensor<1x3x8x8xf32>) -> tensor<1x8x8x3xf32>
  %1 = tenon.convolution %0, %w strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 2] rhs_dilation [1, 1] groups 1 : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x13x16xf32>
  return %1 : tensor<1x6x13x16xf32>
}

// Rows of a plane and rows of a volume differ, though a result has the extents
// of both.
// CHECK-LABEL: func.func @other_rows(
// CHECK: tenon.reduce maximum {{.*}}{tenon.group = [[ROWS:.*]] : i64}
// CHECK-NOT: tenon.reduce add {{.*}}{tenon.group = [[ROWS]] : i64}
// CHECK: return
func.func @other_rows(%x: tensor<2x3xf32>, %v: tensor<2x3x3xf32>) -> tensor<2x3xf32> {
  %0 = tenon.reduce maximum %x over [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  %1 = tenon.broadcast_in_dim %0 dims [0] sizes [2, 3] : (tensor<2xf32>) -> tensor<2x3xf32>
  %2 = tenon.multiply %x, %1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = tenon.broadcast_in_dim %2 dims [0, 1] sizes [2, 3, 3] : (tensor<2x3xf32>) -> tensor<2x3x3xf32>
  %4 = tenon.multiply %v, %3 : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %5 = tenon.reduce add %4 over [2] : (tensor<2x3x3xf32>) -> tensor<2x3xf32>
  %6 = tenon.negate %5 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %6 : tensor<2x3xf32>
}

// A branch that does not run must not cost a kernel: constants, iotas and
// broadcasts of its kernels stand in it.
// CHECK-LABEL: func.func @branch(
// CHECK-NEXT: tenon.broadcast_in_dim {{.*}}{tenon.group = [[C:.*]] : i64}
// CHECK-NEXT: scf.if
// CHECK-DAG: tenon.constant {{.*}}{tenon.group = [[A:.*]] : i64}
// CHECK-DAG: tenon.broadcast_in_dim {{.*}}{tenon.group = [[A]] : i64}
// CHECK: tenon.add {{.*}}{tenon.group = [[A]] : i64}
// CHECK: } else {
// CHECK: tenon.broadcast_in_dim {{.*}}{tenon.group = [[B:.*]] : i64}
// CHECK: tenon.multiply {{.*}}{tenon.group = [[B]] : i64}
// CHECK: }
// CHECK: tenon.subtract {{.*}}{tenon.group = [[C]] : i64}
func.func @branch(%p: i1, %x: tensor<4x8xf32>, %s: tensor<8xf32>) -> tensor<4x8xf32> {
  %one = tenon.constant dense<1.0> : tensor<4x8xf32>
  %0 = tenon.broadcast_in_dim %s dims [1] sizes [4, 8] : (tensor<8xf32>) -> tensor<4x8xf32>
  %1 = scf.if %p -> (tensor<4x8xf32>) {
    %2 = tenon.add %0, %one : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    scf.yield %2 : tensor<4x8xf32>
  } else {
    %3 = tenon.multiply %x, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    scf.yield %3 : tensor<4x8xf32>
  }
  %4 = tenon.subtract %1, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

// Splats are computed in the kernels of a loop, other cheap ops once before it:
// a kernel that cannot take them in would repeat them in each iteration.
// CHECK-LABEL: func.func @loop(
// CHECK: tenon.broadcast_in_dim
// CHECK: scf.for
// CHECK: tenon.constant {{.*}}{tenon.group = [[A:.*]] : i64}
// CHECK: tenon.multiply {{.*}}{tenon.group = [[A]] : i64}
func.func @loop(%n: index, %x: tensor<4x8xf32>, %s: tensor<8xf32>) -> tensor<4x8xf32> {
  %two = tenon.constant dense<2.0> : tensor<4x8xf32>
  %0 = tenon.broadcast_in_dim %s dims [1] sizes [4, 8] : (tensor<8xf32>) -> tensor<4x8xf32>
  %from = arith.constant 0 : index
  %step = arith.constant 1 : index
  %1 = scf.for %i = %from to %n step %step iter_args(%a = %x) -> (tensor<4x8xf32>) {
    %2 = tenon.multiply %a, %two : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %3 = tenon.add %2, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    scf.yield %3 : tensor<4x8xf32>
  }
  return %1 : tensor<4x8xf32>
}

// Dynamic rows of one type may have different lengths: here those of %x and of
// %v. Rows of equal length are reduced in the kernel that
// spreads the sums.
// CHECK-LABEL: func.func @rows_of_other_length(
// CHECK: tenon.reduce add {{.*}}{tenon.group = [[ROWS:.*]] : i64}
// CHECK-NOT: {tenon.group = [[ROWS]] : i64}
// CHECK: return
func.func @rows_of_other_length(%x: tensor<?x?xf32> {tenon.dims = ["b", "n"]}, %v: tensor<?x?xf32> {tenon.dims = ["b", "e"]}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %0 = tenon.reduce add %v over [1] : (tensor<?x?xf32>) -> tensor<?xf32>
  %1 = tenon.broadcast_in_dim %0 dims [0] sizes [%b, %n] : (tensor<?xf32>, index, index) -> tensor<?x?xf32>
  %2 = tenon.add %x, %1 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @rows_of_equal_length(
// CHECK: tenon.reduce add {{.*}}{tenon.group = [[ROWS:.*]] : i64}
// CHECK: tenon.add {{.*}}{tenon.group = [[ROWS]] : i64}
func.func @rows_of_equal_length(%x: tensor<?x?xf32> {tenon.dims = ["b", "n"]}, %v: tensor<?x?xf32> {tenon.dims = ["b", "n"]}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %0 = tenon.reduce add %v over [1] : (tensor<?x?xf32>) -> tensor<?xf32>
  %1 = tenon.broadcast_in_dim %0 dims [0] sizes [%b, %n] : (tensor<?xf32>, index, index) -> tensor<?x?xf32>
  %2 = tenon.add %x, %1 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

// A padding costs a window only a comparison, also of a size known in the run.
// CHECK-LABEL: func.func @padded_window(
// CHECK: tenon.pad {{.*}}{tenon.group = [[G:.*]] : i64}
// CHECK: tenon.reduce_window {{.*}}{tenon.group = [[G]] : i64}
func.func @padded_window(%x: tensor<4x?xf32>, %h: index) -> tensor<4x?xf32> {
  %v = tenon.constant dense<0xFF800000> : tensor<f32>
  %0 = tenon.pad %x, %v low [0, 1] high [0, %h] interior [0, 0] : (tensor<4x?xf32>, tensor<f32>, index) -> tensor<4x?xf32>
  %1 = tenon.reduce_window maximum %0 window [1, 3] strides [1, 2] dilations [1, 1] padding [0, 0, 0, 0] : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return %1 : tensor<4x?xf32>
}

// A padding where the window does not move, one between elements, one below a
// window with paddings of its own, and one that others read too are kernels.
// CHECK-LABEL: func.func @pads_before_windows(
// CHECK: tenon.pad {{.*}}{tenon.group = [[A:.*]] : i64}
// CHECK-NOT: tenon.group = [[A]] :
// CHECK: tenon.pad {{.*}}{tenon.group = [[B:.*]] : i64}
// CHECK-NOT: tenon.group = [[B]] :
// CHECK: tenon.pad {{.*}}{tenon.group = [[C:.*]] : i64}
// CHECK-NOT: tenon.group = [[C]] :
// CHECK: tenon.pad {{.*}}{tenon.group = [[D:.*]] : i64}
// CHECK-NOT: tenon.group = [[D]] :
// CHECK: return
func.func @pads_before_windows(%x: tensor<4x8xf32>) -> (tensor<5x6xf32>, tensor<4x13xf32>, tensor<4x9xf32>, tensor<4x7xf32>, tensor<4x9xf32>) {
  %v = tenon.constant dense<0xFF800000> : tensor<f32>
  %0 = tenon.pad %x, %v low [1, 0] high [0, 0] interior [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<5x8xf32>
  %1 = tenon.reduce_window maximum %0 window [1, 3] strides [1, 1] dilations [1, 1] padding [0, 0, 0, 0] : (tensor<5x8xf32>) -> tensor<5x6xf32>
  %2 = tenon.pad %x, %v low [0, 0] high [0, 0] interior [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x15xf32>
  %3 = tenon.reduce_window maximum %2 window [1, 3] strides [1, 1] dilations [1, 1] padding [0, 0, 0, 0] : (tensor<4x15xf32>) -> tensor<4x13xf32>
  %4 = tenon.pad %x, %v low [0, 1] high [0, 0] interior [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x9xf32>
  %5 = tenon.reduce_window maximum %4 window [1, 3] strides [1, 1] dilations [1, 1] padding [0, 0, 1, 1] : (tensor<4x9xf32>) -> tensor<4x9xf32>
  %6 = tenon.pad %x, %v low [0, 1] high [0, 0] interior [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x9xf32>
  %7 = tenon.reduce_window maximum %6 window [1, 3] strides [1, 1] dilations [1, 1] padding [0, 0, 0, 0] : (tensor<4x9xf32>) -> tensor<4x7xf32>
  return %1, %3, %5, %7, %6 : tensor<5x6xf32>, tensor<4x13xf32>, tensor<4x9xf32>, tensor<4x7xf32>, tensor<4x9xf32>
}
