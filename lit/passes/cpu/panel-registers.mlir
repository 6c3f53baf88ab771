// The innermost loops over panels keep their accumulators
// in registers, for known and unknown numbers of rows:
// four steps of a tile, without spills, shuffles or masks.
// RUN: tenon-opt %s --tenon-to-llvm \
// RUN: | mlir-translate --mlir-to-llvmir | opt -O2 -mcpu=x86-64-v4 \
// RUN: | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4 -o %t.s
// RUN: FileCheck %s < %t.s
// RUN: sed -n '/Inner Loop Header/,/\tj/p' %t.s | not grep '(%rsp)'
// RUN: sed 's/vector_bytes = 64, registers = 32/vector_bytes = 32, registers = 16/' %s \
// RUN: | tenon-opt --tenon-to-llvm \
// RUN: | mlir-translate --mlir-to-llvmir | opt -O2 -mcpu=x86-64-v3 \
// RUN: | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3 -o %t2.s
// RUN: FileCheck %s --check-prefix=AVX2 < %t2.s
// RUN: sed -n '/Inner Loop Header/,/\tj/p' %t2.s | not grep '(%rsp)'

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: contraction.unpack.dot_general.0:
// CHECK: Inner Loop Header
// CHECK-NOT: {{\(%rsp\)|vperm|vinsert|vextract|%k[0-7]|j[a-z]+ }}
// CHECK-COUNT-96: vfmadd{{[0-9]+}}ps {{.*}}%zmm
// CHECK-NOT: {{\(%rsp\)|vfmadd}}
// CHECK: jb
// AVX2-LABEL: contraction.unpack.dot_general.0:
// AVX2: Inner Loop Header
// AVX2-NOT: {{\(%rsp\)|vperm|vinsert|vextract|vmaskmov|j[a-z]+ }}
// AVX2-COUNT-48: vfmadd{{[0-9]+}}ps {{.*}}%ymm
// AVX2-NOT: {{\(%rsp\)|vfmadd}}
// AVX2: jb
func.func @known(%x: tensor<48x768xf32>, %p: tensor<6x768x16xf32>) -> tensor<48x96xf32> {
  %w = tenon.unpack %p dim 1 extent 96 : (tensor<6x768x16xf32>) -> tensor<768x96xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<48x768xf32>, tensor<768x96xf32>) -> tensor<48x96xf32>
  return %0 : tensor<48x96xf32>
}

// CHECK-LABEL: contraction.unpack.dot_general.1:
// CHECK: Inner Loop Header: Depth=5
// CHECK-NOT: {{\(%rsp\)|vperm|vinsert|vextract|%k[0-7]|j[a-z]+ }}
// CHECK-COUNT-96: vfmadd{{[0-9]+}}ps {{.*}}%zmm
// CHECK-NOT: {{\(%rsp\)|vfmadd}}
// CHECK: jb
func.func @unknown(%x: tensor<?x?x768xf32>, %p: tensor<6x768x16xf32>) -> tensor<?x?x96xf32> {
  %w = tenon.unpack %p dim 1 extent 96 : (tensor<6x768x16xf32>) -> tensor<768x96xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [2] x [0] : (tensor<?x?x768xf32>, tensor<768x96xf32>) -> tensor<?x?x96xf32>
  return %0 : tensor<?x?x96xf32>
}
}
