// RUN: tenon-opt %s --tenon-to-tiled | FileCheck %s

// Loops and branches contain launches; iterations with equal work share a
// kernel.
// CHECK-LABEL: func.func @control_flow(
// CHECK: scf.if
// CHECK: tenon.launch @[[NEGATE:map.negate[^ ]*]] tasks
// CHECK: scf.for
// CHECK: tenon.launch @[[NEGATE]] tasks
// CHECK: func.func private @[[NEGATE]](
// CHECK-NOT: func.func
func.func @control_flow(%x: tensor<4xf32>, %p: tensor<i1>, %n: tensor<i64>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.extract %p[] : tensor<i1>
  %i = tensor.extract %n[] : tensor<i64>
  %k = arith.index_cast %i : i64 to index
  %0 = scf.if %b -> tensor<4xf32> {
    %1 = tenon.negate %x : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  %2 = scf.for %j = %c0 to %k step %c1 iter_args(%a = %0) -> tensor<4xf32> {
    %3 = tenon.negate %a : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %3 : tensor<4xf32>
  }
  return %2 : tensor<4xf32>
}
