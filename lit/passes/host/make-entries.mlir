// RUN: tenon-opt %s --tenon-make-entries --split-input-file | FileCheck %s

// The run takes pointers and extents of inputs (8, 16) and outputs (24, 32),
// arena (40), weights (56) and state (144) out of the call, and tells whether a
// kernel has recorded a fault (88).
// CHECK-LABEL: func.func @negate.run_entry(
// CHECK-SAME: %[[CALL:.*]]: !llvm.ptr) -> i32
// CHECK: llvm.getelementptr %[[CALL]][8]
// CHECK: llvm.getelementptr %[[CALL]][16]
// CHECK: llvm.getelementptr %[[CALL]][24]
// CHECK: llvm.getelementptr %[[CALL]][32]
// CHECK: llvm.getelementptr %[[CALL]][40]
// CHECK: llvm.getelementptr %[[CALL]][56]
// CHECK: llvm.getelementptr %[[CALL]][144]
// CHECK: call @negate(%[[CALL]],
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[CALL]][88]
// CHECK: %[[CODE:.*]] = llvm.load %[[AT]]
// CHECK: %[[FAULTED:.*]] = llvm.icmp "ne" %[[CODE]]
// CHECK: %[[STATUS:.*]] = llvm.zext %[[FAULTED]]
// CHECK: return %[[STATUS]] : i32

// The plan function writes the outputs' extents (32) and the arena's size (48).
// It may run kernels, which may fault (88).
// CHECK-LABEL: func.func @negate.plan_entry(
// CHECK-SAME: %[[CALL:.*]]: !llvm.ptr) -> i32
// CHECK: %[[BYTES:.*]] = call @negate.plan(%[[CALL]],
// CHECK: llvm.getelementptr %[[CALL]][32]
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[CALL]][48]
// CHECK: llvm.store %{{.*}}, %[[AT]]
// CHECK: llvm.getelementptr %[[CALL]][88]
// CHECK: return %{{.*}} : i32

// The graph function is no symbol of the artifact any more.
// CHECK: func.func private @negate(
func.func private @negate.plan(%call: !llvm.ptr, %x: memref<?xf32>, %extents: memref<?xi64>) -> index {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %0 = arith.index_cast %n : index to i64
  memref.store %0, %extents[%c0] : memref<?xi64>
  return %c0 : index
}
func.func @negate(%call: !llvm.ptr, %x: memref<?xf32>, %y: memref<?xf32> {tenon.output}, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 1 : i64, tenon.num_outputs = 1 : i64} {
  return
}

// -----

// Extents of a bounded output are known after the run and are written to the
// caller's array; the others are there already.
// CHECK-LABEL: func.func @bounded.run_entry(
// CHECK: %[[SHAPES:.*]] = llvm.alloca
// CHECK: call @bounded(
// CHECK: llvm.getelementptr %[[SHAPES]][0]
// CHECK-NEXT: %[[EXTENT:.*]] = llvm.load
// CHECK: llvm.store %[[EXTENT]]
// CHECK-NOT: llvm.store
// CHECK: return
func.func private @bounded.plan(%call: !llvm.ptr, %extents: memref<?xi64>) -> index {
  %c0 = arith.constant 0 : index
  return %c0 : index
}
func.func @bounded(%call: !llvm.ptr, %y: memref<?xf32> {tenon.output, tenon.bounded}, %z: memref<?xf32> {tenon.output}, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 0 : i64, tenon.num_outputs = 2 : i64} {
  return
}

// -----

// A kernel is no graph function: it has no entries.
// CHECK-LABEL: func.func private @kernel(
// CHECK-NOT: func.func
func.func private @kernel(%call: !llvm.ptr, %x: memref<4xf32>, %begin: index, %end: index) {
  return
}
