// Sixteen neighbouring positions of a convolution with a border share one
// base register: their distances are constant in each of three planes.
// RUN: tenon-opt %s --tenon-to-llvm \
// RUN: | mlir-translate --mlir-to-llvmir | opt -O2 -mcpu=x86-64-v4 \
// RUN: | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4 | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: contraction.transpose.convolution.0:
// CHECK: vfmadd231ps {{[-0-9]*}}(%[[BASE:[a-z0-9]+]],%[[K:[a-z0-9]+]],4){1to16}, %zmm
// CHECK-NOT: {{\(%rsp\)|j[a-z]+ }}
// CHECK-COUNT-47: vfmadd231ps {{[-0-9]*}}(%[[BASE]],%[[K]],4){1to16}, %zmm
// CHECK-NOT: {{\(%rsp\)|vfmadd}}
// CHECK: j{{[a-z]+}}
func.func @main(%planes: tensor<1x3x64x64xf32>, %w: tensor<3x3x3x16xf32>) -> tensor<1x32x32x16xf32> {
  %x = tenon.transpose %planes [0, 2, 3, 1] : (tensor<1x3x64x64xf32>) -> tensor<1x64x64x3xf32>
  %0 = tenon.convolution %x, %w strides [2, 2] padding [1, 1, 1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x64x64x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x32x32x16xf32>
  return %0 : tensor<1x32x32x16xf32>
}
}
