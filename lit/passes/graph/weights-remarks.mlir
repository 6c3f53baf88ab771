// Remarks say what is computed when the artifact is written, and why batch normalization is not.
// RUN: tenon-opt %s --tenon-fold-batch-norm --tenon-fold-weights --remarks-filter=weights --split-input-file 2>&1 >/dev/null | FileCheck %s --implicit-check-not=remark:

// CHECK: remark: loc("bn"): [Passed] folded-batch-norm | Category:weights | Function=folded | Remark="batch normalization is part of the kernel of node "conv""
// CHECK: remark: loc("bn"): [Passed] folded | {{.*}}Remark="'tenon.{{.*}}' is computed when the artifact is written, into weight '{{.*}}'"
// CHECK: remark: loc("bn"): [Passed] folded |
tenon.weight @w : tensor<3x3x4x8xf32> from #tenon.source<"m.bin", 0, 1152>
tenon.weight @s : tensor<8xf32> from #tenon.source<"m.bin", 1152, 32>
func.func @folded(%x: tensor<1x8x8x4xf32>) -> tensor<1x6x6x8xf32> {
  %w = tenon.get_weight @w : tensor<3x3x4x8xf32>
  %s = tenon.get_weight @s : tensor<8xf32>
  %c = tenon.convolution %x, %w strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32> loc("conv")
  %n = tenon.batch_norm %c, %s, %s, %s, %s dim 3 epsilon 1.0e-5 : (tensor<1x6x6x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x6x6x8xf32> loc("bn")
  return %n : tensor<1x6x6x8xf32>
}

// -----
// CHECK: remark: loc("twice"): [Missed] batch-norm | {{.*}}Reason="other ops read the convolution", Remark="batch normalization is computed in the run"
tenon.weight @w : tensor<3x3x4x8xf32> from #tenon.source<"m.bin", 0, 1152>
tenon.weight @s : tensor<8xf32> from #tenon.source<"m.bin", 1152, 32>
func.func @convolution_used_twice(%x: tensor<1x8x8x4xf32>) -> (tensor<1x6x6x8xf32>, tensor<1x6x6x8xf32>) {
  %w = tenon.get_weight @w : tensor<3x3x4x8xf32>
  %s = tenon.get_weight @s : tensor<8xf32>
  %c = tenon.convolution %x, %w strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  %n = tenon.batch_norm %c, %s, %s, %s, %s dim 3 epsilon 1.0e-5 : (tensor<1x6x6x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x6x6x8xf32> loc("twice")
  return %c, %n : tensor<1x6x6x8xf32>, tensor<1x6x6x8xf32>
}

// -----
// CHECK: remark: loc("given"): [Missed] batch-norm | {{.*}}Reason="its operand is no convolution"
func.func @no_convolution(%x: tensor<1x6x6x8xf32>, %s: tensor<8xf32>) -> tensor<1x6x6x8xf32> {
  %n = tenon.batch_norm %x, %s, %s, %s, %s dim 3 epsilon 1.0e-5 : (tensor<1x6x6x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x6x6x8xf32> loc("given")
  return %n : tensor<1x6x6x8xf32>
}
