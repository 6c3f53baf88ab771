// RUN: tenon-opt %s --tenon-to-fused | FileCheck %s

// Decisions that change rounding are made before variants exist: with a batch
// of one, the broadcast between the keys' scale and their product would vanish,
// and attention would get another scale than in the general code.
// CHECK-LABEL: func.func @scaled(
// CHECK: tenon.multiply
// CHECK: tenon.attention {{.*}} scale 1.000000e+00
// CHECK-LABEL: func.func @scaled.variant1(
// CHECK: tenon.multiply
// CHECK: tenon.attention {{.*}} scale 1.000000e+00
module attributes {tenon.specialize = [{batch = 1}]} {
  func.func @scaled(%q: tensor<?x8x4xf32> {tenon.dims = ["batch", 8, 4]}, %k: tensor<1x8x4xf32>) -> tensor<?x8x4xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %q, %c0 : tensor<?x8x4xf32>
    %half = tenon.constant dense<5.000000e-01> : tensor<f32>
    %h = tenon.broadcast_in_dim %half dims [] sizes [1, 8, 4] : (tensor<f32>) -> tensor<1x8x4xf32>
    %m = tenon.multiply %k, %h : (tensor<1x8x4xf32>, tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
    %b = tenon.broadcast_in_dim %m dims [0, 1, 2] sizes [%n, 8, 4] : (tensor<1x8x4xf32>, index) -> tensor<?x8x4xf32>
    %s = tenon.dot_general %q, %b batch [0] x [0] contract [2] x [2] : (tensor<?x8x4xf32>, tensor<?x8x4xf32>) -> tensor<?x8x8xf32>
    %w = tenon.softmax %s over 2 : tensor<?x8x8xf32>
    %0 = tenon.dot_general %w, %q batch [0] x [0] contract [2] x [1] : (tensor<?x8x8xf32>, tensor<?x8x4xf32>) -> tensor<?x8x4xf32>
    return %0 : tensor<?x8x4xf32>
  }

  // A broadcast to the variant's size also vanishes: batch normalization behind
  // it stays outside the kernel in both versions.
  // CHECK-LABEL: func.func @normalized(
  // CHECK: tenon.get_weight @k :
  // CHECK: tenon.convolution
  // CHECK-LABEL: func.func @normalized.variant1(
  // CHECK: tenon.get_weight @k :
  // CHECK: tenon.convolution
  tenon.weight @k : tensor<1x1x2x2xf32> from #tenon.source<"m.onnx", 0, 16>
  tenon.weight @v : tensor<2xf32> from #tenon.source<"m.onnx", 16, 8>
  func.func @normalized(%x: tensor<?x4x4x2xf32> {tenon.dims = ["batch", 4, 4, 2]}) -> tensor<1x4x4x2xf32> {
    %k = tenon.get_weight @k : tensor<1x1x2x2xf32>
    %v = tenon.get_weight @v : tensor<2xf32>
    %c = tenon.convolution %x, %k strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<?x4x4x2xf32>, tensor<1x1x2x2xf32>) -> tensor<?x4x4x2xf32>
    %b = tenon.broadcast_in_dim %c dims [0, 1, 2, 3] sizes [1, 4, 4, 2] : (tensor<?x4x4x2xf32>) -> tensor<1x4x4x2xf32>
    %n = tenon.batch_norm %b, %v, %v, %v, %v dim 3 epsilon 1.0e-5 : (tensor<1x4x4x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
    return %n : tensor<1x4x4x2xf32>
  }
}
