// A mean over an image keeps eight vectors of
// channels in registers. Their chains of additions
// are interleaved, and cache lines are read in order.
// RUN: tenon-opt %s --tenon-to-llvm \
// RUN: | mlir-translate --mlir-to-llvmir | opt -O2 -mcpu=x86-64-v4 \
// RUN: | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4 | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: map.reduce.0:
// CHECK: Inner Loop Header
// CHECK-NEXT: vaddps -4096(%[[AT:[a-z0-9]+]]), %zmm
// CHECK-NEXT: vaddps -4032(%[[AT]]), %zmm
// CHECK-NEXT: vaddps -3968(%[[AT]]), %zmm
// CHECK-NEXT: vaddps -3904(%[[AT]]), %zmm
// CHECK-NEXT: vaddps -3840(%[[AT]]), %zmm
// CHECK-NEXT: vaddps -3776(%[[AT]]), %zmm
// CHECK-NEXT: vaddps -3712(%[[AT]]), %zmm
// CHECK-NEXT: vaddps -3648(%[[AT]]), %zmm
// CHECK-NOT: {{\(%rsp\)|vperm|vinsert|vextract}}
// CHECK: j{{[a-z]+}}
func.func @main(%x: tensor<2x9x9x128xf32>) -> tensor<2x128xf32> {
  %0 = tenon.reduce add %x over [1, 2] : (tensor<2x9x9x128xf32>) -> tensor<2x128xf32>
  return %0 : tensor<2x128xf32>
}
}
