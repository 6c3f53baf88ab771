// Movement ops on tensors small enough to check every element.
// RUN: tenon-eval %s --all | FileCheck %s

// CHECK-LABEL: @iota
// CHECK-NEXT: tensor<2x3xi64> {{\[}}[0, 1, 2], [0, 1, 2]]
// CHECK-NEXT: tensor<2x1xf32> {{\[}}[0], [1]]
func.func @iota() -> (tensor<2x?xi64>, tensor<2x1xf32>) {
  %n = arith.constant 3 : index
  %0 = tenon.iota dim 1 sizes [2, %n] : (index) -> tensor<2x?xi64>
  %1 = tenon.iota dim 0 sizes [2, 1] : () -> tensor<2x1xf32>
  return %0, %1 : tensor<2x?xi64>, tensor<2x1xf32>
}

// CHECK-LABEL: @broadcast
// CHECK-NEXT: tensor<2x2xi8> {{\[}}[1, 2], [1, 2]]
// CHECK-NEXT: tensor<2x3xi8> {{\[}}[1, 1, 1], [2, 2, 2]]
// CHECK-NEXT: tensor<0x2xi8> []
func.func @broadcast() -> (tensor<2x2xi8>, tensor<2x?xi8>, tensor<?x2xi8>) {
  %n = arith.constant 3 : index
  %z = arith.constant 0 : index
  %x = tenon.constant dense<[1, 2]> : tensor<2xi8>
  %y = tenon.constant dense<[[1], [2]]> : tensor<2x1xi8>
  %0 = tenon.broadcast_in_dim %x dims [1] sizes [2, 2] : (tensor<2xi8>) -> tensor<2x2xi8>
  %1 = tenon.broadcast_in_dim %y dims [0, 1] sizes [2, %n] : (tensor<2x1xi8>, index) -> tensor<2x?xi8>
  %2 = tenon.broadcast_in_dim %x dims [1] sizes [%z, 2] : (tensor<2xi8>, index) -> tensor<?x2xi8>
  return %0, %1, %2 : tensor<2x2xi8>, tensor<2x?xi8>, tensor<?x2xi8>
}

// CHECK-LABEL: @reshape
// CHECK-NEXT: tensor<3x2xi8> {{\[}}[1, 2], [3, 4], [5, 6]]
func.func @reshape() -> tensor<?x2xi8> {
  %n = arith.constant 3 : index
  %x = tenon.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  %0 = tenon.reshape %x sizes [%n, 2] : (tensor<2x3xi8>, index) -> tensor<?x2xi8>
  return %0 : tensor<?x2xi8>
}

// CHECK-LABEL: @transpose
// CHECK-NEXT: tensor<3x1x2xi8> {{\[\[}}[1, 4]], {{\[}}[2, 5]], {{\[}}[3, 6]]]
func.func @transpose() -> tensor<3x1x2xi8> {
  %x = tenon.constant dense<[[[1, 2, 3]], [[4, 5, 6]]]> : tensor<2x1x3xi8>
  %0 = tenon.transpose %x [2, 1, 0] : (tensor<2x1x3xi8>) -> tensor<3x1x2xi8>
  return %0 : tensor<3x1x2xi8>
}

// CHECK-LABEL: @slice
// CHECK-NEXT: tensor<2xi8> [1, 3]
// CHECK-NEXT: tensor<4xi8> [3, 2, 1, 0]
// CHECK-NEXT: tensor<0xi8> []
func.func @slice() -> (tensor<2xi8>, tensor<4xi8>, tensor<?xi8>) {
  %one = arith.constant 1 : index
  %z = arith.constant 0 : index
  %x = tenon.constant dense<[0, 1, 2, 3]> : tensor<4xi8>
  %0 = tenon.slice %x offsets [%one] sizes [2] strides [2] : (tensor<4xi8>, index) -> tensor<2xi8>
  %1 = tenon.slice %x offsets [3] sizes [4] strides [-1] : (tensor<4xi8>) -> tensor<4xi8>
  %2 = tenon.slice %x offsets [4] sizes [%z] strides [1] : (tensor<4xi8>, index) -> tensor<?xi8>
  return %0, %1, %2 : tensor<2xi8>, tensor<4xi8>, tensor<?xi8>
}

// CHECK-LABEL: @pad
// CHECK-NEXT: tensor<6xi8> [9, 1, 9, 2, 9, 9]
// CHECK-NEXT: tensor<3xi8> [2, 9, 9]
// CHECK-NEXT: tensor<1xi8> [9]
// CHECK-NEXT: tensor<3xi8> [9, 9, 9]
func.func @pad() -> (tensor<6xi8>, tensor<3xi8>, tensor<1xi8>, tensor<3xi8>) {
  %x = tenon.constant dense<[1, 2]> : tensor<2xi8>
  %e = tenon.constant dense<> : tensor<0xi8>
  %v = tenon.constant dense<9> : tensor<i8>
  %0 = tenon.pad %x, %v low [1] high [2] interior [1] : (tensor<2xi8>, tensor<i8>) -> tensor<6xi8>
  %1 = tenon.pad %x, %v low [-1] high [2] interior [0] : (tensor<2xi8>, tensor<i8>) -> tensor<3xi8>
  %2 = tenon.pad %x, %v low [-1] high [-1] interior [1] : (tensor<2xi8>, tensor<i8>) -> tensor<1xi8>
  %3 = tenon.pad %e, %v low [1] high [2] interior [5] : (tensor<0xi8>, tensor<i8>) -> tensor<3xi8>
  return %0, %1, %2, %3 : tensor<6xi8>, tensor<3xi8>, tensor<1xi8>, tensor<3xi8>
}

// CHECK-LABEL: @concatenate
// CHECK-NEXT: tensor<2x3xi8> {{\[}}[1, 2, 5], [3, 4, 6]]
func.func @concatenate() -> tensor<2x3xi8> {
  %x = tenon.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %y = tenon.constant dense<[[5], [6]]> : tensor<2x1xi8>
  %z = tenon.constant dense<> : tensor<2x0xi8>
  %0 = tenon.concatenate %x, %z, %y dim 1 : (tensor<2x2xi8>, tensor<2x0xi8>, tensor<2x1xi8>) -> tensor<2x3xi8>
  return %0 : tensor<2x3xi8>
}

// CHECK-LABEL: @reverse
// CHECK-NEXT: tensor<2x2xi8> {{\[}}[3, 4], [1, 2]]
// CHECK-NEXT: tensor<2x2xi8> {{\[}}[4, 3], [2, 1]]
func.func @reverse() -> (tensor<2x2xi8>, tensor<2x2xi8>) {
  %x = tenon.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %0 = tenon.reverse %x [0] : tensor<2x2xi8>
  %1 = tenon.reverse %x [1, 0] : tensor<2x2xi8>
  return %0, %1 : tensor<2x2xi8>, tensor<2x2xi8>
}
