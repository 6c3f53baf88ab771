// RUN: tenon-opt %s --tenon-to-fused | FileCheck %s

tenon.weight @w : tensor<8x16xf32> from #tenon.source<"model.onnx", 0, 512>
tenon.weight @b : tensor<16xf32> from #tenon.source<"model.onnx", 512, 64>

// A layer with an unknown batch: one kernel for the contraction with its
// epilogue, one for the rows.
// CHECK-LABEL: func.func @layer(
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[X]]
// CHECK: tensor.empty(%{{.*}}) : tensor<?x16xf32>
// CHECK: tenon.fusion{{ +}}contraction
// CHECK: tenon.dot_general
// CHECK: tenon.add
// CHECK: tenon.erf
// CHECK: tenon.yield
// CHECK: tensor.empty(%{{.*}}) : tensor<?x16xf32>
// CHECK: tenon.fusion{{ +}}rows
// CHECK: tenon.reduce{{ +}}maximum
// CHECK: tenon.reduce{{ +}}add
// CHECK: tenon.yield
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @layer(%x: tensor<?x8xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %w = tenon.get_weight @w : tensor<8x16xf32>
  %b = tenon.get_weight @b : tensor<16xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<?x8xf32>, tensor<8x16xf32>) -> tensor<?x16xf32>
  %1 = tenon.broadcast_in_dim %b dims [1] sizes [%n, 16] : (tensor<16xf32>, index) -> tensor<?x16xf32>
  %2 = tenon.add %0, %1 : (tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
  %3 = tenon.gelu %2 : tensor<?x16xf32>
  %4 = tenon.softmax %3 over 1 : tensor<?x16xf32>
  return %4 : tensor<?x16xf32>
}

// A mean that a frontend wrote with kept dimensions is still one kernel of
// rows.
// CHECK-LABEL: func.func @kept_dimensions(
// CHECK-NOT: tenon.reshape
// CHECK: tenon.fusion{{ +}}rows
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @kept_dimensions(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %eight = tenon.constant dense<8.0> : tensor<4x1xf32>
  %0 = tenon.reduce add %x over [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = tenon.reshape %0 sizes [4, 1] : (tensor<4xf32>) -> tensor<4x1xf32>
  %2 = tenon.divide %1, %eight : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  %3 = tenon.broadcast_in_dim %2 dims [0, 1] sizes [4, 8] : (tensor<4x1xf32>) -> tensor<4x8xf32>
  %4 = tenon.subtract %x, %3 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

// Ops in a branch or a loop are fused there.
// CHECK-LABEL: func.func @control_flow(
// CHECK: scf.if
// CHECK: tenon.fusion{{ +}}map
// CHECK: else
// CHECK: tenon.fusion{{ +}}map
// CHECK: scf.for
// CHECK: tenon.fusion{{ +}}map
// CHECK: scf.yield
func.func @control_flow(%x: tensor<4xf32>, %p: tensor<i1>, %n: tensor<i64>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.extract %p[] : tensor<i1>
  %i = tensor.extract %n[] : tensor<i64>
  %k = arith.index_cast %i : i64 to index
  %0 = scf.if %b -> tensor<4xf32> {
    %1 = tenon.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    %1 = tenon.negate %x : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  %2 = scf.for %j = %c0 to %k step %c1 iter_args(%a = %0) -> tensor<4xf32> {
    %3 = tenon.exponential %a : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %3 : tensor<4xf32>
  }
  return %2 : tensor<4xf32>
}

// A view computes nothing and stays outside fusions.
// CHECK-LABEL: func.func @view(
// CHECK-NOT: tenon.fusion
// CHECK: tenon.reshape
func.func @view(%x: tensor<4x8xf32>) -> tensor<32xf32> {
  %0 = tenon.reshape %x sizes [32] : (tensor<4x8xf32>) -> tensor<32xf32>
  return %0 : tensor<32xf32>
}
