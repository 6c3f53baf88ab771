// The innermost loop over tiles keeps four accumulator tiles in registers and
// loads a pair of tiles when a product needs other parts: six products for
// three parts, three for two, one for one. Meanwhile it splits columns of the
// next panel. No tile and no vector is spilled.
// RUN: tenon-opt %s --tenon-to-llvm \
// RUN: | mlir-translate --mlir-to-llvmir | opt -O2 -mcpu=sapphirerapids \
// RUN: | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids -o %t.s
// RUN: FileCheck %s < %t.s
// RUN: grep -c tdpbf16ps %t.s | FileCheck %s --check-prefix=SIX
// RUN: sed 's/tiles = 3/tiles = 2/' %s | tenon-opt --tenon-to-llvm \
// RUN: | mlir-translate --mlir-to-llvmir | opt -O2 -mcpu=sapphirerapids \
// RUN: | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids \
// RUN: | grep -c tdpbf16ps | FileCheck %s --check-prefix=THREE
// RUN: sed 's/tiles = 3/tiles = 1/' %s | tenon-opt --tenon-to-llvm \
// RUN: | mlir-translate --mlir-to-llvmir | opt -O2 -mcpu=sapphirerapids \
// RUN: | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids \
// RUN: | FileCheck %s --check-prefix=ONE

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144, tiles = 3, tile_stack = 655360>} {

// SIX: {{^}}24{{$}}
// THREE: {{^}}12{{$}}

// CHECK-LABEL: contraction.unpack.dot_general.0:
// CHECK: ldtilecfg
// CHECK-NOT: ldtilecfg
// CHECK-COUNT-4: tileloadd
// CHECK: Inner Loop Header
// CHECK-NOT: {{tilestored|64-byte (Spill|Reload)|[[:space:]]j[a-z]+ }}
// CHECK-COUNT-4: tdpbf16ps
// CHECK-NOT: {{tilestored|64-byte (Spill|Reload)|[[:space:]]j[a-z]+ }}
// CHECK: vpsrld
// CHECK-NOT: {{tilestored|64-byte (Spill|Reload)|[[:space:]]j[a-z]+ }}
// CHECK-COUNT-4: tdpbf16ps
// CHECK-NOT: {{tilestored|64-byte (Spill|Reload)|[[:space:]]j[a-z]+ }}
// CHECK: {{[[:space:]]j[a-z]+ }}
// CHECK-COUNT-4: tilestored
// CHECK-NOT: tilestored
// ONE-COUNT-8: tileloadd
// ONE-NOT: tileloadd
// ONE-COUNT-4: tdpbf16ps
// ONE-NOT: tdpbf16ps
// ONE: tilestored
func.func @known(%x: tensor<128x768xf32>, %p: tensor<48x768x16xf32>) -> tensor<128x768xf32> {
  %w = tenon.unpack %p dim 1 extent 768 : (tensor<48x768x16xf32>) -> tensor<768x768xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<128x768xf32>, tensor<768x768xf32>) -> tensor<128x768xf32>
  return %0 : tensor<128x768xf32>
}
}
