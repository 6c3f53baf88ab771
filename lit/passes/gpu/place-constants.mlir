// RUN: tenon-opt %s --tenon-place-constants --split-input-file | FileCheck %s

// The constant is copied to the start of the arena, and is read there. The
// other buffers begin after it, and the plan counts it.
memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
// CHECK-LABEL: func.func private @constant.plan(
// CHECK: %[[OWN:.*]] = arith.constant 128 : index
// CHECK: %[[MORE:.*]] = arith.constant 64 : index
// CHECK: %[[BYTES:.*]] = arith.addi %[[OWN]], %[[MORE]]
// CHECK: return %[[BYTES]]
func.func private @constant.plan(%call: !llvm.ptr, %x: memref<4xf32>, %extents: memref<?xi64>) -> index {
  %bytes = arith.constant 128 : index
  return %bytes : index
}
// CHECK-LABEL: func.func @constant(
// CHECK-SAME: %[[ARENA:[^:]*]]: memref<?xi8>, %{{[^:]*}}: memref<?xi8>, %{{[^:]*}}: memref<?xi8>, %{{[^:]*}}: memref<?xi64>)
// CHECK-SAME: tenon.arena_bytes = 192
// CHECK: %[[START:.*]] = arith.constant 0 : index
// CHECK: %[[PLACE:.*]] = memref.view %[[ARENA]][%[[START]]][] : memref<?xi8> to memref<4xf32>
// CHECK: %[[TABLE:.*]] = memref.get_global @table
// CHECK: memref.copy %[[TABLE]], %[[PLACE]]
// CHECK: %[[AFTER:.*]] = arith.constant 64 : index
// CHECK: %[[REST:.*]] = memref.view %[[ARENA]][%[[AFTER]]]
// CHECK-NOT: memref.get_global
// CHECK: %[[BUFFER:.*]] = memref.view %[[REST]]
// CHECK: tenon.fusion map ins(%[[PLACE]] : memref<4xf32>) outs(%[[BUFFER]] : memref<4xf32>)
func.func @constant(%call: !llvm.ptr, %x: memref<4xf32>, %y: memref<4xf32> {tenon.output}, %arena: memref<?xi8>, %weights: memref<?xi8>,
                    %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 1, tenon.num_outputs = 1, tenon.arena_bytes = 128} {
  %c0 = arith.constant 0 : index
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<4xf32>
  %table = memref.get_global @table : memref<4xf32>
  tenon.fusion map ins(%table : memref<4xf32>) outs(%a : memref<4xf32>) {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.negate %t : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  }
  return
}

// -----

// Two constants have two places; two uses of one share its place, in a branch
// too. A place has a multiple of 64 bytes.
memref.global "private" constant @large : memref<17xf32> = dense<1.0>
memref.global "private" constant @small : memref<i1> = dense<true>
// CHECK-LABEL: func.func private @two.plan(
// CHECK: arith.constant 192 : index
func.func private @two.plan(%call: !llvm.ptr, %extents: memref<?xi64>) -> index {
  %bytes = arith.constant 0 : index
  return %bytes : index
}
// CHECK-LABEL: func.func @two(
// CHECK: %[[SMALL_AT:.*]] = arith.constant 0 : index
// CHECK: memref.view %{{.*}}[%[[SMALL_AT]]][] : memref<?xi8> to memref<i1>
// CHECK: memref.get_global @small
// CHECK: %[[LARGE_AT:.*]] = arith.constant 64 : index
// CHECK: %[[LARGE:.*]] = memref.view %{{.*}}[%[[LARGE_AT]]][] : memref<?xi8> to memref<17xf32>
// CHECK: memref.get_global @large
// CHECK: arith.constant 192 : index
// CHECK-NOT: memref.get_global
// CHECK: memref.load %[[LARGE]]
// CHECK: scf.if
// CHECK-NEXT: memref.load %[[LARGE]]
func.func @two(%call: !llvm.ptr, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>, %extents: memref<?xi64>)
    attributes {tenon.num_inputs = 0, tenon.num_outputs = 0} {
  %c3 = arith.constant 3 : index
  %small = memref.get_global @small : memref<i1>
  %large = memref.get_global @large : memref<17xf32>
  %is = memref.load %small[] : memref<i1>
  %0 = memref.load %large[%c3] : memref<17xf32>
  scf.if %is {
    %again = memref.get_global @large : memref<17xf32>
    %1 = memref.load %again[%c3] : memref<17xf32>
  }
  return
}

// -----

// A function without constants keeps its arena, and one that is not placed its
// constants.
memref.global "private" constant @table : memref<4xf32> = dense<1.0>
// CHECK-LABEL: func.func @none(
// CHECK-SAME: %[[ARENA:[^:]*]]: memref<?xi8>, %{{[^:]*}}: memref<?xi8>, %{{[^:]*}}: memref<?xi8>, %{{[^:]*}}: memref<?xi64>)
// CHECK: memref.view %[[ARENA]]
// CHECK-NOT: memref.view
func.func @none(%call: !llvm.ptr, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>, %extents: memref<?xi64>)
    attributes {tenon.num_inputs = 0, tenon.num_outputs = 0} {
  %c0 = arith.constant 0 : index
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<4xf32>
  return
}
// CHECK-LABEL: func.func @not_placed(
// CHECK-NEXT: memref.get_global @table
// CHECK-NEXT: return
func.func @not_placed() -> memref<4xf32> {
  %0 = memref.get_global @table : memref<4xf32>
  return %0 : memref<4xf32>
}
