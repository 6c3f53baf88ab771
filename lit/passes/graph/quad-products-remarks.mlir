// Remarks say which contractions form quads of bytes, and why others of bytes do not.
// RUN: tenon-opt %s --tenon-quad-products --remarks-filter=products 2>&1 >/dev/null | FileCheck %s --implicit-check-not=remark:

tenon.weight @w : tensor<100x40xi8> from #tenon.source<"m.bin", 0, 4000>
tenon.weight @real : tensor<100x40xf32> from #tenon.source<"m.bin", 0, 16000>
tenon.weight @narrow : tensor<100x8xi8> from #tenon.source<"m.bin", 0, 800>
tenon.weight @empty : tensor<100x0xi8> from #tenon.source<"m.bin", 0, 0>
tenon.weight @kernel : tensor<3x3x8x32xi8> from #tenon.source<"m.bin", 0, 2304>
tenon.weight @grouped : tensor<3x3x4x32xi8> from #tenon.source<"m.bin", 0, 1152>
// CHECK: remark: loc("weights"): [Passed] quads | Category:products | Function=main | Remark="products are formed in quads of bytes"
// CHECK: remark: loc("image"): [Passed] quads |
// CHECK: remark: loc("values"): [Missed] chain | Category:products | Function=main | Reason="its right operand is no weight", Remark="products of bytes are formed one by one"
// CHECK: remark: loc("strided"): [Missed] chain | {{.*}}Reason="the sum does not run along adjacent elements of its rows"
// CHECK: remark: loc("open"): [Missed] chain | {{.*}}Reason="its depth is dynamic"
// CHECK: remark: loc("empty"): [Missed] chain | {{.*}}Reason="its weight has no elements"
// CHECK: remark: loc("narrow"): [Missed] chain | {{.*}}Reason="most of a panel would be padding"
// CHECK: remark: loc("groups"): [Missed] chain | {{.*}}Reason="the convolution has groups"
func.func @main(%x: tensor<8x100xui8>, %y: tensor<100x40xi8>, %f: tensor<8x100xf32>, %t: tensor<100x8xui8>, %open: tensor<8x?xui8>, %image: tensor<1x6x6x8xui8>) {
  %w = tenon.get_weight @w : tensor<100x40xi8>
  %r = tenon.get_weight @real : tensor<100x40xf32>
  %n = tenon.get_weight @narrow : tensor<100x8xi8>
  %e = tenon.get_weight @empty : tensor<100x0xi8>
  %k = tenon.get_weight @kernel : tensor<3x3x8x32xi8>
  %g = tenon.get_weight @grouped : tensor<3x3x4x32xi8>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<8x100xui8>, tensor<100x40xi8>) -> tensor<8x40xi32> loc("weights")
  %1 = tenon.convolution %image, %k strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x6x6x8xui8>, tensor<3x3x8x32xi8>) -> tensor<1x4x4x32xi32> loc("image")
  %2 = tenon.dot_general %x, %y batch [] x [] contract [1] x [0] : (tensor<8x100xui8>, tensor<100x40xi8>) -> tensor<8x40xi32> loc("values")
  %3 = tenon.dot_general %t, %w batch [] x [] contract [0] x [0] : (tensor<100x8xui8>, tensor<100x40xi8>) -> tensor<8x40xi32> loc("strided")
  %4 = tenon.dot_general %open, %w batch [] x [] contract [1] x [0] : (tensor<8x?xui8>, tensor<100x40xi8>) -> tensor<8x40xi32> loc("open")
  %5 = tenon.dot_general %x, %e batch [] x [] contract [1] x [0] : (tensor<8x100xui8>, tensor<100x0xi8>) -> tensor<8x0xi32> loc("empty")
  %6 = tenon.dot_general %x, %n batch [] x [] contract [1] x [0] : (tensor<8x100xui8>, tensor<100x8xi8>) -> tensor<8x8xi32> loc("narrow")
  %7 = tenon.convolution %image, %g strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 2 : (tensor<1x6x6x8xui8>, tensor<3x3x4x32xi8>) -> tensor<1x4x4x32xi32> loc("groups")
  %8 = tenon.dot_general %f, %r batch [] x [] contract [1] x [0] : (tensor<8x100xf32>, tensor<100x40xf32>) -> tensor<8x40xf32> loc("floats")
  return
}
