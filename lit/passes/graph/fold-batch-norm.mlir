// Batch normalization with constant statistics is folded into kernel and bias.
// RUN: tenon-opt %s --tenon-fold-batch-norm --tenon-fold-weights --split-input-file | FileCheck %s

// CHECK: tenon.weight @w.folded : tensor<3x3x4x8xf32> {
// CHECK: tenon.sqrt
// CHECK: tenon.divide
// CHECK: tenon.multiply
// CHECK-LABEL: @with_bias
// CHECK-DAG: %[[W:.*]] = tenon.get_weight @w.folded : tensor<3x3x4x8xf32>
// CHECK-DAG: %[[SHIFT:.*]] = tenon.get_weight @b.folded : tensor<8xf32>
// CHECK: %[[C:.*]] = tenon.convolution %{{.*}}, %[[W]]
// CHECK: %[[B:.*]] = tenon.broadcast_in_dim %[[SHIFT]] dims [3]
// CHECK: %[[SUM:.*]] = tenon.add %[[C]], %[[B]]
// CHECK: return %[[SUM]]
tenon.weight @w : tensor<3x3x4x8xf32> from #tenon.source<"m.bin", 0, 1152>
tenon.weight @s : tensor<8xf32> from #tenon.source<"m.bin", 1152, 32>
tenon.weight @b : tensor<8xf32> from #tenon.source<"m.bin", 1184, 32>
func.func @with_bias(%x: tensor<1x8x8x4xf32>) -> tensor<1x6x6x8xf32> {
  %w = tenon.get_weight @w : tensor<3x3x4x8xf32>
  %s = tenon.get_weight @s : tensor<8xf32>
  %b = tenon.get_weight @b : tensor<8xf32>
  %c = tenon.convolution %x, %w strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  %d = tenon.broadcast_in_dim %b dims [3] sizes [1, 6, 6, 8] : (tensor<8xf32>) -> tensor<1x6x6x8xf32>
  %e = tenon.add %c, %d : (tensor<1x6x6x8xf32>, tensor<1x6x6x8xf32>) -> tensor<1x6x6x8xf32>
  %n = tenon.batch_norm %e, %s, %b, %b, %s dim 3 epsilon 1.0e-5 : (tensor<1x6x6x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x6x6x8xf32>
  return %n : tensor<1x6x6x8xf32>
}

// -----
// CHECK-LABEL: @convolution_used_twice
// CHECK: tenon.batch_norm
tenon.weight @w : tensor<3x3x4x8xf32> from #tenon.source<"m.bin", 0, 1152>
tenon.weight @s : tensor<8xf32> from #tenon.source<"m.bin", 1152, 32>
func.func @convolution_used_twice(%x: tensor<1x8x8x4xf32>) -> (tensor<1x6x6x8xf32>, tensor<1x6x6x8xf32>) {
  %w = tenon.get_weight @w : tensor<3x3x4x8xf32>
  %s = tenon.get_weight @s : tensor<8xf32>
  %c = tenon.convolution %x, %w strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  %n = tenon.batch_norm %c, %s, %s, %s, %s dim 3 epsilon 1.0e-5 : (tensor<1x6x6x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x6x6x8xf32>
  return %c, %n : tensor<1x6x6x8xf32>, tensor<1x6x6x8xf32>
}

// -----
// CHECK-LABEL: @statistics_of_the_run
// CHECK: tenon.batch_norm
tenon.weight @w : tensor<3x3x4x8xf32> from #tenon.source<"m.bin", 0, 1152>
func.func @statistics_of_the_run(%x: tensor<1x8x8x4xf32>, %s: tensor<8xf32>) -> tensor<1x6x6x8xf32> {
  %w = tenon.get_weight @w : tensor<3x3x4x8xf32>
  %c = tenon.convolution %x, %w strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  %n = tenon.batch_norm %c, %s, %s, %s, %s dim 3 epsilon 1.0e-5 : (tensor<1x6x6x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x6x6x8xf32>
  return %n : tensor<1x6x6x8xf32>
}
