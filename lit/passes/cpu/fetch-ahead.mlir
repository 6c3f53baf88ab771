// Weights of a convolution are read once for each block of its rows. Where all
// of them cannot stay in the second cache, tiles fetch the columns that come
// next, through the taps of a window too. A 1x1 convolution is a product.
// RUN: tenon-opt %s --tenon-to-placed --tenon-lower-fusions=vector-bytes=64 \
// RUN:   --canonicalize --cse --split-input-file | FileCheck %s

// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK: %[[SUMS:.*]]:24 = scf.for
// CHECK: memref.prefetch
// CHECK-NOT: scf.for
// CHECK: vector.load
func.func @one_by_one(%x: tensor<1x7x7x512xf32>, %p: tensor<128x1x1x512x16xf32>) -> tensor<1x7x7x2048xf32> {
  %w = tenon.unpack %p dim 3 extent 2048 : (tensor<128x1x1x512x16xf32>) -> tensor<1x1x512x2048xf32>
  %0 = tenon.convolution %x, %w strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x7x7x512xf32>, tensor<1x1x512x2048xf32>) -> tensor<1x7x7x2048xf32>
  return %0 : tensor<1x7x7x2048xf32>
}

// -----

// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK: memref.prefetch
func.func @window(%x: tensor<1x14x14x256xf32>, %p: tensor<16x3x3x256x16xf32>) -> tensor<1x14x14x256xf32> {
  %w = tenon.unpack %p dim 3 extent 256 : (tensor<16x3x3x256x16xf32>) -> tensor<3x3x256x256xf32>
  %0 = tenon.convolution %x, %w strides [1, 1] padding [1, 1, 1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x14x14x256xf32>, tensor<3x3x256x256xf32>) -> tensor<1x14x14x256xf32>
  return %0 : tensor<1x14x14x256xf32>
}

// -----

// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @stays(%x: tensor<1x56x56x64xf32>, %p: tensor<4x3x3x64x16xf32>) -> tensor<1x56x56x64xf32> {
  %w = tenon.unpack %p dim 3 extent 64 : (tensor<4x3x3x64x16xf32>) -> tensor<3x3x64x64xf32>
  %0 = tenon.convolution %x, %w strides [1, 1] padding [1, 1, 1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32>
  return %0 : tensor<1x56x56x64xf32>
}
