// The innermost loop over weights of four bits: integers by one or two shifts,
// products by twos; one instruction where the target adds them to a sum, and then
// no sum goes to the stack.
// RUN: tenon-opt %s --tenon-to-placed --tenon-lower-fusions=vector-bytes=64 \
// RUN:   --canonicalize --cse --loop-invariant-code-motion \
// RUN:   --tenon-make-entries --convert-scf-to-cf --tenon-convert-to-llvm \
// RUN:   --reconcile-unrealized-casts --canonicalize \
// RUN: | mlir-translate --mlir-to-llvmir -o %t.ll
// RUN: opt -O2 -mcpu=x86-64-v4 %t.ll \
// RUN: | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4 \
// RUN: | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: opt -O2 -mcpu=cascadelake %t.ll \
// RUN: | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=cascadelake -mattr=-prefer-256-bit \
// RUN: | FileCheck %s --check-prefixes=CHECK,ONE

// CHECK-LABEL: contraction.dequantize.unpack.dot_general.0:
// The row's elements, against the greatest.
// CHECK: Inner Loop Header
// CHECK: vpmaxud
// CHECK: Inner Loop Header
// ONE-NOT: {{vmov.*%zmm[0-9]+, .*%rsp}}
// CHECK: vpsraw $12, {{.*}}%zmm
// TWO: vpmaddwd {{.*}}%zmm
// TWO: vpaddd {{.*}}%zmm
// ONE-NOT: vpaddd {{.*}}%zmm
// ONE: vpdpwssd {{.*}}%zmm
// ONE-NOT: {{vmov.*%zmm[0-9]+, .*%rsp}}
// CHECK: {{^ j}}
// CHECK: vcvtdq2ps
func.func @nibbles(%x: tensor<1x768xf32>, %q: tensor<2x96x96xi32>, %s: tensor<2x24x96xbf16>) -> tensor<1x192xf32> {
  %p = tenon.dequantize %q scales %s group 32 : (tensor<2x96x96xi32>, tensor<2x24x96xbf16>) -> tensor<2x768x96xf32>
  %w = tenon.unpack %p dim 1 extent 192 : (tensor<2x768x96xf32>) -> tensor<768x192xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<1x768xf32>, tensor<768x192xf32>) -> tensor<1x192xf32>
  return %0 : tensor<1x192xf32>
}
