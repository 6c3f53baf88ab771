// RUN: tenon-opt %s --tenon-carry-in-place | FileCheck %s

// CHECK-LABEL: func.func @loop(
// CHECK: scf.for {{.*}} iter_args(%[[CARRIED:.*]] = %{{.*}})
// CHECK: %[[NEXT:.*]] = tenon.negate
// CHECK: %[[KEPT:.*]] = bufferization.materialize_in_destination %[[NEXT]] in %[[CARRIED]]
// CHECK: scf.yield %[[KEPT]]
func.func @loop(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> tensor<4xf32> {
    %1 = tenon.negate %v : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @no_loop(
// CHECK-NOT: materialize_in_destination
// CHECK: return
func.func @no_loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
