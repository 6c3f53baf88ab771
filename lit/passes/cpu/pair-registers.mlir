// The innermost loop over bf16 pairs: per step three vectors of
// columns, a word of each row, and one instruction for two
// products. No value is converted, moved between lanes or spilled.
// RUN: tenon-opt %s --tenon-to-llvm \
// RUN: | mlir-translate --mlir-to-llvmir | opt -O2 -mcpu=cooperlake \
// RUN: | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=cooperlake -o %t.s
// RUN: sed -n '/Inner Loop Header/,/\tj/p' %t.s > %t.loops
// RUN: FileCheck %s < %t.loops
// RUN: grep -c vdpbf16ps %t.loops | FileCheck %s --check-prefix=COUNT
// RUN: not grep -E '%%rsp|vcvt|vperm|vpsh|vpsl|vpunpck|vinsert|vextract' %t.loops

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144, pairs = true>} {

// CHECK: Inner Loop Header
// CHECK: vmovups {{.*}}(%r{{.*}}), %zmm
// CHECK: vbroadcastss {{.*}}(%r{{.*}}), %zmm
// CHECK-NEXT: vdpbf16ps
// Eight rows of three vectors, four steps: in the loop for the first blocks and
// in that for the last.
// COUNT: {{^}}192{{$}}
func.func @pairs(%x: tensor<64x768xbf16>, %q: tensor<24x384x16xi32>) -> tensor<64x384xf32> {
  %p = tenon.unpair %q : (tensor<24x384x16xi32>) -> tensor<24x768x16xbf16>
  %w = tenon.unpack %p dim 1 extent 384 : (tensor<24x768x16xbf16>) -> tensor<768x384xbf16>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] products pairs : (tensor<64x768xbf16>, tensor<768x384xbf16>) -> tensor<64x384xf32>
  return %0 : tensor<64x384xf32>
}
}
