// RUN: tenon-opt %s --tenon-dispatch-variants --split-input-file | FileCheck %s

// The first variant whose sizes match is called, else the general code. Plan
// and run both write its number into the call (offset 136).
// CHECK-LABEL: func.func private @f.plan(
// CHECK: scf.if {{.*}} -> (index)
// CHECK: call @f.variant1.plan(
// CHECK: call @f.variant2.plan(
// CHECK: call @f.plan.any(
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[CALL:[a-z0-9]+]]: !llvm.ptr, %[[X:[a-z0-9]+]]: memref<?x?xf32>
// CHECK-SAME: tenon.num_inputs
// CHECK: %[[B:.*]] = memref.dim %[[X]], %c0
// CHECK: %[[B2:.*]] = arith.cmpi eq, %[[B]], %c2
// CHECK: %[[S:.*]] = memref.dim %[[X]], %c1
// CHECK: %[[S8:.*]] = arith.cmpi eq, %[[S]], %c8
// CHECK: %[[BOTH:.*]] = arith.andi %[[B2]], %[[S8]]
// CHECK: scf.if %[[BOTH]] {
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[CALL]][136]
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: llvm.store %[[ONE]], %[[AT]]
// CHECK: %[[STATIC:.*]] = memref.cast %[[X]] : memref<?x?xf32> to memref<2x8xf32>
// CHECK: call @f.variant1(%[[CALL]], %[[STATIC]]
// CHECK: } else {
// CHECK: scf.if
// CHECK: llvm.mlir.constant(2 : i32)
// CHECK: call @f.variant2(
// CHECK: llvm.mlir.constant(0 : i32)
// CHECK: call @f.any(%[[CALL]], %[[X]]
// CHECK: func.func private @f.any(
// CHECK-NOT: tenon.num_inputs
func.func private @f.plan(%call: !llvm.ptr, %x: memref<?x?xf32>, %extents: memref<?xi64>) -> index {
  %c0 = arith.constant 0 : index
  return %c0 : index
}
func.func @f(%call: !llvm.ptr, %x: memref<?x?xf32> {tenon.dims = ["batch", "seq"]}, %y: memref<?xf32> {tenon.output}, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 1 : i64, tenon.num_outputs = 1 : i64} {
  return
}
func.func private @f.variant1.plan(%call: !llvm.ptr, %x: memref<2x8xf32>, %extents: memref<?xi64>) -> index {
  %c0 = arith.constant 0 : index
  return %c0 : index
}
func.func @f.variant1(%call: !llvm.ptr, %x: memref<2x8xf32>, %y: memref<2xf32> {tenon.output}, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 1 : i64, tenon.num_outputs = 1 : i64, tenon.variant = #tenon.variant<1 of @f sizes {batch = 2, seq = 8}>} {
  return
}
func.func private @f.variant2.plan(%call: !llvm.ptr, %x: memref<1x?xf32>, %extents: memref<?xi64>) -> index {
  %c0 = arith.constant 0 : index
  return %c0 : index
}
func.func @f.variant2(%call: !llvm.ptr, %x: memref<1x?xf32>, %y: memref<1xf32> {tenon.output}, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 1 : i64, tenon.num_outputs = 1 : i64, tenon.variant = #tenon.variant<2 of @f sizes {batch = 1}>} {
  return
}

// -----

// A variant may know the extents of a bounded output. They are stored before
// the call, as planned.
// CHECK-LABEL: func.func @g(
// CHECK-SAME: %[[Y:[a-z0-9]+]]: memref<?xi64> {tenon.bounded
// CHECK: scf.if
// CHECK: %[[N:.*]] = memref.dim %[[Y]], %c0
// CHECK: %[[STORED:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK: memref.store %[[STORED]]
// CHECK: call @g.variant1(
func.func private @g.plan(%call: !llvm.ptr, %x: memref<?xf32>, %extents: memref<?xi64>) -> index {
  %c0 = arith.constant 0 : index
  return %c0 : index
}
func.func @g(%call: !llvm.ptr, %x: memref<?xf32> {tenon.dims = ["n"]}, %y: memref<?xi64> {tenon.bounded, tenon.output}, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 1 : i64, tenon.num_outputs = 1 : i64} {
  return
}
func.func private @g.variant1.plan(%call: !llvm.ptr, %x: memref<1xf32>, %extents: memref<?xi64>) -> index {
  %c0 = arith.constant 0 : index
  return %c0 : index
}
func.func @g.variant1(%call: !llvm.ptr, %x: memref<1xf32>, %y: memref<1xi64> {tenon.output}, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 1 : i64, tenon.num_outputs = 1 : i64, tenon.variant = #tenon.variant<1 of @g sizes {n = 1}>} {
  return
}
