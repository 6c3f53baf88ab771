// Pipelines take the options of their phases, and a
// part of the pipeline gives what the whole one gives.
// RUN: tenon-opt %s --tenon-to-fused | FileCheck %s --check-prefixes=FUSED,PLAIN
// RUN: tenon-opt %s --tenon-to-fused=weight-format=int4 | FileCheck %s --check-prefixes=FUSED,INT4
// RUN: tenon-opt %s --tenon-to-fused=products=pairs | FileCheck %s --check-prefixes=FUSED,PAIRS
// RUN: tenon-opt %s --tenon-to-fused=fold-batch-norm=false | FileCheck %s --check-prefix=NORM

// RUN: tenon-opt %s --tenon-to-shaped -o %t.shaped.mlir
// RUN: tenon-opt %t.shaped.mlir --tenon-from-shaped-to-fused=weight-format=bf16 \
// RUN: | tenon-opt --tenon-from-fused-to-placed -o %t.placed.mlir
// RUN: sed 's/^module attributes {/&tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>, /' %t.placed.mlir \
// RUN: | tenon-opt --tenon-from-placed-to-tiled | FileCheck %s --check-prefix=WIDE
// RUN: sed 's/^module attributes {/&tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144, tiles = 1, tile_stack = 655360>, /' %t.placed.mlir \
// RUN: | tenon-opt --tenon-from-placed-to-tiled -o %t.parts.mlir
// RUN: FileCheck %s --check-prefix=AMX < %t.parts.mlir
// RUN: sed -e '1i module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144, tiles = 1, tile_stack = 655360>} {' -e '$a }' %s \
// RUN: | tenon-opt --tenon-to-tiled=weight-format=bf16 -o %t.whole.mlir
// RUN: cmp %t.parts.mlir %t.whole.mlir

// RUN: tenon-opt %t.placed.mlir --tenon-from-placed-to-llvm \
// RUN: | FileCheck %s --check-prefix=FMA
// RUN: tenon-opt %t.placed.mlir --tenon-from-placed-to-llvm=native-fma=false \
// RUN: | FileCheck %s --check-prefix=DOUBLES

// WIDE-NOT: vector<8xf32>
// WIDE: vector<16xf32>
// WIDE-NOT: amx.
// AMX: amx.tile_mulf
// FMA: llvm.intr.fma
// DOUBLES-NOT: llvm.intr.fma

tenon.weight @w : tensor<256x256xf32> from #tenon.source<"model.onnx", 0, 262144>

// FUSED-LABEL: func.func @product(
// INT4: tenon.dequantize {{.*}} group 32
// FUSED: tenon.dot_general
// PAIRS-SAME: products{{ +}}pairs
// PLAIN-NOT: products{{ +}}pairs
// FUSED: return
func.func @product(%x: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %w = tenon.get_weight @w : tensor<256x256xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}

tenon.weight @k : tensor<1x1x2x2xf32> from #tenon.source<"model.onnx", 262144, 16>
tenon.weight @v : tensor<2xf32> from #tenon.source<"model.onnx", 262160, 8>

// Batch normalization becomes part of the kernel, which is a new weight.
// FUSED-LABEL: func.func @normalized(
// FUSED-NOT: tenon.get_weight @k :
// FUSED: return
// NORM-LABEL: func.func @normalized(
// NORM: tenon.get_weight @k :
// NORM: return
func.func @normalized(%x: tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> {
  %k = tenon.get_weight @k : tensor<1x1x2x2xf32>
  %v = tenon.get_weight @v : tensor<2xf32>
  %c = tenon.convolution %x, %k strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x4x4x2xf32>, tensor<1x1x2x2xf32>) -> tensor<1x4x4x2xf32>
  %n = tenon.batch_norm %c, %v, %v, %v, %v dim 3 epsilon 1.0e-5 : (tensor<1x4x4x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
  return %n : tensor<1x4x4x2xf32>
}
