// Packing into panels and back, on tensors small enough to check every element.
// RUN: tenon-eval %s --all | FileCheck %s

// CHECK-LABEL: @pack
// CHECK-NEXT: tensor<2x2x2xi8> {{\[}}{{\[}}[1, 2], [4, 5]], {{\[}}[3, 0], [6, 0]]]
// CHECK-NEXT: tensor<1x3x4xi8> {{\[}}{{\[}}[1, 4, 0, 0], [2, 5, 0, 0], [3, 6, 0, 0]]]
// CHECK-NEXT: tensor<0x2x4xi8>
func.func @pack() -> (tensor<2x2x2xi8>, tensor<1x3x4xi8>, tensor<0x2x4xi8>) {
  %w = tenon.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  %e = tenon.constant dense<> : tensor<2x0xi8>
  %0 = tenon.pack %w dim 1 width 2 : (tensor<2x3xi8>) -> tensor<2x2x2xi8>
  %1 = tenon.pack %w dim 0 width 4 : (tensor<2x3xi8>) -> tensor<1x3x4xi8>
  %2 = tenon.pack %e dim 1 width 4 : (tensor<2x0xi8>) -> tensor<0x2x4xi8>
  return %0, %1, %2 : tensor<2x2x2xi8>, tensor<1x3x4xi8>, tensor<0x2x4xi8>
}

// CHECK-LABEL: @unpack
// CHECK-NEXT: tensor<2x3xi8> {{\[}}[1, 2, 5], [3, 4, 7]]
// CHECK-NEXT: tensor<3x2xi8> {{\[}}[1, 3], [2, 4], [5, 7]]
func.func @unpack() -> (tensor<2x3xi8>, tensor<3x2xi8>) {
  %p = tenon.constant dense<[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]> : tensor<2x2x2xi8>
  %0 = tenon.unpack %p dim 1 extent 3 : (tensor<2x2x2xi8>) -> tensor<2x3xi8>
  %1 = tenon.unpack %p dim 0 extent 3 : (tensor<2x2x2xi8>) -> tensor<3x2xi8>
  return %0, %1 : tensor<2x3xi8>, tensor<3x2xi8>
}

// 1 is 0x3f80, 2 is 0x4000, -1 is 0xbf80; the padding is zero.
// CHECK-LABEL: @pair
// CHECK-NEXT: tensor<2x2xi32> {{\[}}[1073758080, -1082114176], [16384, 16256]]
// CHECK-NEXT: tensor<4x2xbf16> {{\[}}[1, 1], [2, -1], [2, 1], [0, 0]]
func.func @pair() -> (tensor<2x2xi32>, tensor<4x2xbf16>) {
  %p = tenon.constant dense<[[1.0, 1.0], [2.0, -1.0], [2.0, 1.0]]> : tensor<3x2xbf16>
  %0 = tenon.pair %p : (tensor<3x2xbf16>) -> tensor<2x2xi32>
  %1 = tenon.unpair %0 : (tensor<2x2xi32>) -> tensor<4x2xbf16>
  return %0, %1 : tensor<2x2xi32>, tensor<4x2xbf16>
}

// The first byte is the lowest; the padding is zero.
// CHECK-LABEL: @quad
// CHECK-NEXT: tensor<2x2xi32> {{\[}}[-2139095295, -33553662], [5, 6]]
// CHECK-NEXT: tensor<8x2xi8> {{\[}}[1, 2], [-1, 3], [127, 0], [-128, -2], [5, 6], [0, 0], [0, 0], [0, 0]]
func.func @quad() -> (tensor<2x2xi32>, tensor<8x2xi8>) {
  %p = tenon.constant dense<[[1, 2], [-1, 3], [127, 0], [-128, -2], [5, 6]]> : tensor<5x2xi8>
  %0 = tenon.quad %p : (tensor<5x2xi8>) -> tensor<2x2xi32>
  %1 = tenon.unquad %0 : (tensor<2x2xi32>) -> tensor<8x2xi8>
  return %0, %1 : tensor<2x2xi32>, tensor<8x2xi8>
}
