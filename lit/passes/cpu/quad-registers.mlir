// The innermost loop over quads of bytes: per step three vectors of
// columns, a word of each row, and one instruction for four
// products. No byte is widened, moved between lanes or spilled.
// RUN: tenon-opt %s --tenon-to-llvm \
// RUN: | mlir-translate --mlir-to-llvmir | opt -O2 -mcpu=cascadelake \
// RUN: | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=cascadelake -o %t.s
// RUN: sed -n '/Inner Loop Header/,/\tj/p' %t.s > %t.loops
// RUN: FileCheck %s < %t.loops
// RUN: grep -c vpdpbusd %t.loops | FileCheck %s --check-prefix=COUNT
// RUN: not grep -E '%%rsp|vpdpbusds|vpmov|vperm|vpsh|vps[lr]|vpunpck|vinsert|vextract' %t.loops

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144, quads = true>} {

// CHECK: Inner Loop Header
// CHECK: vmovdqu64 {{.*}}(%r{{.*}}), %zmm
// CHECK: vpbroadcastd {{.*}}(%r{{.*}}), %zmm
// CHECK: vpdpbusd
// Eight rows of three vectors, four steps.
// COUNT: {{^}}96{{$}}
func.func @quads(%x: tensor<64x768xui8>, %q: tensor<24x192x16xi32>) -> tensor<64x384xi32> {
  %p = tenon.unquad %q : (tensor<24x192x16xi32>) -> tensor<24x768x16xi8>
  %w = tenon.unpack %p dim 1 extent 384 : (tensor<24x768x16xi8>) -> tensor<768x384xi8>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] products quads : (tensor<64x768xui8>, tensor<768x384xi8>) -> tensor<64x384xi32>
  return %0 : tensor<64x384xi32>
}
}
