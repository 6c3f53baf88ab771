// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-carry-in-place))' | FileCheck %s
// As a flag the pass is --tenon-carry-in-place, nested in func.func.

// CHECK-LABEL: func.func @for(
// CHECK: scf.for {{.*}} iter_args(%[[CARRIED:.*]] = %{{.*}})
// CHECK: %[[NEXT:.*]] = tenon.negate %[[CARRIED]]
// CHECK: %[[WRITTEN:.*]] = bufferization.materialize_in_destination %[[NEXT]] in %[[CARRIED]]
// CHECK: scf.yield %[[WRITTEN]]
func.func @for(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %1 = tenon.negate %a : (tensor<?xf32>) -> tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// Both regions of a while loop yield values.
// CHECK-LABEL: func.func @while(
// CHECK: scf.while (%[[BEFORE:.*]] = %{{.*}})
// CHECK: %[[TESTED:.*]] = tenon.abs
// CHECK: %[[KEPT:.*]] = bufferization.materialize_in_destination %[[TESTED]] in %[[BEFORE]]
// CHECK: scf.condition(%{{.*}}) %[[KEPT]]
// CHECK: ^{{.*}}(%[[AFTER:.*]]: tensor<4xf32>):
// CHECK: %[[NEXT:.*]] = tenon.negate
// CHECK: %[[WRITTEN:.*]] = bufferization.materialize_in_destination %[[NEXT]] in %[[AFTER]]
// CHECK: scf.yield %[[WRITTEN]]
func.func @while(%x: tensor<4xf32>, %p: i1) -> tensor<4xf32> {
  %0 = scf.while (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = tenon.abs %a : (tensor<4xf32>) -> tensor<4xf32>
    scf.condition(%p) %1 : tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>):
    %1 = tenon.negate %a : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// The first value is overwritten before it is used as the second, so it is
// saved.
// CHECK-LABEL: func.func @values_trade_places(
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK-NEXT: %[[SAVED:.*]] = bufferization.alloc_tensor() copy(%[[A]])
// CHECK-NEXT: %[[FIRST:.*]] = bufferization.materialize_in_destination %[[B]] in %[[A]]
// CHECK-NEXT: %[[SECOND:.*]] = bufferization.materialize_in_destination %[[SAVED]] in %[[B]]
// CHECK-NEXT: scf.yield %[[FIRST]], %[[SECOND]]
func.func @values_trade_places(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// Shifting by one position reads each value before it is overwritten.
// CHECK-LABEL: func.func @values_move_up(
// CHECK-NOT: bufferization.alloc_tensor
// CHECK-COUNT-2: bufferization.materialize_in_destination
// CHECK-NOT: bufferization.alloc_tensor
// CHECK: scf.yield
func.func @values_move_up(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
    %1 = tenon.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %b, %1 : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// A value that stays needs no copy, and numbers need no memory.
// CHECK-LABEL: func.func @nothing_to_write(
// CHECK-NOT: bufferization
// CHECK: return
func.func @nothing_to_write(%x: tensor<4xf32>, %n: index) -> (tensor<4xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %k = %c0) -> (tensor<4xf32>, index) {
    %1 = arith.addi %k, %i : index
    scf.yield %a, %1 : tensor<4xf32>, index
  }
  return %0#0, %0#1 : tensor<4xf32>, index
}

// A loop that starts with a carried value of the enclosing loop writes a copy
// in each iteration.
// CHECK-LABEL: func.func @loop_in_a_loop(
// CHECK: scf.for {{.*}} iter_args(%[[OUTER:.*]] = %{{.*}})
// CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[OUTER]])
// CHECK: %[[RESULT:.*]] = scf.for {{.*}} iter_args(%[[INNER:.*]] = %[[COPY]])
// CHECK: bufferization.materialize_in_destination %{{.*}} in %[[INNER]]
// CHECK: bufferization.materialize_in_destination %[[RESULT]] in %[[OUTER]]
func.func @loop_in_a_loop(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %1 = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> tensor<4xf32> {
      %2 = tenon.negate %b : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %2 : tensor<4xf32>
    }
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// A kernel that updates the carried value writes to its buffer.
// CHECK-LABEL: func.func @update(
// CHECK: scf.for {{.*}} iter_args(%[[CARRIED:.*]] = %{{.*}})
// CHECK: tenon.fusion scatter ins(%[[CARRIED]], %{{.*}} outs(%[[CARRIED]] : tensor<8xf32>)
func.func @update(%x: tensor<8xf32>, %row: tensor<1xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<8xf32> {
    %e = tensor.empty() : tensor<8xf32>
    %1 = tenon.fusion scatter ins(%a, %row, %i : tensor<8xf32>, tensor<1xf32>, index) outs(%e : tensor<8xf32>) {
    ^bb0(%p: tensor<8xf32>, %q: tensor<1xf32>, %at: index):
      %2 = tenon.dynamic_update_slice %p, %q at [%at] : (tensor<8xf32>, tensor<1xf32>, index) -> tensor<8xf32>
      tenon.yield %2 : tensor<8xf32>
    } -> tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
