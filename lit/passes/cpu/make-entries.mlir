// RUN: tenon-opt %s --tenon-make-entries | FileCheck %s

// Pointers and extents of inputs and outputs are read out of the call's fields.
// CHECK-LABEL: func.func @negate.run_entry(
// CHECK-SAME: %[[CALL:.*]]: !llvm.ptr) -> i32
// CHECK: llvm.getelementptr %[[CALL]][8]
// CHECK: llvm.getelementptr %[[CALL]][16]
// CHECK: call @negate(
// CHECK: return %{{.*}} : i32
// CHECK-LABEL: func.func @negate.plan_entry(
// CHECK-SAME: !llvm.ptr) -> i32
// CHECK: call @negate.plan(
func.func private @negate.plan(%x: memref<?xf32>, %extents: memref<?xi64>) -> index {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %0 = arith.index_cast %n : index to i64
  memref.store %0, %extents[%c0] : memref<?xi64>
  return %c0 : index
}
func.func @negate(%call: !llvm.ptr, %x: memref<?xf32> {tenon.name = "x", tenon.dims = ["n"]}, %y: memref<?xf32> {tenon.output, tenon.name = "y", tenon.dims = ["n"]}, %arena: memref<?xi8>, %weights: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 1 : i64, tenon.num_outputs = 1 : i64} {
  return
}
