// A tile is a line of an image, so the taps along it ask for no position: the
// first tap has 13 of 14 rows, the second 14, the third 13, of 16 products
// each.
// RUN: tenon-opt %s --tenon-to-llvm \
// RUN: | mlir-translate --mlir-to-llvmir | opt -O2 -mcpu=x86-64-v4 \
// RUN: | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4 \
// RUN: | grep -o 'vfmadd231ps\|^[[:space:]]j[a-z]*' | uniq -c | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK: 640 vfmadd231ps
func.func @main(%x: tensor<1x14x14x16xf32>, %w: tensor<3x3x16x16xf32>) -> tensor<1x14x14x16xf32> {
  %0 = tenon.convolution %x, %w strides [1, 1] padding [1, 1, 1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x14x14x16xf32>, tensor<3x3x16x16xf32>) -> tensor<1x14x14x16xf32>
  return %0 : tensor<1x14x14x16xf32>
}
}
