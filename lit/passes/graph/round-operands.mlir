// Rows and weights of pairs are rounded to bf16; weights become words.
// RUN: tenon-opt %s --tenon-round-operands --cse --split-input-file | FileCheck %s

tenon.weight @w : tensor<3x200x16xf32> from #tenon.source<"m.bin", 0, 38400>

// Both products share one rounding, before the reshape.
// CHECK-LABEL: @rows
// CHECK-SAME: (%[[X:.*]]: tensor<2x4x200xf32>)
// CHECK: %[[P:.*]] = tenon.get_weight @w
// CHECK: %[[R:.*]] = tenon.convert %[[X]] to bf16
// CHECK: %[[FLAT:.*]] = tenon.reshape %[[R]] sizes [8, 200] : (tensor<2x4x200xbf16>) -> tensor<8x200xbf16>
// CHECK: %[[N:.*]] = tenon.convert %[[P]] to bf16
// CHECK: %[[WORDS:.*]] = tenon.pair %[[N]] : (tensor<3x200x16xbf16>) -> tensor<3x100x16xi32>
// CHECK: %[[U:.*]] = tenon.unpair %[[WORDS]]
// CHECK: %[[W:.*]] = tenon.unpack %[[U]] dim 1 extent 40 : (tensor<3x200x16xbf16>) -> tensor<200x40xbf16>
// CHECK: tenon.dot_general %[[FLAT]], %[[W]] batch [] x [] contract [1] x [0] products pairs : (tensor<8x200xbf16>, tensor<200x40xbf16>) -> tensor<8x40xf32>
// CHECK-NOT: tenon.convert
// CHECK: tenon.add
func.func @rows(%x: tensor<2x4x200xf32>) -> tensor<8x40xf32> {
  %f = tenon.reshape %x sizes [8, 200] : (tensor<2x4x200xf32>) -> tensor<8x200xf32>
  %p = tenon.get_weight @w : tensor<3x200x16xf32>
  %w = tenon.unpack %p dim 1 extent 40 : (tensor<3x200x16xf32>) -> tensor<200x40xf32>
  %0 = tenon.dot_general %f, %w batch [] x [] contract [1] x [0] products pairs : (tensor<8x200xf32>, tensor<200x40xf32>) -> tensor<8x40xf32>
  %1 = tenon.dot_general %f, %w batch [] x [] contract [1] x [0] products pairs : (tensor<8x200xf32>, tensor<200x40xf32>) -> tensor<8x40xf32>
  %2 = tenon.add %0, %1 : (tensor<8x40xf32>, tensor<8x40xf32>) -> tensor<8x40xf32>
  return %2 : tensor<8x40xf32>
}

// -----

tenon.weight @w : tensor<4x7x7x3x16xbf16> from #tenon.source<"m.bin", 0, 18816>

// An odd depth is padded by a zero; a weight of bf16 is not rounded again.
// CHECK-LABEL: @image
// CHECK: %[[Q:.*]] = tenon.get_weight @w
// CHECK: %[[R:.*]] = tenon.convert %{{.*}} to bf16 : (tensor<1x224x224x3xf32>)
// CHECK: %[[ZERO:.*]] = tenon.constant dense<0.0{{.*}}> : tensor<bf16>
// CHECK: %[[EVEN:.*]] = tenon.pad %[[R]], %[[ZERO]] low [0, 0, 0, 0] high [0, 0, 0, 1]
// CHECK: %[[WORDS:.*]] = tenon.pair %[[Q]] : (tensor<4x7x7x3x16xbf16>) -> tensor<4x7x7x2x16xi32>
// CHECK: tenon.convolution %[[EVEN]], %{{.*}} products pairs : (tensor<1x224x224x4xbf16>, tensor<7x7x4x64xbf16>) -> tensor<1x112x112x64xf32>
func.func @image(%x: tensor<1x224x224x3xf32>) -> tensor<1x112x112x64xf32> {
  %q = tenon.get_weight @w : tensor<4x7x7x3x16xbf16>
  %p = tenon.dequantize %q : (tensor<4x7x7x3x16xbf16>) -> tensor<4x7x7x3x16xf32>
  %w = tenon.unpack %p dim 3 extent 64 : (tensor<4x7x7x3x16xf32>) -> tensor<7x7x3x64xf32>
  %0 = tenon.convolution %x, %w strides [2, 2] padding [3, 3, 3, 3] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 products pairs : (tensor<1x224x224x3xf32>, tensor<7x7x3x64xf32>) -> tensor<1x112x112x64xf32>
  return %0 : tensor<1x112x112x64xf32>
}

// -----

// CHECK-LABEL: @chain
// CHECK-NEXT: tenon.dot_general
func.func @chain(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>) -> tensor<8x6xf32> {
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}
