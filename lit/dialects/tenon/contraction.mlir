// RUN: tenon-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @dot_general(
// CHECK: tenon.dot_general %{{.*}}, %{{.*}} batch [0] x [0] contract [2] x [1] : (tensor<4x8x16xf32>, tensor<4x16x32xf32>) -> tensor<4x8x32xf32>
func.func @dot_general(%a: tensor<4x8x16xf32>, %b: tensor<4x16x32xf32>) {
  %0 = tenon.dot_general %a, %b batch [0] x [0] contract [2] x [1] : (tensor<4x8x16xf32>, tensor<4x16x32xf32>) -> tensor<4x8x32xf32>
  return
}

// CHECK-LABEL: func.func @dot_general_more(
// CHECK: tenon.dot_general %{{.*}}, %{{.*}} batch [] x [] contract [1] x [0] : (tensor<?x16xf32>, tensor<16x?xf32>) -> tensor<?x?xf32>
func.func @dot_general_more(%a: tensor<?x16xf32>, %b: tensor<16x?xf32>) {
  %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<?x16xf32>, tensor<16x?xf32>) -> tensor<?x?xf32>
  return
}

// CHECK-LABEL: func.func @dot_general_further(
// CHECK: tenon.dot_general %{{.*}}, %{{.*}} batch [] x [] contract [0] x [0] : (tensor<4xi8>, tensor<4xi8>) -> tensor<i32>
func.func @dot_general_further(%a: tensor<4xi8>, %b: tensor<4xi8>) {
  %0 = tenon.dot_general %a, %b batch [] x [] contract [0] x [0] : (tensor<4xi8>, tensor<4xi8>) -> tensor<i32>
  return
}

// CHECK-LABEL: func.func @convolution(
// CHECK: tenon.convolution %{{.*}}, %{{.*}} strides [2, 2] padding [3, 3, 3, 3] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x224x224x3xf32>, tensor<7x7x3x64xf32>) -> tensor<1x112x112x64xf32>
func.func @convolution(%x: tensor<1x224x224x3xf32>, %w: tensor<7x7x3x64xf32>) {
  %0 = tenon.convolution %x, %w strides [2, 2] padding [3, 3, 3, 3] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1
     : (tensor<1x224x224x3xf32>, tensor<7x7x3x64xf32>) -> tensor<1x112x112x64xf32>
  return
}

// CHECK-LABEL: func.func @convolution_more(
// CHECK: tenon.convolution %{{.*}}, %{{.*}} strides [1] padding [0, 0] lhs_dilation [2] rhs_dilation [1] groups 2 : (tensor<?x5x4xf32>, tensor<3x2x6xf32>) -> tensor<?x7x6xf32>
func.func @convolution_more(%x: tensor<?x5x4xf32>, %w: tensor<3x2x6xf32>) {
  %0 = tenon.convolution %x, %w strides [1] padding [0, 0] lhs_dilation [2] rhs_dilation [1] groups 2 : (tensor<?x5x4xf32>, tensor<3x2x6xf32>) -> tensor<?x7x6xf32>
  return
}

// CHECK-LABEL: func.func @products(
// CHECK: contract [1] x [0] products pairs : (tensor<4x8xbf16>, tensor<8x2xf32>) -> tensor<4x2xf32>
// CHECK: contract [1] x [0] : (tensor<4x8xbf16>, tensor<8x2xf32>) -> tensor<4x2xf32>
// CHECK: groups 1 products pairs : (tensor<1x8x4xbf16>, tensor<3x4x6xbf16>) -> tensor<1x6x6xf32>
func.func @products(%a: tensor<4x8xbf16>, %b: tensor<8x2xf32>, %x: tensor<1x8x4xbf16>, %w: tensor<3x4x6xbf16>) {
  %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] products pairs : (tensor<4x8xbf16>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] products chain : (tensor<4x8xbf16>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %2 = tenon.convolution %x, %w strides [1] padding [0, 0] lhs_dilation [1] rhs_dilation [1] groups 1 products pairs : (tensor<1x8x4xbf16>, tensor<3x4x6xbf16>) -> tensor<1x6x6xf32>
  return
}

// CHECK-LABEL: func.func @products_of_bytes(
// CHECK: contract [1] x [0] products quads : (tensor<4x8xui8>, tensor<8x2xi8>) -> tensor<4x2xi32>
// CHECK: groups 1 products quads : (tensor<1x8x4xui8>, tensor<3x4x6xi8>) -> tensor<1x6x6xi32>
func.func @products_of_bytes(%a: tensor<4x8xui8>, %b: tensor<8x2xi8>, %x: tensor<1x8x4xui8>, %w: tensor<3x4x6xi8>) {
  %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] products quads : (tensor<4x8xui8>, tensor<8x2xi8>) -> tensor<4x2xi32>
  %1 = tenon.convolution %x, %w strides [1] padding [0, 0] lhs_dilation [1] rhs_dilation [1] groups 1 products quads : (tensor<1x8x4xui8>, tensor<3x4x6xi8>) -> tensor<1x6x6xi32>
  return
}
