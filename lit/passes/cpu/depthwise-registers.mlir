// The innermost loop of a depthwise convolution, over the rows of its
// window, keeps the accumulators of seven columns in registers. Each
// of nine input columns is loaded once, without spills and shuffles.
// RUN: tenon-opt %s --tenon-to-llvm \
// RUN: | mlir-translate --mlir-to-llvmir | opt -O2 -mcpu=x86-64-v4 \
// RUN: | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4 | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// Only tiles without a border load nine columns.
// CHECK-LABEL: contraction.convolution.0:
// CHECK: Inner Loop Header
// CHECK-COUNT-20: vfmadd
// CHECK-NOT: vfmadd
// CHECK: j{{[a-z]+}}
// CHECK: Inner Loop Header
// CHECK-NOT: {{\(%rsp\)|vperm|vinsert|vextract|j[a-z]+ }}
// CHECK-COUNT-21: vfmadd{{[0-9]+}}ps {{.*}}%zmm
// CHECK-NOT: {{\(%rsp\)|vfmadd}}
// CHECK: j{{[a-z]+}}
// CHECK: Inner Loop Header
// CHECK-COUNT-20: vfmadd
func.func @main(%x: tensor<1x28x28x64xf32>, %w: tensor<3x3x1x64xf32>) -> tensor<1x28x28x64xf32> {
  %0 = tenon.convolution %x, %w strides [1, 1] padding [1, 1, 1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 64 : (tensor<1x28x28x64xf32>, tensor<3x3x1x64xf32>) -> tensor<1x28x28x64xf32>
  return %0 : tensor<1x28x28x64xf32>
}
}
