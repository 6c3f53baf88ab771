// RUN: tenon-opt %s --tenon-place-buffers --canonicalize | FileCheck %s

// The size of the arena is an integer function of the extents, rounded up to 64 bytes; the result is an argument.
// CHECK-LABEL: func.func private @chain.plan(
// CHECK: %[[N:.*]] = memref.dim
// CHECK: %[[BYTES:.*]] = arith.muli %[[N]], %c4
// CHECK: %[[UP:.*]] = arith.addi %[[BYTES]], %c63
// CHECK: %[[SIZE:.*]] = arith.andi %[[UP]], %c-64
// CHECK: return %[[SIZE]] : index
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: memref<?xf32> {tenon.output}
// CHECK-NOT: memref.alloc
// CHECK: %[[VIEW:.*]] = memref.view %{{.*}} : memref<?xi8> to memref<?xf32>
// CHECK: tenon.fusion map {{.*}} outs(%[[VIEW]] : memref<?xf32>)
func.func @chain(%x: memref<?xf32>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  tenon.fusion map ins(%x : memref<?xf32>) outs(%a : memref<?xf32>) {
  ^bb0(%t: tensor<?xf32>):
    %0 = tenon.exponential %t : (tensor<?xf32>) -> tensor<?xf32>
    tenon.yield %0 : tensor<?xf32>
  }
  %b = memref.alloc(%n) : memref<?xf32>
  tenon.fusion map ins(%a : memref<?xf32>) outs(%b : memref<?xf32>) {
  ^bb0(%t: tensor<?xf32>):
    %0 = tenon.negate %t : (tensor<?xf32>) -> tensor<?xf32>
    tenon.yield %0 : tensor<?xf32>
  }
  return %b : memref<?xf32>
}
