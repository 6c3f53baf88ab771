// dot_general and convolution on numbers summed by hand.
// RUN: tenon-eval %s --all | FileCheck %s

// CHECK-LABEL: @matmul
// CHECK-NEXT: tensor<2x2xf32> {{\[}}[4, 5], [10, 11]]
func.func @matmul() -> tensor<2x2xf32> {
  %a = tenon.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = tenon.constant dense<[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]> : tensor<3x2xf32>
  %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// The batch dimension is last in lhs and first in rhs; two dimensions are
// summed.
// CHECK-LABEL: @batch_and_two_sums
// CHECK-NEXT: tensor<2x1xi32> {{\[}}[16], [20]]
func.func @batch_and_two_sums() -> tensor<2x1xi32> {
  %a = tenon.constant dense<[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]> : tensor<2x2x2xi8>
  %b = tenon.constant dense<[[[[1], [1]], [[1], [1]]], [[[1], [1]], [[1], [1]]]]> : tensor<2x2x2x1xi8>
  %0 = tenon.dot_general %a, %b batch [2] x [0] contract [0, 1] x [2, 1] : (tensor<2x2x2xi8>, tensor<2x2x2x1xi8>) -> tensor<2x1xi32>
  return %0 : tensor<2x1xi32>
}

// Each operand is read with its own signedness.
// CHECK-LABEL: @mixed_signs
// CHECK-NEXT: tensor<i32> -510
func.func @mixed_signs() -> tensor<i32> {
  %a = tenon.constant dense<255> : tensor<2xui8>
  %b = tenon.constant dense<-1> : tensor<2xi8>
  %0 = tenon.dot_general %a, %b batch [] x [] contract [0] x [0] : (tensor<2xui8>, tensor<2xi8>) -> tensor<i32>
  return %0 : tensor<i32>
}

// CHECK-LABEL: @modular
// CHECK-NEXT: tensor<i8> 2
func.func @modular() -> tensor<i8> {
  %a = tenon.constant dense<127> : tensor<2xi8>
  %0 = tenon.dot_general %a, %a batch [] x [] contract [0] x [0] : (tensor<2xi8>, tensor<2xi8>) -> tensor<i8>
  return %0 : tensor<i8>
}

// A sum of zero products is zero.
// CHECK-LABEL: @empty_sum
// CHECK-NEXT: tensor<1x2xf32> {{\[}}[0, 0]]
func.func @empty_sum() -> tensor<1x2xf32> {
  %a = tenon.constant dense<> : tensor<1x0xf32>
  %b = tenon.constant dense<> : tensor<0x2xf32>
  %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<1x0xf32>, tensor<0x2xf32>) -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}

// CHECK-LABEL: @outer_product
// CHECK-NEXT: tensor<2x2xf32> {{\[}}[3, 4], [6, 8]]
func.func @outer_product() -> tensor<2x2xf32> {
  %a = tenon.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = tenon.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %0 = tenon.dot_general %a, %b batch [] x [] contract [] x [] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// The kernel is not flipped.
// CHECK-LABEL: @convolution
// CHECK-NEXT: tensor<1x3x1xf32> {{\[\[}}[12], [23], [34]]]
func.func @convolution() -> tensor<1x3x1xf32> {
  %x = tenon.constant dense<[[[1.0], [2.0], [3.0], [4.0]]]> : tensor<1x4x1xf32>
  %w = tenon.constant dense<[[[10.0]], [[1.0]]]> : tensor<2x1x1xf32>
  %0 = tenon.convolution %x, %w strides [1] padding [0, 0] lhs_dilation [1] rhs_dilation [1] groups 1
     : (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x3x1xf32>
  return %0 : tensor<1x3x1xf32>
}

// Windows start at -1 and 1; the second tap is two elements further.
// CHECK-LABEL: @strided_padded_dilated
// CHECK-NEXT: tensor<1x2x1xf32> {{\[\[}}[2], [24]]]
func.func @strided_padded_dilated() -> tensor<1x2x1xf32> {
  %x = tenon.constant dense<[[[1.0], [2.0], [3.0], [4.0]]]> : tensor<1x4x1xf32>
  %w = tenon.constant dense<[[[10.0]], [[1.0]]]> : tensor<2x1x1xf32>
  %0 = tenon.convolution %x, %w strides [2] padding [1, 0] lhs_dilation [1] rhs_dilation [2] groups 1
     : (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x2x1xf32>
  return %0 : tensor<1x2x1xf32>
}

// Zeros are inserted between the elements: 1 0 2, with a padding of one on both
// sides.
// CHECK-LABEL: @transposed
// CHECK-NEXT: tensor<1x4x1xf32> {{\[\[}}[1], [10], [2], [20]]]
func.func @transposed() -> tensor<1x4x1xf32> {
  %x = tenon.constant dense<[[[1.0], [2.0]]]> : tensor<1x2x1xf32>
  %w = tenon.constant dense<[[[10.0]], [[1.0]]]> : tensor<2x1x1xf32>
  %0 = tenon.convolution %x, %w strides [1] padding [1, 1] lhs_dilation [2] rhs_dilation [1] groups 1
     : (tensor<1x2x1xf32>, tensor<2x1x1xf32>) -> tensor<1x4x1xf32>
  return %0 : tensor<1x4x1xf32>
}

// Negative padding removes the first and the last element.
// CHECK-LABEL: @cut
// CHECK-NEXT: tensor<1x2x1xf32> {{\[\[}}[2], [3]]]
func.func @cut() -> tensor<1x2x1xf32> {
  %x = tenon.constant dense<[[[1.0], [2.0], [3.0], [4.0]]]> : tensor<1x4x1xf32>
  %w = tenon.constant dense<1.0> : tensor<1x1x1xf32>
  %0 = tenon.convolution %x, %w strides [1] padding [-1, -1] lhs_dilation [1] rhs_dilation [1] groups 1
     : (tensor<1x4x1xf32>, tensor<1x1x1xf32>) -> tensor<1x2x1xf32>
  return %0 : tensor<1x2x1xf32>
}

// Two groups with one input feature and two output features each.
// CHECK-LABEL: @grouped
// CHECK-NEXT: tensor<1x1x4xf32> {{\[\[}}[2, 20, 300, 3000]]]
func.func @grouped() -> tensor<1x1x4xf32> {
  %x = tenon.constant dense<[[[2.0, 3.0]]]> : tensor<1x1x2xf32>
  %w = tenon.constant dense<[[[1.0, 10.0, 100.0, 1000.0]]]> : tensor<1x1x4xf32>
  %0 = tenon.convolution %x, %w strides [1] padding [0, 0] lhs_dilation [1] rhs_dilation [1] groups 2
     : (tensor<1x1x2xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
  return %0 : tensor<1x1x4xf32>
}

// Rows are multiplied by ten, columns by one, and features are summed.
// CHECK-LABEL: @image
// CHECK-NEXT: tensor<1x1x1x1xf32> {{\[\[\[}}[1234]]]]
func.func @image() -> tensor<1x1x1x1xf32> {
  %x = tenon.constant dense<[[[[1.0], [2.0]], [[3.0], [4.0]]]]> : tensor<1x2x2x1xf32>
  %w = tenon.constant dense<[[[[1000.0]], [[100.0]]], [[[10.0]], [[1.0]]]]> : tensor<2x2x1x1xf32>
  %0 = tenon.convolution %x, %w strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1
     : (tensor<1x2x2x1xf32>, tensor<2x2x1x1xf32>) -> tensor<1x1x1x1xf32>
  return %0 : tensor<1x1x1x1xf32>
}

// 1.01 rounds to 1.0078125 in bf16; denormals become zeros.
// CHECK-LABEL: @pairs
// CHECK-NEXT: tensor<f32> 2.01562
// CHECK-NEXT: tensor<f32> 2.02
// CHECK-NEXT: tensor<f32> 0
func.func @pairs() -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %a = tenon.constant dense<1.01> : tensor<2xf32>
  %b = tenon.constant dense<1.0> : tensor<2xf32>
  %d = tenon.constant dense<1.0e-40> : tensor<2xf32>
  %h = tenon.constant dense<1.0e+38> : tensor<2xf32>
  %0 = tenon.dot_general %a, %b batch [] x [] contract [0] x [0] products pairs : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  %1 = tenon.dot_general %a, %b batch [] x [] contract [0] x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  %2 = tenon.dot_general %d, %h batch [] x [] contract [0] x [0] products pairs : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// Sums of quads are exact, even of the greatest bytes.
// CHECK-LABEL: @quads
// CHECK-NEXT: tensor<2x1xi32> {{\[}}[-129795], [765]]
// CHECK-NEXT: tensor<1x1x1xi32> {{\[\[}}[259080]]]
func.func @quads() -> (tensor<2x1xi32>, tensor<1x1x1xi32>) {
  %a = tenon.constant dense<[[255, 255, 255, 255, 255, 255], [0, 0, 0, 0, 255, 255]]> : tensor<2x6xui8>
  %b = tenon.constant dense<[[-128], [-128], [-128], [-128], [1], [2]]> : tensor<6x1xi8>
  %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] products quads : (tensor<2x6xui8>, tensor<6x1xi8>) -> tensor<2x1xi32>
  %x = tenon.constant dense<255> : tensor<1x2x4xui8>
  %w = tenon.constant dense<127> : tensor<2x4x1xi8>
  %1 = tenon.convolution %x, %w strides [1] padding [0, 0] lhs_dilation [1] rhs_dilation [1] groups 1 products quads : (tensor<1x2x4xui8>, tensor<2x4x1xi8>) -> tensor<1x1x1xi32>
  return %0, %1 : tensor<2x1xi32>, tensor<1x1x1xi32>
}
