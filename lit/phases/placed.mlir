// RUN: tenon-opt %s --tenon-to-placed --split-input-file | FileCheck %s

// There are no tensors outside fusions and no allocations.
// CHECK-LABEL: func.func private @layer.plan(
// CHECK-NOT: tensor
// CHECK: return %{{.*}} : index
// CHECK-LABEL: func.func @layer(
// CHECK-SAME: %[[CALL:[^:]*]]: !llvm.ptr, %[[X:[^:]*]]: memref<?x8xf32>, %[[Y:[^:]*]]: memref<?x16xf32> {tenon.output}, %[[ARENA:[^:]*]]: memref<?xi8>, %[[WEIGHTS:[^:]*]]: memref<?xi8>, %{{[^:]*}}: memref<?xi8>, %{{[^:]*}}: memref<?xi64>)
// CHECK-NOT: memref.alloc
// CHECK: memref.view %[[WEIGHTS]]
// CHECK: memref.view %[[ARENA]]
// CHECK: tenon.fusion{{ +}}contraction
// CHECK: tenon.fusion{{ +}}rows
// CHECK-NOT: memref.copy
// CHECK: return
tenon.weight @w : tensor<8x16xf32> from #tenon.source<"model.onnx", 0, 512>
func.func @layer(%x: tensor<?x8xf32>) -> tensor<?x16xf32> {
  %w = tenon.get_weight @w : tensor<8x16xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<?x8xf32>, tensor<8x16xf32>) -> tensor<?x16xf32>
  %1 = tenon.softmax %0 over 1 : tensor<?x16xf32>
  return %1 : tensor<?x16xf32>
}

// -----

// The loop carries a copy of the input in the output's memory for any trip
// count, because the input belongs to the caller.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[CALL:[^:]*]]: !llvm.ptr, %[[X:[^:]*]]: memref<?xf32>, %{{[^:]*}}: memref<i64>, %[[Y:[^:]*]]: memref<?xf32> {tenon.output}
// CHECK: scf.for
// CHECK-NOT: outs(%[[X]]
// CHECK-NOT: memref.copy %{{.*}}, %[[X]] :
// CHECK: return
func.func @loop(%x: tensor<?xf32>, %n: tensor<i64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = tensor.extract %n[] : tensor<i64>
  %k = arith.index_cast %i : i64 to index
  %0 = scf.for %j = %c0 to %k step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %1 = tenon.negate %a : (tensor<?xf32>) -> tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

// A loop whose end depends on a computed value.
// CHECK-LABEL: func.func @while(
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr, %[[X:[^:]*]]: memref<4xf32>, %{{[^:]*}}: memref<i1>, %[[Y:[^:]*]]: memref<4xf32> {tenon.output}
// CHECK: memref.copy %[[X]], %[[Y]]
// CHECK: scf.while
// CHECK: tenon.fusion{{ +}}map ins(%[[Y]] :
// CHECK: memref.copy %{{.*}}, %[[Y]]
// CHECK: return
func.func @while(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %b = tensor.extract %p[] : tensor<i1>
  %r:2 = scf.while (%a = %x, %c = %b) : (tensor<4xf32>, i1) -> (tensor<4xf32>, i1) {
    scf.condition(%c) %a, %c : tensor<4xf32>, i1
  } do {
  ^bb0(%a: tensor<4xf32>, %c: i1):
    %1 = tenon.negate %a : (tensor<4xf32>) -> tensor<4xf32>
    %s = tenon.reduce add %1 over [0] : (tensor<4xf32>) -> tensor<f32>
    %z = tenon.constant dense<0.0> : tensor<f32>
    %l = tenon.compare lt %s, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %d = tensor.extract %l[] : tensor<i1>
    scf.yield %1, %d : tensor<4xf32>, i1
  }
  return %r#0 : tensor<4xf32>
}

// -----

// Each branch yields the buffer with its value.
// CHECK-LABEL: func.func @branch(
// CHECK: %[[TAKEN:.*]] = scf.if
// CHECK: memref.copy %[[TAKEN]], %{{.*}}
func.func @branch(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %b = tensor.extract %p[] : tensor<i1>
  %0 = scf.if %b -> tensor<4xf32> {
    %1 = tenon.negate %x : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
