// Batch normalization after a convolution becomes
// part of its kernel, unless an option disables this.
// REQUIRES: tenon
// RUN: tenon compile -q %s --stop-after=fused | FileCheck %s --check-prefix=FOLDED
// RUN: tenon compile -q %s --stop-after=fused --no-fold-batch-norm | FileCheck %s --check-prefix=KEPT

// The kernel's weight is scaled, and only a sum remains.
// FOLDED: tenon.weight @w.folded
// FOLDED: tenon.multiply
// FOLDED: tenon.pack
// FOLDED-LABEL: func.func @main
// FOLDED: tenon.convolution
// FOLDED-NOT: tenon.multiply
// FOLDED: tenon.add
// FOLDED-NOT: tenon.multiply

// The kernel's weight is only packed; mean, factor and shift are applied
// afterwards.
// KEPT: tenon.weight @w.folded
// KEPT-NOT: tenon.multiply
// KEPT: tenon.pack
// KEPT-LABEL: func.func @main
// KEPT: tenon.convolution
// KEPT: tenon.subtract
// KEPT: tenon.multiply
// KEPT: tenon.add
tenon.weight @w : tensor<3x3x4x8xf32> from #tenon.source<"m.bin", 0, 1152>
tenon.weight @s : tensor<8xf32> from #tenon.source<"m.bin", 1152, 32>
func.func @main(%x: tensor<1x8x8x4xf32>) -> tensor<1x6x6x8xf32> {
  %w = tenon.get_weight @w : tensor<3x3x4x8xf32>
  %s = tenon.get_weight @s : tensor<8xf32>
  %c = tenon.convolution %x, %w strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  %n = tenon.batch_norm %c, %s, %s, %s, %s dim 3 epsilon 1.0e-5 : (tensor<1x6x6x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x6x6x8xf32>
  return %n : tensor<1x6x6x8xf32>
}
