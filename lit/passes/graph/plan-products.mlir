// Contractions with weights in panels use pairs; others stay chains.
// RUN: tenon-opt %s --tenon-plan-products=form=pairs --split-input-file | FileCheck %s
// RUN: tenon-opt %s --tenon-plan-products --split-input-file | FileCheck %s --check-prefix=CHAINS
// RUN: not tenon-opt %s --split-input-file --tenon-plan-products=form=quads 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: for the --form option: Cannot find option named
// CHAINS-NOT: products pairs

tenon.weight @w : tensor<3x200x16xf32> from #tenon.source<"m.bin", 0, 38400>
tenon.weight @narrow : tensor<3x200x16xbf16> from #tenon.source<"m.bin", 0, 19200>

// CHECK-LABEL: @products
// CHECK-COUNT-2: products pairs
func.func @products(%x: tensor<?x5x200xf32>) -> (tensor<?x5x40xf32>, tensor<?x5x40xf32>) {
  %p = tenon.get_weight @w : tensor<3x200x16xf32>
  %w = tenon.unpack %p dim 1 extent 40 : (tensor<3x200x16xf32>) -> tensor<200x40xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [2] x [0] : (tensor<?x5x200xf32>, tensor<200x40xf32>) -> tensor<?x5x40xf32>
  %q = tenon.get_weight @narrow : tensor<3x200x16xbf16>
  %d = tenon.dequantize %q : (tensor<3x200x16xbf16>) -> tensor<3x200x16xf32>
  %t = tenon.unpack %d dim 0 extent 40 : (tensor<3x200x16xf32>) -> tensor<40x200xf32>
  %1 = tenon.dot_general %x, %t batch [] x [] contract [2] x [1] : (tensor<?x5x200xf32>, tensor<40x200xf32>) -> tensor<?x5x40xf32>
  return %0, %1 : tensor<?x5x40xf32>, tensor<?x5x40xf32>
}

// -----

tenon.weight @w : tensor<2x3x3x20x16xf32> from #tenon.source<"m.bin", 0, 23040>

// CHECK-LABEL: @convolution
// CHECK: products pairs
func.func @convolution(%x: tensor<1x8x8x20xf32>) -> tensor<1x6x6x32xf32> {
  %p = tenon.get_weight @w : tensor<2x3x3x20x16xf32>
  %w = tenon.unpack %p dim 3 extent 32 : (tensor<2x3x3x20x16xf32>) -> tensor<3x3x20x32xf32>
  %0 = tenon.convolution %x, %w strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x8x8x20xf32>, tensor<3x3x20x32xf32>) -> tensor<1x6x6x32xf32>
  return %0 : tensor<1x6x6x32xf32>
}

// -----

tenon.weight @w : tensor<3x200x16xf32> from #tenon.source<"m.bin", 0, 38400>
tenon.weight @small : tensor<1x8x16xf32> from #tenon.source<"m.bin", 0, 512>
tenon.weight @q : tensor<3x200x16xi8> from #tenon.source<"m.bin", 0, 9600>
tenon.weight @s : tensor<3x2x16xf32> from #tenon.source<"m.bin", 0, 384>

// Not pairs: strided rows, no weight, a small weight, and an integer weight.
// CHECK-LABEL: @chains
// CHECK-NOT: products pairs
func.func @chains(%x: tensor<200x8xf32>, %a: tensor<8x200xf32>, %b: tensor<200x40xf32>) -> (tensor<8x40xf32>, tensor<8x40xf32>, tensor<200x16xf32>, tensor<8x40xf32>) {
  %p = tenon.get_weight @w : tensor<3x200x16xf32>
  %w = tenon.unpack %p dim 1 extent 40 : (tensor<3x200x16xf32>) -> tensor<200x40xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [0] x [0] : (tensor<200x8xf32>, tensor<200x40xf32>) -> tensor<8x40xf32>
  %1 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<8x200xf32>, tensor<200x40xf32>) -> tensor<8x40xf32>
  %small = tenon.get_weight @small : tensor<1x8x16xf32>
  %u = tenon.unpack %small dim 1 extent 16 : (tensor<1x8x16xf32>) -> tensor<8x16xf32>
  %2 = tenon.dot_general %x, %u batch [] x [] contract [1] x [0] : (tensor<200x8xf32>, tensor<8x16xf32>) -> tensor<200x16xf32>
  %q = tenon.get_weight @q : tensor<3x200x16xi8>
  %s = tenon.get_weight @s : tensor<3x2x16xf32>
  %d = tenon.dequantize %q scales %s group 128 : (tensor<3x200x16xi8>, tensor<3x2x16xf32>) -> tensor<3x200x16xf32>
  %v = tenon.unpack %d dim 1 extent 40 : (tensor<3x200x16xf32>) -> tensor<200x40xf32>
  %3 = tenon.dot_general %a, %v batch [] x [] contract [1] x [0] : (tensor<8x200xf32>, tensor<200x40xf32>) -> tensor<8x40xf32>
  return %0, %1, %2, %3 : tensor<8x40xf32>, tensor<8x40xf32>, tensor<200x16xf32>, tensor<8x40xf32>
}
