// The stack of tasks with AMX and of tasks with few rows, spills
// included, stays below the 640 KiB that embedding.md promises: at most
// 649999 bytes. It is more than 300000, else the partial sums and the parts of
// queries are not on the stack. Only tasks with many rows configure tiles.
// RUN: tenon-opt %s --tenon-to-llvm \
// RUN: | mlir-translate --mlir-to-llvmir | opt -O2 -mcpu=sapphirerapids \
// RUN: | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144, tiles = 3, tile_stack = 655360>} {

// CHECK-LABEL: contraction.unpack.dot_general.0:
// CHECK-NOT: ret
// CHECK: subq ${{([345][0-9]|6[0-4])[0-9][0-9][0-9][0-9]}}, %rsp
// CHECK-NOT: ldtilecfg
// CHECK: memset
// CHECK: ldtilecfg
// CHECK: tdpbf16ps
func.func @open(%x: tensor<?x768xf32>, %p: tensor<192x768x16xf32>) -> tensor<?x3072xf32> {
  %w = tenon.unpack %p dim 1 extent 3072 : (tensor<192x768x16xf32>) -> tensor<768x3072xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<?x768xf32>, tensor<768x3072xf32>) -> tensor<?x3072xf32>
  return %0 : tensor<?x3072xf32>
}

// CHECK-LABEL: contraction.unpack.dot_general.1:
// CHECK-NOT: ret
// CHECK: subq ${{([345][0-9]|6[0-4])[0-9][0-9][0-9][0-9]}}, %rsp
// CHECK: tdpbf16ps
func.func @wide(%x: tensor<80x768xf32>, %p: tensor<1024x768x16xf32>) -> tensor<80x16384xf32> {
  %w = tenon.unpack %p dim 1 extent 16384 : (tensor<1024x768x16xf32>) -> tensor<768x16384xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<80x768xf32>, tensor<768x16384xf32>) -> tensor<80x16384xf32>
  return %0 : tensor<80x16384xf32>
}

// CHECK-LABEL: attention.attention.2:
// CHECK-NOT: ret
// CHECK: subq ${{([345][0-9]|6[0-4])[0-9][0-9][0-9][0-9]}}, %rsp
// CHECK: tdpbf16ps
func.func @attention(%q: tensor<12x?x64xf32>, %k: tensor<12x?x64xf32>, %v: tensor<12x?x64xf32>) -> tensor<12x?x64xf32> {
  %0 = tenon.attention %q, %k, %v order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 0.125 : (tensor<12x?x64xf32>, tensor<12x?x64xf32>, tensor<12x?x64xf32>) -> tensor<12x?x64xf32>
  return %0 : tensor<12x?x64xf32>
}

// CHECK-LABEL: contraction.dequantize.unpack.dot_general.3:
// CHECK-NOT: ret
// CHECK: subq ${{([345][0-9]|6[0-4])[0-9][0-9][0-9][0-9]}}, %rsp
// CHECK: tdpbf16ps
func.func @scaled(%x: tensor<?x768xf32>, %q: tensor<256x768x64xi8>, %s: tensor<256x6x64xf32>) -> tensor<?x16384xf32> {
  %p = tenon.dequantize %q scales %s group 128 : (tensor<256x768x64xi8>, tensor<256x6x64xf32>) -> tensor<256x768x64xf32>
  %w = tenon.unpack %p dim 1 extent 16384 : (tensor<256x768x64xf32>) -> tensor<768x16384xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<?x768xf32>, tensor<768x16384xf32>) -> tensor<?x16384xf32>
  return %0 : tensor<?x16384xf32>
}
}
