// The innermost loop of a product keeps its accumulators in registers: four
// steps of eight rows and three vectors each, without spills and shuffles.
// RUN: tenon-opt %s --tenon-to-llvm \
// RUN: | mlir-translate --mlir-to-llvmir | opt -O2 -mcpu=x86-64-v4 \
// RUN: | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4 | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: contraction.dot_general.0:
// CHECK: Inner Loop Header: Depth=4
// CHECK-NOT: {{\(%rsp\)|vperm|vinsert|vextract|j[a-z]+ }}
// CHECK-COUNT-96: vfmadd{{[0-9]+}}ps {{.*}}%zmm
// CHECK-NOT: {{\(%rsp\)|vfmadd}}
// CHECK: jb
func.func @main(%x: tensor<64x96xf32>, %w: tensor<96x96xf32>) -> tensor<64x96xf32> {
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<64x96xf32>, tensor<96x96xf32>) -> tensor<64x96xf32>
  return %0 : tensor<64x96xf32>
}
}
