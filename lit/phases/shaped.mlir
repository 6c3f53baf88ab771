// RUN: tenon-opt %s --tenon-to-shaped | FileCheck %s

// The model's functions become one graph: calls are inlined, and unused ops are
// removed.
// CHECK-NOT: @half
// CHECK-NOT: @unused
// CHECK-LABEL: func.func @inlined(
// CHECK-NOT: call
// CHECK: tenon.multiply
// CHECK: return
func.func private @half(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c = tenon.constant dense<0.5> : tensor<f32>
  %0 = tenon.broadcast_in_dim %c dims [] sizes [%n] : (tensor<f32>, index) -> tensor<?xf32>
  %1 = tenon.multiply %x, %0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
func.func private @unused(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
func.func @inlined(%x: tensor<?xf32> {tenon.name = "x", tenon.dims = ["n"]}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %0 = func.call @half(%x, %n) : (tensor<?xf32>, index) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Each extent is one value: repeated computations are merged.
// CHECK-LABEL: func.func @equal_extents(
// CHECK: %[[N:.*]] = tensor.dim
// CHECK-NOT: tensor.dim
// CHECK: tenon.iota dim 0 sizes [%[[N]]]
// CHECK: tenon.broadcast_in_dim {{.*}} sizes [%[[N]]]
func.func @equal_extents(%x: tensor<?xi64>, %s: tensor<i64>) -> (tensor<?xi64>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %0 = tenon.iota dim 0 sizes [%n] : (index) -> tensor<?xi64>
  %m = tensor.dim %x, %c0 : tensor<?xi64>
  %1 = tenon.broadcast_in_dim %s dims [] sizes [%m] : (tensor<i64>, index) -> tensor<?xi64>
  return %0, %1 : tensor<?xi64>, tensor<?xi64>
}

// Weights stay symbols, and control flow stays.
// CHECK: tenon.weight @w : tensor<4xf32> from <"model.onnx", 0, 16>
// CHECK-LABEL: func.func @control_flow(
// CHECK: tenon.get_weight @w
// CHECK: scf.for
// CHECK: tenon.add
tenon.weight @w : tensor<4xf32> from #tenon.source<"model.onnx", 0, 16>
func.func @control_flow(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = tensor.extract %n[] : tensor<i64>
  %k = arith.index_cast %i : i64 to index
  %w = tenon.get_weight @w : tensor<4xf32>
  %0 = scf.for %j = %c0 to %k step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %1 = tenon.add %a, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
