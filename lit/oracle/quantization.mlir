// Quantization of weights, and the values that stored weights represent.
// RUN: tenon-eval %s --all | FileCheck %s

// CHECK-LABEL: @dequantize
// CHECK-NEXT: tensor<2xf32> [1.5, -2]
// CHECK-NEXT: tensor<1x2x2xf32> {{\[}}{{\[}}[10, -4], [-20, 6]]]
// CHECK-NEXT: tensor<1x9x1xf32> {{\[}}{{\[}}[0.5], [1], [1.5], [-4], [-0.5], [0], [3.5], [-3.5], [4]]]
func.func @dequantize() -> (tensor<2xf32>, tensor<1x2x2xf32>, tensor<1x9x1xf32>) {
  %h = tenon.constant dense<[1.5, -2.0]> : tensor<2xbf16>
  %0 = tenon.dequantize %h : (tensor<2xbf16>) -> tensor<2xf32>
  %b = tenon.constant dense<[[[1, -2], [-2, 3]]]> : tensor<1x2x2xi8>
  %s = tenon.constant dense<[[[10.0, 2.0]]]> : tensor<1x1x2xf32>
  %1 = tenon.dequantize %b scales %s group 8 : (tensor<1x2x2xi8>, tensor<1x1x2xf32>) -> tensor<1x2x2xf32>
  // 1, 2, 3, -8, -1, 0, 7, -7 and, in the next word, 2.
  %w = tenon.constant dense<[[[-1760591071], [2]]]> : tensor<1x2x1xi32>
  %t = tenon.constant dense<[[[0.5], [2.0]]]> : tensor<1x2x1xbf16>
  %2 = tenon.dequantize %w scales %t group 8 : (tensor<1x2x1xi32>, tensor<1x2x1xbf16>) -> tensor<1x9x1xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<1x2x2xf32>, tensor<1x9x1xf32>
}

// CHECK-LABEL: @quantize
// CHECK-NEXT: tensor<1x1x1xf32> {{\[}}{{\[}}[0.5]]]
// CHECK-NEXT: tensor<1x2x1xi8> {{\[}}{{\[}}[-127], [2]]]
// CHECK-NEXT: tensor<5xf32> [0.333252, 65504, inf, 5.96046e-08, 0]
func.func @quantize() -> (tensor<1x1x1xf32>, tensor<1x2x1xi8>, tensor<5xf32>) {
  %x = tenon.constant dense<[[[-63.5], [0.9]]]> : tensor<1x2x1xf32>
  %s = tenon.group_scales %x group 8 bits 8 : (tensor<1x2x1xf32>) -> tensor<1x1x1xf32>
  %q = tenon.quantize %x scales %s group 8 : (tensor<1x2x1xf32>, tensor<1x1x1xf32>) -> tensor<1x2x1xi8>
  // Denormal numbers of f16, and the numbers that round to none and to infinity.
  %y = tenon.constant dense<[0.333333333, 65519.0, 65520.0, 5.0e-8, 2.0e-8]> : tensor<5xf32>
  %h = tenon.quantize %y : (tensor<5xf32>) -> tensor<5xf16>
  %f = tenon.dequantize %h : (tensor<5xf16>) -> tensor<5xf32>
  return %s, %q, %f : tensor<1x1x1xf32>, tensor<1x2x1xi8>, tensor<5xf32>
}
