// Errors that types cannot exclude name the op and its node; they never crash.
// RUN: not tenon-eval %s --all --iterations=1000 | FileCheck %s

// CHECK-LABEL: @range
// CHECK-NEXT: error: node "g" (Gather): found 4 outside [0, 3]
func.func @range() -> tensor<2xi64> {
  %x = tenon.constant dense<[0, 4]> : tensor<2xi64>
  %l = tenon.constant dense<0> : tensor<2xi64>
  %h = tenon.constant dense<4> : tensor<2xi64>
  %0 = tenon.check_range %x in [%l, %h) "node \22g\22 (Gather)" : (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// CHECK-LABEL: @shapes
// CHECK-NEXT: error: tenon.add "plus": expected operands of one shape, got [2] and [3]
func.func @shapes() -> tensor<?xf32> {
  %x = tenon.constant dense<1.0> : tensor<2xf32>
  %y = tenon.constant dense<1.0> : tensor<3xf32>
  %a = tensor.cast %x : tensor<2xf32> to tensor<?xf32>
  %b = tensor.cast %y : tensor<3xf32> to tensor<?xf32>
  %0 = tenon.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> loc("plus")
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: @reshape
// CHECK-NEXT: error: tenon.reshape {{.*}}: expected 2 elements, got extents [3]
func.func @reshape() -> tensor<?xf32> {
  %n = arith.constant 3 : index
  %x = tenon.constant dense<1.0> : tensor<2xf32>
  %0 = tenon.reshape %x sizes [%n] : (tensor<2xf32>, index) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: @negative_size
// CHECK-NEXT: error: tenon.iota {{.*}}: expected extents that are sizes, got [-1]
func.func @negative_size() -> tensor<?xi64> {
  %n = arith.constant -1 : index
  %0 = tenon.iota dim 0 sizes [%n] : (index) -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// CHECK-LABEL: @too_large
// CHECK-NEXT: error: tenon.iota {{.*}}: expected at most 1073741824 elements, got 4611686018427387904
func.func @too_large() -> tensor<?xi64> {
  %n = arith.constant 4611686018427387904 : index
  %0 = tenon.iota dim 0 sizes [%n] : (index) -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// CHECK-LABEL: @slice
// CHECK-NEXT: error: tenon.slice {{.*}}: expected a box within extents [2], got offsets [1], sizes [2], strides [1]
func.func @slice() -> tensor<2xf32> {
  %n = arith.constant 1 : index
  %x = tenon.constant dense<1.0> : tensor<2xf32>
  %0 = tenon.slice %x offsets [%n] sizes [2] strides [1] : (tensor<2xf32>, index) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @contraction
// CHECK-NEXT: error: tenon.dot_general {{.*}}: expected batch and contracting extents to agree, got [2] and [3]
func.func @contraction() -> tensor<f32> {
  %x = tenon.constant dense<1.0> : tensor<2xf32>
  %y = tenon.constant dense<1.0> : tensor<3xf32>
  %a = tensor.cast %x : tensor<2xf32> to tensor<?xf32>
  %b = tensor.cast %y : tensor<3xf32> to tensor<?xf32>
  %0 = tenon.dot_general %a, %b batch [] x [] contract [0] x [0] : (tensor<?xf32>, tensor<?xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @cast
// CHECK-NEXT: error: tensor.cast {{.*}}: expected a value of type tensor<3xf32>, got extents [2] of f32
func.func @cast() -> tensor<3xf32> {
  %x = tenon.constant dense<1.0> : tensor<2xf32>
  %a = tensor.cast %x : tensor<2xf32> to tensor<?xf32>
  %b = tensor.cast %a : tensor<?xf32> to tensor<3xf32>
  return %b : tensor<3xf32>
}

// CHECK-LABEL: @count
// CHECK-NEXT: error: tenon.nonzero {{.*}}: expected the count to be 2, got 1
func.func @count() -> tensor<?x1xi64> {
  %n = arith.constant 1 : index
  %x = tenon.constant dense<1.0> : tensor<2xf32>
  %0 = tenon.nonzero %x count %n : (tensor<2xf32>, index) -> tensor<?x1xi64>
  return %0 : tensor<?x1xi64>
}

// CHECK-LABEL: @bound
// CHECK-NEXT: error: tenon.bound {{.*}}: expected at most 2, got 3
func.func @bound() -> index {
  %n = arith.constant 3 : index
  %max = arith.constant 2 : index
  %0 = tenon.bound %n at_most %max
  return %0 : index
}

// CHECK-LABEL: @division
// CHECK-NEXT: error: arith.divsi {{.*}}: undefined for the values 3 and 0
func.func @division() -> index {
  %n = arith.constant 3 : index
  %z = arith.constant 0 : index
  %0 = arith.divsi %n, %z : index
  return %0 : index
}

// CHECK-LABEL: @endless
// CHECK-NEXT: error: scf.while {{.*}}: expected at most 1000 iterations of loops
func.func @endless() {
  scf.while : () -> () {
    %true = arith.constant true
    scf.condition(%true)
  } do {
    scf.yield
  }
  return
}

// CHECK-LABEL: @recursion
// CHECK-NEXT: error: func.func {{.*}}: expected functions that do not call themselves
func.func @recursion() {
  func.call @recursion() : () -> ()
  return
}

// CHECK-LABEL: @extract
// CHECK-NEXT: error: tensor.extract {{.*}}: expected an index within extents [2], got 2
func.func @extract() -> f32 {
  %n = arith.constant 2 : index
  %x = tenon.constant dense<1.0> : tensor<2xf32>
  %0 = tensor.extract %x[%n] : tensor<2xf32>
  return %0 : f32
}

// CHECK-LABEL: @unknown
// CHECK-NEXT: error: func.constant {{.*}}: the oracle does not know this op
func.func @unknown() {
  %0 = func.constant @unknown : () -> ()
  return
}
