// RUN: tenon-opt %s --tenon-to-tiled | FileCheck %s

// The graph consists of launches. Each kernel is a function of loops, vectors
// and memory accesses.
// CHECK-LABEL: func.func @layers(
// CHECK-NOT: tenon.fusion
// CHECK: tenon.launch @[[FIRST:[^ ]*dot_general[^ ]*]] tasks
// CHECK: tenon.launch @[[ROWS:rows[^ ]*]] tasks
// CHECK: return
// CHECK: func.func private @[[FIRST]](
// CHECK-NOT: tenon.
// CHECK: func.func private @[[ROWS]](
// CHECK-NOT: tenon.
// CHECK: scf.for
// CHECK: vector.load
// CHECK-NOT: tenon.
// CHECK: return
tenon.weight @w : tensor<8x16xf32> from #tenon.source<"model.onnx", 0, 512>
func.func @layers(%x: tensor<?x8xf32>) -> tensor<?x16xf32> {
  %w = tenon.get_weight @w : tensor<8x16xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<?x8xf32>, tensor<8x16xf32>) -> tensor<?x16xf32>
  %1 = tenon.softmax %0 over 1 : tensor<?x16xf32>
  return %1 : tensor<?x16xf32>
}
