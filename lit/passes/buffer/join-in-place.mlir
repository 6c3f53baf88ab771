// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-join-in-place))' | FileCheck %s
// As a flag the pass is --tenon-join-in-place, nested in func.func.

// A chain of changes on conditions needs one buffer.
// CHECK-LABEL: func.func @chain(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK-NOT: memref.alloc
// CHECK: scf.if
// CHECK: tenon.fusion map ins(%[[A]] : memref<?x7xf32>) outs(%[[A]] :
// CHECK: scf.if
// CHECK: } else {
// CHECK: tenon.fusion scatter ins(%[[A]], %{{.*}}, %{{.*}}) outs(%[[A]] :
// CHECK: return %[[A]]
func.func @chain(%p: i1, %q: i1, %n: index, %x: memref<?x7xf32>, %i: memref<3x2xi64>, %u: memref<3xf32>) -> memref<?x7xf32> {
  %a = memref.alloc(%n) : memref<?x7xf32>
  tenon.fusion map ins(%x : memref<?x7xf32>) outs(%a : memref<?x7xf32>) {
  ^bb0(%t: tensor<?x7xf32>):
    %0 = tenon.exponential %t : (tensor<?x7xf32>) -> tensor<?x7xf32>
    tenon.yield %0 : tensor<?x7xf32>
  }
  %1 = scf.if %p -> (memref<?x7xf32>) {
    %b = memref.alloc(%n) : memref<?x7xf32>
    tenon.fusion map ins(%a : memref<?x7xf32>) outs(%b : memref<?x7xf32>) {
    ^bb0(%t: tensor<?x7xf32>):
      %0 = tenon.negate %t : (tensor<?x7xf32>) -> tensor<?x7xf32>
      tenon.yield %0 : tensor<?x7xf32>
    }
    scf.yield %b : memref<?x7xf32>
  } else {
    scf.yield %a : memref<?x7xf32>
  }
  %c0 = arith.constant 0 : index
  %m = memref.dim %1, %c0 : memref<?x7xf32>
  %2 = scf.if %q -> (memref<?x7xf32>) {
    scf.yield %1 : memref<?x7xf32>
  } else {
    %b = memref.alloc(%m) : memref<?x7xf32>
    tenon.fusion scatter ins(%1, %i, %u : memref<?x7xf32>, memref<3x2xi64>, memref<3xf32>) outs(%b : memref<?x7xf32>) {
    ^bb0(%t: tensor<?x7xf32>, %at: tensor<3x2xi64>, %v: tensor<3xf32>):
      %0 = tenon.scatter set %t, %at, %v window_dims [] inserted [0, 1] batching [] x [] map [0, 1] vector_dim 1
         : (tensor<?x7xf32>, tensor<3x2xi64>, tensor<3xf32>) -> tensor<?x7xf32>
      tenon.yield %0 : tensor<?x7xf32>
    }
    scf.yield %b : memref<?x7xf32>
  }
  return %2 : memref<?x7xf32>
}

// A kernel that must not write what it reads keeps its buffer. The next branch
// can write to either of the two.
// CHECK-LABEL: func.func @either(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: %[[E:.*]] = scf.if
// CHECK: %[[B:.*]] = memref.alloc
// CHECK: tenon.fusion map ins(%[[A]] : memref<7x7xf32>) outs(%[[B]] :
// CHECK: scf.if
// CHECK-NOT: memref.alloc
// CHECK: tenon.fusion map ins(%[[E]] : memref<7x7xf32>) outs(%[[E]] :
// CHECK: return %[[E]]
func.func @either(%p: i1, %q: i1, %x: memref<7x7xf32>) -> memref<7x7xf32> {
  %a = memref.alloc() : memref<7x7xf32>
  tenon.fusion map ins(%x : memref<7x7xf32>) outs(%a : memref<7x7xf32>) {
  ^bb0(%t: tensor<7x7xf32>):
    %0 = tenon.exponential %t : (tensor<7x7xf32>) -> tensor<7x7xf32>
    tenon.yield %0 : tensor<7x7xf32>
  }
  %1 = scf.if %p -> (memref<7x7xf32>) {
    %b = memref.alloc() : memref<7x7xf32>
    tenon.fusion map ins(%a : memref<7x7xf32>) outs(%b : memref<7x7xf32>) {
    ^bb0(%t: tensor<7x7xf32>):
      %0 = tenon.transpose %t [1, 0] : (tensor<7x7xf32>) -> tensor<7x7xf32>
      tenon.yield %0 : tensor<7x7xf32>
    }
    scf.yield %b : memref<7x7xf32>
  } else {
    scf.yield %a : memref<7x7xf32>
  }
  %2 = scf.if %q -> (memref<7x7xf32>) {
    %b = memref.alloc() : memref<7x7xf32>
    tenon.fusion map ins(%1 : memref<7x7xf32>) outs(%b : memref<7x7xf32>) {
    ^bb0(%t: tensor<7x7xf32>):
      %0 = tenon.negate %t : (tensor<7x7xf32>) -> tensor<7x7xf32>
      tenon.yield %0 : tensor<7x7xf32>
    }
    scf.yield %b : memref<7x7xf32>
  } else {
    scf.yield %1 : memref<7x7xf32>
  }
  return %2 : memref<7x7xf32>
}

// The old value is an output too, is read after the kernel, or belongs to the
// caller.
// CHECK-LABEL: func.func @needed(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: scf.if
// CHECK: %[[B:.*]] = memref.alloc
// CHECK: tenon.fusion map ins(%[[A]] : memref<4xf32>) outs(%[[B]] :
// CHECK: scf.if
// CHECK: %[[C:.*]] = memref.alloc
// CHECK: tenon.fusion map ins(%{{.*}} : memref<4xf32>) outs(%[[C]] :
func.func @needed(%p: i1, %x: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>, memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  tenon.fusion map ins(%x : memref<4xf32>) outs(%a : memref<4xf32>) {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.exponential %t : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  }
  %1 = scf.if %p -> (memref<4xf32>) {
    %b = memref.alloc() : memref<4xf32>
    tenon.fusion map ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {
    ^bb0(%t: tensor<4xf32>):
      %0 = tenon.negate %t : (tensor<4xf32>) -> tensor<4xf32>
      tenon.yield %0 : tensor<4xf32>
    }
    scf.yield %b : memref<4xf32>
  } else {
    scf.yield %a : memref<4xf32>
  }
  %2 = scf.if %p -> (memref<4xf32>) {
    %b = memref.alloc() : memref<4xf32>
    tenon.fusion map ins(%x : memref<4xf32>) outs(%b : memref<4xf32>) {
    ^bb0(%t: tensor<4xf32>):
      %0 = tenon.negate %t : (tensor<4xf32>) -> tensor<4xf32>
      tenon.yield %0 : tensor<4xf32>
    }
    scf.yield %b : memref<4xf32>
  } else {
    scf.yield %x : memref<4xf32>
  }
  return %a, %1, %2 : memref<4xf32>, memref<4xf32>, memref<4xf32>
}

// The next iteration reads the old value again.
// CHECK-LABEL: func.func @again(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: scf.for
// CHECK: scf.if
// CHECK: %[[B:.*]] = memref.alloc
// CHECK: tenon.fusion map ins(%[[A]] : memref<4xf32>) outs(%[[B]] :
func.func @again(%n: index, %p: i1, %x: memref<4xf32>, %y: memref<4xf32>) {
  %from = arith.constant 0 : index
  %step = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  tenon.fusion map ins(%x : memref<4xf32>) outs(%a : memref<4xf32>) {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.exponential %t : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  }
  scf.for %i = %from to %n step %step {
    %1 = scf.if %p -> (memref<4xf32>) {
      %b = memref.alloc() : memref<4xf32>
      tenon.fusion map ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {
      ^bb0(%t: tensor<4xf32>):
        %0 = tenon.negate %t : (tensor<4xf32>) -> tensor<4xf32>
        tenon.yield %0 : tensor<4xf32>
      }
      scf.yield %b : memref<4xf32>
    } else {
      scf.yield %a : memref<4xf32>
    }
    memref.copy %1, %y : memref<4xf32> to memref<4xf32>
  }
  return
}

// The buffer is changed in a branch of a branch. The other branch reads it and
// passes it on, and only one of the two runs.
// CHECK-LABEL: func.func @nested(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: %[[R:.*]] = scf.if
// CHECK: scf.if
// CHECK-NOT: memref.alloc
// CHECK: tenon.fusion map ins(%[[A]] : memref<4xf32>) outs(%[[A]] :
// CHECK: scf.yield %[[A]] : memref<4xf32>
// CHECK: } else {
// CHECK: memref.copy %[[A]]
// CHECK: return %[[R]]
func.func @nested(%p: i1, %q: i1, %x: memref<4xf32>, %y: memref<4xf32>) -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  tenon.fusion map ins(%x : memref<4xf32>) outs(%a : memref<4xf32>) {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.exponential %t : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  }
  %2 = scf.if %q -> (memref<4xf32>) {
    %1 = scf.if %p -> (memref<4xf32>) {
      %b = memref.alloc() : memref<4xf32>
      tenon.fusion map ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {
      ^bb0(%t: tensor<4xf32>):
        %0 = tenon.negate %t : (tensor<4xf32>) -> tensor<4xf32>
        tenon.yield %0 : tensor<4xf32>
      }
      scf.yield %b : memref<4xf32>
    } else {
      scf.yield %a : memref<4xf32>
    }
    scf.yield %1 : memref<4xf32>
  } else {
    memref.copy %a, %y : memref<4xf32> to memref<4xf32>
    scf.yield %a : memref<4xf32>
  }
  return %2 : memref<4xf32>
}

// The branch passes the old value on too.
// CHECK-LABEL: func.func @both(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: scf.if
// CHECK: %[[B:.*]] = memref.alloc
// CHECK: tenon.fusion map ins(%[[A]] : memref<4xf32>) outs(%[[B]] :
func.func @both(%p: i1, %x: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  tenon.fusion map ins(%x : memref<4xf32>) outs(%a : memref<4xf32>) {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.exponential %t : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  }
  %1:2 = scf.if %p -> (memref<4xf32>, memref<4xf32>) {
    %b = memref.alloc() : memref<4xf32>
    tenon.fusion map ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {
    ^bb0(%t: tensor<4xf32>):
      %0 = tenon.negate %t : (tensor<4xf32>) -> tensor<4xf32>
      tenon.yield %0 : tensor<4xf32>
    }
    scf.yield %b, %a : memref<4xf32>, memref<4xf32>
  } else {
    scf.yield %a, %x : memref<4xf32>, memref<4xf32>
  }
  return %1#0, %1#1 : memref<4xf32>, memref<4xf32>
}
