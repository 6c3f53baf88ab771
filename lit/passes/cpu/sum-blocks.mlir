// A sum over other extents than the last adds blocks of 128 elements along the
// innermost of them. A maximum has no order, so it needs no blocks.
// RUN: tenon-opt %s --pass-pipeline='builtin.module(tenon-plan-kernels,tenon-lower-fusions,canonicalize,cse)' --split-input-file | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: func.func private @map{{.*}}(
// CHECK: scf.for %{{.*}} = %c0 to %c5 step %c1 iter_args
// CHECK: scf.for %[[B:.*]] = %c0 to %c3 step %c1 iter_args(%[[SUM:[a-z0-9]*]] =
// CHECK: %[[LOW:.*]] = arith.muli %[[B]], %c128
// CHECK: %[[COUNT:.*]] = arith.minsi
// CHECK: %[[PART:.*]] = scf.for %[[I:.*]] = %c0 to %[[COUNT]] step %c1 iter_args(%[[S:.*]] = %cst)
// CHECK: arith.addi %[[LOW]], %[[I]]
// CHECK: arith.addf %[[S]]
// CHECK: arith.addf %[[SUM]], %[[PART]]
func.func @sum(%call: !llvm.ptr, %x: memref<5x300x16xf32>, %y: memref<16xf32>) {
  tenon.fusion map ins(%x : memref<5x300x16xf32>) outs(%y : memref<16xf32>) {
  ^bb0(%a: tensor<5x300x16xf32>):
    %0 = tenon.reduce add %a over [0, 1] : (tensor<5x300x16xf32>) -> tensor<16xf32>
    tenon.yield %0 : tensor<16xf32>
  }
  return
}
}

// -----
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: func.func private @map{{.*}}(
// CHECK-NOT: %c128
// CHECK: scf.for %{{.*}} = %c0 to %c5 step %c1 iter_args
// CHECK: scf.for %{{.*}} = %c0 to %c300 step %c1 iter_args
// CHECK-NOT: %c128
func.func @maximum(%call: !llvm.ptr, %x: memref<5x300x16xf32>, %y: memref<16xf32>) {
  tenon.fusion map ins(%x : memref<5x300x16xf32>) outs(%y : memref<16xf32>) {
  ^bb0(%a: tensor<5x300x16xf32>):
    %0 = tenon.reduce maximum %a over [0, 1] : (tensor<5x300x16xf32>) -> tensor<16xf32>
    tenon.yield %0 : tensor<16xf32>
  }
  return
}
}
