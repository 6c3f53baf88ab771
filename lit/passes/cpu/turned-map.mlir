// A map that reads along one dimension of its result and writes along another
// is computed in square tiles, which are turned on their way to the result.
// RUN: tenon-opt %s --pass-pipeline='builtin.module(tenon-plan-kernels,tenon-lower-fusions,canonicalize,cse)' --split-input-file | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// Rows of the operand are loaded as whole vectors. A full tile is stored as
// vectors, another one element by element.
// CHECK-LABEL: func.func private @map{{.*}}(
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<256xf32>
// CHECK: vector.load %{{.*}} : memref<?x128x64xf32>, vector<16xf32>
// CHECK: scf.if
// CHECK: memref.store
// CHECK: else
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: vector.store
func.func @turned(%call: !llvm.ptr, %x: memref<?x128x64xf32>, %bias: memref<64xf32>, %y: memref<?x64x128xf32>) {
  tenon.fusion map ins(%x, %bias : memref<?x128x64xf32>, memref<64xf32>) outs(%y : memref<?x64x128xf32>) {
  ^bb0(%a: tensor<?x128x64xf32>, %b: tensor<64xf32>):
    %c0 = arith.constant 0 : index
    %n = tensor.dim %a, %c0 : tensor<?x128x64xf32>
    %0 = tenon.broadcast_in_dim %b dims [2] sizes [%n, 128, 64] : (tensor<64xf32>, index) -> tensor<?x128x64xf32>
    %1 = tenon.add %a, %0 : (tensor<?x128x64xf32>, tensor<?x128x64xf32>) -> tensor<?x128x64xf32>
    %2 = tenon.transpose %1 [0, 2, 1] : (tensor<?x128x64xf32>) -> tensor<?x64x128xf32>
    tenon.yield %2 : tensor<?x64x128xf32>
  }
  return
}
}

// -----
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// If another operand is contiguous along the last dimension, nothing is gained.
// CHECK-LABEL: func.func private @map{{.*}}(
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func @mixed(%call: !llvm.ptr, %x: memref<128x64xf32>, %z: memref<64x128xf32>, %y: memref<64x128xf32>) {
  tenon.fusion map ins(%x, %z : memref<128x64xf32>, memref<64x128xf32>) outs(%y : memref<64x128xf32>) {
  ^bb0(%a: tensor<128x64xf32>, %b: tensor<64x128xf32>):
    %0 = tenon.transpose %a [1, 0] : (tensor<128x64xf32>) -> tensor<64x128xf32>
    %1 = tenon.add %0, %b : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
    tenon.yield %1 : tensor<64x128xf32>
  }
  return
}
}
