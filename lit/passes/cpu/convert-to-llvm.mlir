// RUN: tenon-opt %s --tenon-convert-to-llvm | FileCheck %s

// A launch hands its operands to the parallel loop in one structure, which the kernel's task takes apart.
// CHECK-LABEL: llvm.func @start(
// CHECK-SAME: %[[CALL:[^:]*]]: !llvm.ptr,
// CHECK: %[[ARGS:.*]] = llvm.alloca
// CHECK: %[[TASK:.*]] = llvm.mlir.addressof @kernel.task
// CHECK: llvm.call @tenon_core_parallel(%[[CALL]], %[[TASK]], %[[ARGS]], %{{.*}})
// CHECK: llvm.func internal @kernel.task(
// CHECK: llvm.call @kernel(
func.func @start(%call: !llvm.ptr, %x: memref<4xf32>, %n: index) {
  tenon.launch @kernel tasks %n (%x) : memref<4xf32>
  return
}

func.func private @kernel(%call: !llvm.ptr, %x: memref<4xf32>, %begin: index, %end: index) {
  return
}
