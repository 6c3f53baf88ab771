// A product of at most 32,768 multiplications a row, whose number of rows is
// open, has remainder tiles of 1, 2, 4 and 8 rows and those of a full tile. It
// reads a deep panel as a whole. Larger ones also have tiles of 3, 5 and 6
// rows. The loop over blocks of the sum also computes a shorter last block.
// RUN: tenon-opt %s --pass-pipeline='builtin.module(tenon-plan-kernels,tenon-lower-fusions,canonicalize,cse)' | FileCheck %s
// RUN: tenon-opt %s --tenon-plan-kernels | FileCheck %s --check-prefix=PLAN

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// PLAN-LABEL: func.func @tiny(
// PLAN: tenon.plan = #tenon.tile<rows = 12, vectors = 1, block_rows = 48, block_columns = 16, shared_rows = 48>}
// CHECK-LABEL: func.func private @contraction{{.*}}.0(
// CHECK: %{{.*}}:12 = scf.for %{{.*}} = %c0 to %c300 step %c128 iter_args
// CHECK: %[[COUNT:.*]] = arith.minsi %{{.*}}, %c128
// CHECK: scf.for %{{.*}} = %c0 to %[[COUNT]] step %c4 iter_args
// CHECK-NOT: step %c4 iter_args
// CHECK: %{{[0-9]+}} = scf.for %{{.*}} = %c0 to %c300 step %c128 iter_args
// CHECK: %{{.*}}:2 = scf.for %{{.*}} = %c0 to %c300 step %c128 iter_args
// CHECK: %{{.*}}:4 = scf.for %{{.*}} = %c0 to %c300 step %c128 iter_args
// CHECK: %{{.*}}:8 = scf.for %{{.*}} = %c0 to %c300 step %c128 iter_args
// CHECK: %{{.*}}:12 = scf.for %{{.*}} = %c0 to %c300 step %c128 iter_args
// CHECK-NOT: %c0 to %c300 step %c128
func.func @tiny(%call: !llvm.ptr, %x: memref<?x300xf32>, %p: memref<1x300x16xf32>, %y: memref<?x16xf32>) {
  tenon.fusion contraction ins(%x, %p : memref<?x300xf32>, memref<1x300x16xf32>) outs(%y : memref<?x16xf32>) {
  ^bb0(%a: tensor<?x300xf32>, %q: tensor<1x300x16xf32>):
    %w = tenon.unpack %q dim 1 extent 16 : (tensor<1x300x16xf32>) -> tensor<300x16xf32>
    %0 = tenon.dot_general %a, %w batch [] x [] contract [1] x [0] : (tensor<?x300xf32>, tensor<300x16xf32>) -> tensor<?x16xf32>
    tenon.yield %0 : tensor<?x16xf32>
  }
  return
}
// PLAN-LABEL: func.func @large(
// PLAN: tenon.plan = #tenon.tile<rows = 8, vectors = 3, {{.*}}piece = 128>}
// CHECK-LABEL: func.func private @contraction{{.*}}.1(
// CHECK: %{{.*}}:3 = scf.for %{{.*}} = %c0 to %c300 step %c128 iter_args
// CHECK: %{{.*}}:6 = scf.for %{{.*}} = %c0 to %c300 step %c128 iter_args
// CHECK: %{{.*}}:9 = scf.for %{{.*}} = %c0 to %c300 step %c128 iter_args
func.func @large(%call: !llvm.ptr, %x: memref<?x300xf32>, %p: memref<32x300x16xf32>, %y: memref<?x512xf32>) {
  tenon.fusion contraction ins(%x, %p : memref<?x300xf32>, memref<32x300x16xf32>) outs(%y : memref<?x512xf32>) {
  ^bb0(%a: tensor<?x300xf32>, %q: tensor<32x300x16xf32>):
    %w = tenon.unpack %q dim 1 extent 512 : (tensor<32x300x16xf32>) -> tensor<300x512xf32>
    %0 = tenon.dot_general %a, %w batch [] x [] contract [1] x [0] : (tensor<?x300xf32>, tensor<300x512xf32>) -> tensor<?x512xf32>
    tenon.yield %0 : tensor<?x512xf32>
  }
  return
}
}
