// Full tiles of bf16 pairs are loaded from their place in
// memory, four tiles for four products, without copies.
// RUN: tenon-opt %s --tenon-to-llvm \
// RUN: | mlir-translate --mlir-to-llvmir | opt -O2 -mcpu=sapphirerapids \
// RUN: | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144, tiles = 1, tile_stack = 655360, pairs = true>} {

// CHECK-LABEL: contraction.unpair.unpack.dot_general.0:
// CHECK: ldtilecfg
// CHECK-NOT: zmm
// CHECK-COUNT-4: tileloadd
// CHECK: Inner Loop Header
// CHECK-NOT: {{tdpbf16ps|zmm}}
// CHECK-COUNT-4: tileloadd
// CHECK-NOT: {{tileloadd|zmm}}
// CHECK-COUNT-4: tdpbf16ps
// CHECK-NOT: {{tdpbf16ps|tileloadd|zmm}}
// CHECK: jb
func.func @pairs(%x: tensor<128x768xbf16>, %q: tensor<48x384x16xi32>) -> tensor<128x768xf32> {
  %p = tenon.unpair %q : (tensor<48x384x16xi32>) -> tensor<48x768x16xbf16>
  %w = tenon.unpack %p dim 1 extent 768 : (tensor<48x768x16xbf16>) -> tensor<768x768xbf16>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] products pairs : (tensor<128x768xbf16>, tensor<768x768xbf16>) -> tensor<128x768xf32>
  return %0 : tensor<128x768xf32>
}
}
