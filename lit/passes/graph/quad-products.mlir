// Weights of bytes that are multiplied by ui8 become words of four; other products stay chains.
// RUN: tenon-opt %s --tenon-quad-products --split-input-file | FileCheck %s

tenon.weight @w : tensor<100x40xi8> from #tenon.source<"m.bin", 0, 4000>
tenon.weight @turned : tensor<40x100xi8> from #tenon.source<"m.bin", 0, 4000>

// The panels run along the columns, in either order of dimensions.
// CHECK-LABEL: @products
// CHECK-SAME: (%[[X:[^:]*]]: tensor<?x5x100xui8>)
// CHECK: %[[W:.*]] = tenon.get_weight @w
// CHECK-NEXT: %[[P:.*]] = tenon.pack %[[W]] dim 1 width 16 : (tensor<100x40xi8>) -> tensor<3x100x16xi8>
// CHECK-NEXT: %[[WORDS:.*]] = tenon.quad %[[P]] : (tensor<3x100x16xi8>) -> tensor<3x25x16xi32>
// CHECK-NEXT: %[[BYTES:.*]] = tenon.unquad %[[WORDS]] : (tensor<3x25x16xi32>) -> tensor<3x100x16xi8>
// CHECK-NEXT: %[[U:.*]] = tenon.unpack %[[BYTES]] dim 1 extent 40 : (tensor<3x100x16xi8>) -> tensor<100x40xi8>
// CHECK-NEXT: tenon.dot_general %[[X]], %[[U]] batch [] x [] contract [2] x [0] products quads
// CHECK: tenon.pack %{{.*}} dim 0 width 16 : (tensor<40x100xi8>) -> tensor<3x100x16xi8>
// CHECK: tenon.unpack %{{.*}} dim 0 extent 40 : (tensor<3x100x16xi8>) -> tensor<40x100xi8>
// CHECK: contract [2] x [1] products quads
func.func @products(%x: tensor<?x5x100xui8>) -> (tensor<?x5x40xi32>, tensor<?x5x40xi32>) {
  %w = tenon.get_weight @w : tensor<100x40xi8>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [2] x [0] : (tensor<?x5x100xui8>, tensor<100x40xi8>) -> tensor<?x5x40xi32>
  %t = tenon.get_weight @turned : tensor<40x100xi8>
  %1 = tenon.dot_general %x, %t batch [] x [] contract [2] x [1] : (tensor<?x5x100xui8>, tensor<40x100xi8>) -> tensor<?x5x40xi32>
  return %0, %1 : tensor<?x5x40xi32>, tensor<?x5x40xi32>
}

// -----

tenon.weight @w : tensor<7x7x3x64xi8> from #tenon.source<"m.bin", 0, 9408>

// Three channels are padded by a zero to a whole word.
// CHECK-LABEL: @image
// CHECK-SAME: (%[[X:[^:]*]]: tensor<1x224x224x3xui8>)
// CHECK: tenon.pack %{{.*}} dim 3 width 16 : (tensor<7x7x3x64xi8>) -> tensor<4x7x7x3x16xi8>
// CHECK: tenon.quad %{{.*}} : (tensor<4x7x7x3x16xi8>) -> tensor<4x7x7x1x16xi32>
// CHECK: %[[ZERO:.*]] = tenon.constant dense<0> : tensor<ui8>
// CHECK: %[[WHOLE:.*]] = tenon.pad %[[X]], %[[ZERO]] low [0, 0, 0, 0] high [0, 0, 0, 1] interior [0, 0, 0, 0]
// CHECK: %[[U:.*]] = tenon.unpack %{{.*}} dim 3 extent 64 : (tensor<4x7x7x4x16xi8>) -> tensor<7x7x4x64xi8>
// CHECK: tenon.convolution %[[WHOLE]], %[[U]] strides [2, 2] {{.*}} products quads : (tensor<1x224x224x4xui8>, tensor<7x7x4x64xi8>) -> tensor<1x112x112x64xi32>
func.func @image(%x: tensor<1x224x224x3xui8>) -> tensor<1x112x112x64xi32> {
  %w = tenon.get_weight @w : tensor<7x7x3x64xi8>
  %0 = tenon.convolution %x, %w strides [2, 2] padding [3, 3, 3, 3] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x224x224x3xui8>, tensor<7x7x3x64xi8>) -> tensor<1x112x112x64xi32>
  return %0 : tensor<1x112x112x64xi32>
}

// -----

tenon.weight @w : tensor<100x40xi8> from #tenon.source<"m.bin", 0, 4000>
tenon.weight @real : tensor<100x40xf32> from #tenon.source<"m.bin", 0, 16000>
tenon.weight @narrow : tensor<100x8xi8> from #tenon.source<"m.bin", 0, 800>
tenon.weight @grouped : tensor<3x3x4x32xi8> from #tenon.source<"m.bin", 0, 1152>

// Not quads: no weight, floats, signed rows, strided rows, a dynamic depth, few columns, and groups.
// CHECK-LABEL: @chains
// CHECK-NOT: {{products quads|tenon.quad|tenon.pack}}
func.func @chains(%x: tensor<8x100xui8>, %y: tensor<100x40xi8>, %f: tensor<8x100xf32>, %s: tensor<8x100xi8>, %t: tensor<100x8xui8>, %open: tensor<8x?xui8>, %image: tensor<1x6x6x8xui8>)
    -> (tensor<8x40xi32>, tensor<8x40xf32>, tensor<8x40xi32>, tensor<8x40xi32>, tensor<8x40xi32>, tensor<8x8xi32>, tensor<1x4x4x32xi32>) {
  %w = tenon.get_weight @w : tensor<100x40xi8>
  %r = tenon.get_weight @real : tensor<100x40xf32>
  %n = tenon.get_weight @narrow : tensor<100x8xi8>
  %g = tenon.get_weight @grouped : tensor<3x3x4x32xi8>
  %0 = tenon.dot_general %x, %y batch [] x [] contract [1] x [0] : (tensor<8x100xui8>, tensor<100x40xi8>) -> tensor<8x40xi32>
  %1 = tenon.dot_general %f, %r batch [] x [] contract [1] x [0] : (tensor<8x100xf32>, tensor<100x40xf32>) -> tensor<8x40xf32>
  %2 = tenon.dot_general %s, %w batch [] x [] contract [1] x [0] : (tensor<8x100xi8>, tensor<100x40xi8>) -> tensor<8x40xi32>
  %3 = tenon.dot_general %t, %w batch [] x [] contract [0] x [0] : (tensor<100x8xui8>, tensor<100x40xi8>) -> tensor<8x40xi32>
  %4 = tenon.dot_general %open, %w batch [] x [] contract [1] x [0] : (tensor<8x?xui8>, tensor<100x40xi8>) -> tensor<8x40xi32>
  %5 = tenon.dot_general %x, %n batch [] x [] contract [1] x [0] : (tensor<8x100xui8>, tensor<100x8xi8>) -> tensor<8x8xi32>
  %6 = tenon.convolution %image, %g strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 2 : (tensor<1x6x6x8xui8>, tensor<3x3x4x32xi8>) -> tensor<1x4x4x32xi32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<8x40xi32>, tensor<8x40xf32>, tensor<8x40xi32>, tensor<8x40xi32>, tensor<8x40xi32>, tensor<8x8xi32>, tensor<1x4x4x32xi32>
}
