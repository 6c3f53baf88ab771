// The innermost loops over quantized weights: one or two instructions
// per vector convert stored values to floats, and nothing is spilled.
// RUN: tenon-opt %s --tenon-to-llvm \
// RUN: | mlir-translate --mlir-to-llvmir | opt -O2 -mcpu=x86-64-v4 \
// RUN: | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4 -o %t.s
// RUN: FileCheck %s < %t.s
// RUN: sed -n '/Inner Loop Header/,/\tj/p' %t.s | not grep '(%rsp)'
// Where broadcasts are costly, each product broadcasts its element itself.
// RUN: sed 's/stack = 262144/stack = 262144, costly_broadcasts = true/' %s \
// RUN: | tenon-opt --tenon-to-llvm \
// RUN: | mlir-translate --mlir-to-llvmir | opt -O2 -mcpu=znver4 \
// RUN: | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=znver4 -o %t2.s
// RUN: FileCheck %s --check-prefix=COSTLY < %t2.s
// RUN: sed -n '/Inner Loop Header/,/\tj/p' %t2.s | not grep 'vbroadcast\|(%rsp)'

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// One row, four steps of four panels.
// CHECK-LABEL: contraction.dequantize.unpack.dot_general.0:
// CHECK: Inner Loop Header
// CHECK: vpmovzxwd {{.*}}, %zmm
// CHECK: vpslld $16, %zmm
// CHECK: vfmadd{{[0-9]+}}ps {{.*}}%zmm
// COSTLY-LABEL: contraction.dequantize.unpack.dot_general.0:
// COSTLY: Inner Loop Header
// COSTLY-COUNT-16: vfmadd{{[0-9]+}}ps {{.*}}{1to16}
func.func @bfloats(%x: tensor<1x768xf32>, %q: tensor<8x768x16xbf16>) -> tensor<1x128xf32> {
  %p = tenon.dequantize %q : (tensor<8x768x16xbf16>) -> tensor<8x768x16xf32>
  %w = tenon.unpack %p dim 1 extent 128 : (tensor<8x768x16xf32>) -> tensor<768x128xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<1x768xf32>, tensor<768x128xf32>) -> tensor<1x128xf32>
  return %0 : tensor<1x128xf32>
}

// CHECK-LABEL: contraction.dequantize.unpack.dot_general.1:
// CHECK: Inner Loop Header
// CHECK: vpmovsxbd {{.*}}, %zmm
// CHECK: vcvtdq2ps %zmm
// CHECK: vfmadd{{[0-9]+}}ps {{.*}}%zmm
// COSTLY-LABEL: contraction.dequantize.unpack.dot_general.1:
// COSTLY: Inner Loop Header
// COSTLY-COUNT-16: vfmadd{{[0-9]+}}ps {{.*}}{1to16}
func.func @bytes(%x: tensor<1x768xf32>, %q: tensor<8x768x16xi8>, %s: tensor<8x6x16xf32>) -> tensor<1x128xf32> {
  %p = tenon.dequantize %q scales %s group 128 : (tensor<8x768x16xi8>, tensor<8x6x16xf32>) -> tensor<8x768x16xf32>
  %w = tenon.unpack %p dim 1 extent 128 : (tensor<8x768x16xf32>) -> tensor<768x128xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<1x768xf32>, tensor<768x128xf32>) -> tensor<1x128xf32>
  return %0 : tensor<1x128xf32>
}

// A shift and a table.
// CHECK-LABEL: contraction.dequantize.unpack.dot_general.2:
// CHECK: Inner Loop Header
// CHECK-NOT: {{vcvtdq2ps|vpand|vpsra}}
// CHECK: vpermps
// CHECK: vfmadd{{[0-9]+}}ps {{.*}}%zmm
// CHECK: vpsrld $4
// COSTLY-LABEL: contraction.dequantize.unpack.dot_general.2:
// COSTLY: Inner Loop Header
// COSTLY-COUNT-32: vfmadd{{[0-9]+}}ps {{.*}}{1to16}
func.func @nibbles(%x: tensor<1x768xf32>, %q: tensor<8x96x16xi32>, %s: tensor<8x24x16xbf16>) -> tensor<1x128xf32> {
  %p = tenon.dequantize %q scales %s group 32 : (tensor<8x96x16xi32>, tensor<8x24x16xbf16>) -> tensor<8x768x16xf32>
  %w = tenon.unpack %p dim 1 extent 128 : (tensor<8x768x16xf32>) -> tensor<768x128xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<1x768xf32>, tensor<768x128xf32>) -> tensor<1x128xf32>
  return %0 : tensor<1x128xf32>
}
}
