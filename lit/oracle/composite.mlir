// Composites on values computed by hand. test/oracle compares them with their
// decompositions.
// RUN: tenon-eval %s --all | FileCheck %s

// A row of equal values is uniform; -inf has probability 0; a row of only -inf
// gives NaN.
// CHECK-LABEL: @softmax
// CHECK-NEXT: tensor<3x2xf32> {{\[}}[0.5, 0.5], [1, 0], [nan, nan]]
// CHECK-NEXT: tensor<2xf32> [0.268941, 0.731059]
func.func @softmax() -> (tensor<3x2xf32>, tensor<2xf32>) {
  %x = tenon.constant dense<[[3.0, 3.0], [1000.0, 0xFF800000], [0xFF800000, 0xFF800000]]> : tensor<3x2xf32>
  %y = tenon.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = tenon.softmax %x over 1 : tensor<3x2xf32>
  %1 = tenon.softmax %y over 0 : tensor<2xf32>
  return %0, %1 : tensor<3x2xf32>, tensor<2xf32>
}

// Along the first dimension: log(1/2), and -1 - log(1 + 1/e).
// CHECK-LABEL: @log_softmax
// CHECK-NEXT: tensor<2x2xf32> {{\[}}[-0.693147, -1.31326], [-0.693147, -0.313262]]
func.func @log_softmax() -> tensor<2x2xf32> {
  %x = tenon.constant dense<[[3.0, 1.0], [3.0, 2.0]]> : tensor<2x2xf32>
  %0 = tenon.log_softmax %x over 0 : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// Mean 3, variance 4 - 0, epsilon 0: (x - 3) / 2, then times scale plus bias.
// CHECK-LABEL: @layer_norm
// CHECK-NEXT: tensor<1x2xf32> {{\[}}[-9, 21]]
func.func @layer_norm() -> tensor<1x2xf32> {
  %x = tenon.constant dense<[[1.0, 5.0]]> : tensor<1x2xf32>
  %s = tenon.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %b = tenon.constant dense<1.0> : tensor<2xf32>
  %0 = tenon.layer_norm %x, %s, %b axis 1 epsilon 0.0 : (tensor<1x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}

// CHECK-LABEL: @gelu
// CHECK-NEXT: tensor<3xf32> [0.841345, -0, -0.158655]
// CHECK-NEXT: tensor<3xf32> [0.841192, -0, -0.158808]
func.func @gelu() -> (tensor<3xf32>, tensor<3xf32>) {
  %x = tenon.constant dense<[1.0, -0.0, -1.0]> : tensor<3xf32>
  %0 = tenon.gelu %x : tensor<3xf32>
  %1 = tenon.gelu %x tanh : tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

// Channel 0: (x - 1) * 2 / 2 + 10; channel 1: (x - 2) * 3 / 1 + 20.
// CHECK-LABEL: @batch_norm
// CHECK-NEXT: tensor<2x2xf32> {{\[}}[10, 20], [12, 29]]
func.func @batch_norm() -> tensor<2x2xf32> {
  %x = tenon.constant dense<[[1.0, 2.0], [3.0, 5.0]]> : tensor<2x2xf32>
  %s = tenon.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %o = tenon.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %m = tenon.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %v = tenon.constant dense<[3.0, 0.0]> : tensor<2xf32>
  %0 = tenon.batch_norm %x, %s, %o, %m, %v dim 1 epsilon 1.0
     : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// Row 0 attends to one key; row 1 attends to both equally, because its query is
// zero. A row masked by -inf has no visible key.
// CHECK-LABEL: @attention
// CHECK-NEXT: tensor<2x1xf32> {{\[}}[2], [3]]
// CHECK-NEXT: tensor<2x1xf32> {{\[}}[nan], [2]]
// CHECK-NEXT: tensor<1x1xf32> {{\[}}[3.75]]
func.func @attention() -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<1x1xf32>) {
  %q = tenon.constant dense<[[1.0], [0.0]]> : tensor<2x1xf32>
  %k = tenon.constant dense<[[5.0], [6.0]]> : tensor<2x1xf32>
  %v = tenon.constant dense<[[2.0], [4.0]]> : tensor<2x1xf32>
  %one = tenon.constant dense<0.0> : tensor<1x1xf32>
  %m = tenon.constant dense<[[0.0, 1.9459101090932196]]> : tensor<1x2xf32>
  %c0 = arith.constant 0 : index
  %before = arith.constant -1 : index
  %0 = tenon.attention %q, %k, %v causal %c0 fill -1.0e+09 order [0, 1] x [0, 1] x [0, 1] to [0, 1] scale 1.0
     : (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, index) -> tensor<2x1xf32>
  %1 = tenon.attention %q, %k, %v causal %before fill 0xFFF0000000000000 order [0, 1] x [0, 1] x [0, 1] to [0, 1] scale 1.0
     : (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, index) -> tensor<2x1xf32>
  %2 = tenon.attention %one, %k, %v mask %m order [0, 1] x [0, 1] x [0, 1] to [0, 1] scale 1.0
     : (tensor<1x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<1x2xf32>) -> tensor<1x1xf32>
  return %0, %1, %2 : tensor<2x1xf32>, tensor<2x1xf32>, tensor<1x1xf32>
}
