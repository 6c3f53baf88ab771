// A gather along the columns gives each lane a place of its own. What is
// computed from it keeps its vectors, and the last columns are masked.
// RUN: tenon-opt %s --pass-pipeline='builtin.module(tenon-plan-kernels,tenon-lower-fusions,canonicalize,cse)' | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: func.func private @map{{.*}}(
// CHECK: scf.for
// CHECK: vector.load %{{.*}} : memref<?xi64>, vector<8xi64>
// CHECK: %[[A:.*]] = vector.gather %{{.*}}, %{{.*}} : memref<4x?xf32>, vector<8xi64>, vector<8xi1>, vector<8xf32> into vector<8xf32>
// CHECK: arith.mulf %[[A]], %{{.*}} : vector<8xf32>
// CHECK: scf.if
// CHECK: %[[MASK:.*]] = {{.*}} : vector<8xi1>
// CHECK: vector.maskedload %{{.*}}, %[[MASK]], %{{.*}} : memref<?xi64>
// CHECK: vector.gather %{{.*}}, %[[MASK]], %{{.*}} : memref<4x?xf32>
func.func @f(%call: !llvm.ptr, %x: memref<4x?xf32>, %i: memref<?xi64>, %w: memref<4x?xf32>, %y: memref<4x?xf32>) {
  tenon.fusion map ins(%x, %i, %w : memref<4x?xf32>, memref<?xi64>, memref<4x?xf32>) outs(%y : memref<4x?xf32>) {
  ^bb0(%a: tensor<4x?xf32>, %b: tensor<?xi64>, %c: tensor<4x?xf32>):
    %0 = tenon.gather %a, %b offset_dims [0] collapsed [1] batching [] x [] map [1] vector_dim 1 slice_sizes [4, 1] : (tensor<4x?xf32>, tensor<?xi64>) -> tensor<4x?xf32>
    %1 = tenon.multiply %0, %c : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
    tenon.yield %1 : tensor<4x?xf32>
  }
  return
}
}
