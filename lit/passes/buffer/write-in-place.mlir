// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-write-in-place))' | FileCheck %s
// As a flag the pass is --tenon-write-in-place, nested in func.func.

// The kernel is the last reader of %a, so it writes to its buffer. The input
// belongs to the caller.
// CHECK-LABEL: func.func @last(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK-NOT: memref.alloc
// CHECK: tenon.fusion map ins(%{{.*}} : memref<2x24xf32>) outs(%[[A]] :
// CHECK: tenon.fusion map ins(%[[A]] : memref<2x24xf32>) outs(%[[A]] :
// CHECK: return %[[A]]
func.func @last(%x: memref<2x24xf32>) -> memref<2x24xf32> {
  %a = memref.alloc() : memref<2x24xf32>
  tenon.fusion map ins(%x : memref<2x24xf32>) outs(%a : memref<2x24xf32>) {
  ^bb0(%t: tensor<2x24xf32>):
    %0 = tenon.exponential %t : (tensor<2x24xf32>) -> tensor<2x24xf32>
    tenon.yield %0 : tensor<2x24xf32>
  }
  %b = memref.alloc() : memref<2x24xf32>
  tenon.fusion map ins(%a : memref<2x24xf32>) outs(%b : memref<2x24xf32>) {
  ^bb0(%t: tensor<2x24xf32>):
    %0 = tenon.negate %t : (tensor<2x24xf32>) -> tensor<2x24xf32>
    tenon.yield %0 : tensor<2x24xf32>
  }
  return %b : memref<2x24xf32>
}

// Another op reads %a later.
// CHECK-LABEL: func.func @read_again(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: %[[B:.*]] = memref.alloc
// CHECK: tenon.fusion map ins(%[[A]] : memref<4x16xf32>) outs(%[[B]] :
func.func @read_again(%x: memref<4x16xf32>) -> (memref<4x16xf32>, memref<4x16xf32>) {
  %a = memref.alloc() : memref<4x16xf32>
  tenon.fusion map ins(%x : memref<4x16xf32>) outs(%a : memref<4x16xf32>) {
  ^bb0(%t: tensor<4x16xf32>):
    %0 = tenon.exponential %t : (tensor<4x16xf32>) -> tensor<4x16xf32>
    tenon.yield %0 : tensor<4x16xf32>
  }
  %b = memref.alloc() : memref<4x16xf32>
  tenon.fusion map ins(%a : memref<4x16xf32>) outs(%b : memref<4x16xf32>) {
  ^bb0(%t: tensor<4x16xf32>):
    %0 = tenon.negate %t : (tensor<4x16xf32>) -> tensor<4x16xf32>
    tenon.yield %0 : tensor<4x16xf32>
  }
  return %a, %b : memref<4x16xf32>, memref<4x16xf32>
}

// The op is not elementwise.
// CHECK-LABEL: func.func @turned(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: %[[B:.*]] = memref.alloc
// CHECK: tenon.fusion map ins(%[[A]] : memref<4x4xf32>) outs(%[[B]] :
func.func @turned(%x: memref<4x4xf32>) -> memref<4x4xf32> {
  %a = memref.alloc() : memref<4x4xf32>
  tenon.fusion map ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>) {
  ^bb0(%t: tensor<4x4xf32>):
    %0 = tenon.exponential %t : (tensor<4x4xf32>) -> tensor<4x4xf32>
    tenon.yield %0 : tensor<4x4xf32>
  }
  %b = memref.alloc() : memref<4x4xf32>
  tenon.fusion map ins(%a : memref<4x4xf32>) outs(%b : memref<4x4xf32>) {
  ^bb0(%t: tensor<4x4xf32>):
    %0 = tenon.transpose %t [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    tenon.yield %0 : tensor<4x4xf32>
  }
  return %b : memref<4x4xf32>
}

// The types are equal but the sizes differ; and rows end with a masked store.
// CHECK-LABEL: func.func @sizes(
// CHECK-COUNT-4: memref.alloc
func.func @sizes(%x: memref<?x16xf32>, %y: memref<4x30xf32>, %n: index, %m: index) -> (memref<?x16xf32>, memref<4x30xf32>) {
  %a = memref.alloc(%n) : memref<?x16xf32>
  %b = memref.alloc(%m) : memref<?x16xf32>
  %c = memref.alloc() : memref<4x30xf32>
  %d = memref.alloc() : memref<4x30xf32>
  // CHECK: tenon.fusion map ins(%[[A:.*]] : memref<?x16xf32>) outs(%[[B:.*]] :
  // CHECK-NOT: outs(%[[A]] :
  tenon.fusion map ins(%a : memref<?x16xf32>) outs(%b : memref<?x16xf32>) {
  ^bb0(%t: tensor<?x16xf32>):
    %0 = tenon.negate %t : (tensor<?x16xf32>) -> tensor<?x16xf32>
    tenon.yield %0 : tensor<?x16xf32>
  }
  tenon.fusion map ins(%c : memref<4x30xf32>) outs(%d : memref<4x30xf32>) {
  ^bb0(%t: tensor<4x30xf32>):
    %0 = tenon.negate %t : (tensor<4x30xf32>) -> tensor<4x30xf32>
    tenon.yield %0 : tensor<4x30xf32>
  }
  return %b, %d : memref<?x16xf32>, memref<4x30xf32>
}

// An alias of %a is read later.
// CHECK-LABEL: func.func @seen_otherwise(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: %[[B:.*]] = memref.alloc
// CHECK: tenon.fusion map ins(%[[A]] : memref<4x16xf32>) outs(%[[B]] :
func.func @seen_otherwise(%x: memref<4x16xf32>) -> (memref<4x16xf32>, memref<64xf32>) {
  %a = memref.alloc() : memref<4x16xf32>
  tenon.fusion map ins(%x : memref<4x16xf32>) outs(%a : memref<4x16xf32>) {
  ^bb0(%t: tensor<4x16xf32>):
    %0 = tenon.exponential %t : (tensor<4x16xf32>) -> tensor<4x16xf32>
    tenon.yield %0 : tensor<4x16xf32>
  }
  %v = memref.reinterpret_cast %a to offset: [0], sizes: [64], strides: [1]
       : memref<4x16xf32> to memref<64xf32>
  %b = memref.alloc() : memref<4x16xf32>
  tenon.fusion map ins(%a : memref<4x16xf32>) outs(%b : memref<4x16xf32>) {
  ^bb0(%t: tensor<4x16xf32>):
    %0 = tenon.negate %t : (tensor<4x16xf32>) -> tensor<4x16xf32>
    tenon.yield %0 : tensor<4x16xf32>
  }
  return %b, %v : memref<4x16xf32>, memref<64xf32>
}

// Two operands are %a: one may be read at positions other than those written.
// CHECK-LABEL: func.func @twice(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: %[[B:.*]] = memref.alloc
// CHECK: tenon.fusion map ins(%[[A]], %[[A]] : {{.*}}) outs(%[[B]] :
func.func @twice(%x: memref<4x16xf32>) -> memref<4x16xf32> {
  %a = memref.alloc() : memref<4x16xf32>
  tenon.fusion map ins(%x : memref<4x16xf32>) outs(%a : memref<4x16xf32>) {
  ^bb0(%t: tensor<4x16xf32>):
    %0 = tenon.exponential %t : (tensor<4x16xf32>) -> tensor<4x16xf32>
    tenon.yield %0 : tensor<4x16xf32>
  }
  %b = memref.alloc() : memref<4x16xf32>
  tenon.fusion map ins(%a, %a : memref<4x16xf32>, memref<4x16xf32>) outs(%b : memref<4x16xf32>) {
  ^bb0(%t: tensor<4x16xf32>, %u: tensor<4x16xf32>):
    %0 = tenon.add %t, %u : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    tenon.yield %0 : tensor<4x16xf32>
  }
  return %b : memref<4x16xf32>
}

// Sizes are read from %b, and the plan function computes it again.
// So %b and its source %a stay buffers with one tensor each.
// CHECK-LABEL: func.func @numbers(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: %[[B:.*]] = memref.alloc
// CHECK: tenon.fusion map ins(%[[A]] : memref<2xi64>) outs(%[[B]] :
// CHECK: memref.load %[[B]]
func.func @numbers(%x: memref<2xi64>) -> index {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<2xi64>
  tenon.fusion map ins(%x : memref<2xi64>) outs(%a : memref<2xi64>) {
  ^bb0(%t: tensor<2xi64>):
    %0 = tenon.negate %t : (tensor<2xi64>) -> tensor<2xi64>
    tenon.yield %0 : tensor<2xi64>
  }
  %b = memref.alloc() : memref<2xi64>
  tenon.fusion map ins(%a : memref<2xi64>) outs(%b : memref<2xi64>) {
  ^bb0(%t: tensor<2xi64>):
    %0 = tenon.abs %t : (tensor<2xi64>) -> tensor<2xi64>
    tenon.yield %0 : tensor<2xi64>
  }
  %n = memref.load %b[%c0] : memref<2xi64>
  %size = arith.index_cast %n : i64 to index
  return %size : index
}
