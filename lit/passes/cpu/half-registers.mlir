// If columns fill one and a half vectors, two rows share a register for
// their half vectors: eight rows need twelve products per step, not sixteen.
// RUN: tenon-opt %s --tenon-to-llvm \
// RUN: | mlir-translate --mlir-to-llvmir | opt -O2 -mcpu=x86-64-v4 \
// RUN: | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4 | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: contraction{{.*}}:
// CHECK: Inner Loop Header
// CHECK-NOT: {{\(%rsp\)|j[a-z]+ }}
// CHECK-COUNT-48: vfmadd{{[0-9]+}}ps {{.*}}%zmm
// CHECK-NOT: {{\(%rsp\)|vfmadd}}
// CHECK: jb
func.func @main(%x: tensor<1x56x56x64xf32>, %p: tensor<2x1x1x64x16xf32>) -> tensor<1x56x56x24xf32> {
  %w = tenon.unpack %p dim 3 extent 24 : (tensor<2x1x1x64x16xf32>) -> tensor<1x1x64x24xf32>
  %0 = tenon.convolution %x, %w strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x56x56x64xf32>, tensor<1x1x64x24xf32>) -> tensor<1x56x56x24xf32>
  return %0 : tensor<1x56x56x24xf32>
}
}
