// The indices of short rows are counted up: to divide the number of each row by
// extents that only the run knows would take longer than the row.
// RUN: tenon-opt %s --pass-pipeline='builtin.module(tenon-plan-kernels,tenon-lower-fusions,canonicalize,cse)' | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: func.func private @map{{.*}}.0(
// CHECK: arith.remui
// CHECK: scf.for {{.*}} iter_args(%{{.*}}, %[[GROUP:.*]] = %{{.*}}, %[[CHANNEL:.*]] = %{{.*}}, %[[LINE:.*]] = %{{.*}}) -> (index, index, index, index)
// CHECK-NOT: arith.remui
// CHECK: %[[NEXT:.*]] = arith.addi %[[LINE]], %c1
// CHECK: %[[ENDS:.*]] = arith.cmpi eq, %[[NEXT]], %{{.*}}
// CHECK: %[[FIRST:.*]] = arith.select %[[ENDS]], %c0, %[[NEXT]]
// CHECK: scf.yield {{.*}}, %[[FIRST]] : index, index, index, index
func.func @open(%call: !llvm.ptr, %x: memref<1x2x8x?x?xf32>, %y: memref<1x8x2x?x?xf32>) {
  tenon.fusion map ins(%x : memref<1x2x8x?x?xf32>) outs(%y : memref<1x8x2x?x?xf32>) {
  ^bb0(%a: tensor<1x2x8x?x?xf32>):
    %0 = tenon.transpose %a [0, 2, 1, 3, 4] : (tensor<1x2x8x?x?xf32>) -> tensor<1x8x2x?x?xf32>
    tenon.yield %0 : tensor<1x8x2x?x?xf32>
  }
  return
}

// Known extents are divided by multiplications.
// CHECK-LABEL: func.func private @map{{.*}}.1(
// CHECK-NOT: iter_args
// CHECK: arith.remui
func.func @known(%call: !llvm.ptr, %x: memref<1x2x8x7x7xf32>, %y: memref<1x8x2x7x7xf32>) {
  tenon.fusion map ins(%x : memref<1x2x8x7x7xf32>) outs(%y : memref<1x8x2x7x7xf32>) {
  ^bb0(%a: tensor<1x2x8x7x7xf32>):
    %0 = tenon.transpose %a [0, 2, 1, 3, 4] : (tensor<1x2x8x7x7xf32>) -> tensor<1x8x2x7x7xf32>
    tenon.yield %0 : tensor<1x8x2x7x7xf32>
  }
  return
}
}
