// Blocks of rows are equally large, in whole tiles, if only the run knows the
// number of rows. With a limit of 252 rows, 289 rows are 150 and 139 and not 252
// and 37, which would leave one of two threads without work.
// RUN: tenon-opt %s --pass-pipeline='builtin.module(tenon-plan-kernels)' | FileCheck %s --check-prefix=PLAN
// RUN: tenon-opt %s --pass-pipeline='builtin.module(tenon-plan-kernels,tenon-lower-fusions,canonicalize,cse)' | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// PLAN: #tenon.tile<rows = 6, vectors = 4, block_rows = 12,
// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK: %[[ROWS:.*]] = memref.dim
// CHECK: scf.for
// CHECK: %[[BLOCKS:.*]] = arith.maxsi %{{.*}}, %c1
// CHECK: %[[LESS:.*]] = arith.subi %[[BLOCKS]], %c1
// CHECK: %[[SUM:.*]] = arith.addi %[[ROWS]], %[[LESS]]
// CHECK: %[[EVEN:.*]] = arith.divui %[[SUM]], %[[BLOCKS]]
// CHECK: %[[UP:.*]] = arith.addi %[[EVEN]], %c5
// CHECK: %[[TILES:.*]] = arith.divui %[[UP]], %c6
// CHECK: %[[STEP:.*]] = arith.muli %[[TILES]], %c6
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %[[STEP]]
// CHECK: %[[END:.*]] = arith.addi %[[FIRST]], %[[STEP]]
// CHECK: arith.minsi %[[END]], %[[ROWS]]
func.func @f(%call: !llvm.ptr, %x: memref<?x256xf32>, %w: memref<4x256x16xf32>, %y: memref<?x64xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<?x256xf32>, memref<4x256x16xf32>) outs(%y : memref<?x64xf32>) {
  ^bb0(%a: tensor<?x256xf32>, %b: tensor<4x256x16xf32>):
    %u = tenon.unpack %b dim 1 extent 64 : (tensor<4x256x16xf32>) -> tensor<256x64xf32>
    %0 = tenon.dot_general %a, %u batch [] x [] contract [1] x [0] : (tensor<?x256xf32>, tensor<256x64xf32>) -> tensor<?x64xf32>
    tenon.yield %0 : tensor<?x64xf32>
  }
  return
}
}
