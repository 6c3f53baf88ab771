// Products of pairs are refused if a target lacks the instruction, also for the
// first of several targets.
// RUN: %exit 4 tenon compile %s -mcpu=x86-64-v4 -o %t.so 2>&1 | FileCheck %s
// RUN: %exit 4 tenon compile %s -mcpu=x86-64-v2 -o %t.so 2>&1 | FileCheck %s --check-prefix=LEAST
// RUN: %exit 4 tenon compile %s --multiversion=znver5,v4 -o %t.so 2>&1 | FileCheck %s
// RUN: tenon compile -q %s -mcpu=cooperlake -o %t.so

// Stages without code generation refuse nothing. f32 keeps its precision: the
// pairs of the text are bf16.
// RUN: tenon compile %s -mcpu=x86-64-v3 --stop-after=placed -o - | FileCheck %s --check-prefix=STAGE
// RUN: %exit 4 tenon compile %s -mcpu=x86-64-v3 --stop-after=tiled -o - 2>&1 | FileCheck %s --check-prefix=TILED
// RUN: tenon compile %s --matmul-precision=strict -mcpu=cooperlake -o %t.so --format=json | FileCheck %s --check-prefix=TOLD
// RUN: tenon compile %s --matmul-precision=bf16 -mcpu=cooperlake -o %t.so --format=json | FileCheck %s --check-prefix=TOLD
// STAGE: products pairs
// TILED: asks for products of pairs
// TOLD: "products": "strict"

// CHECK: products-errors.mlir: line [[#@LINE+4]], column 8: error: unsupported: 'tenon.convolution' asks for products of pairs, and x86-64-v4 (AVX-512) has no instruction for them
// CHECK-SAME: compile for a CPU with AVX-512's bf16 instructions, such as -mcpu=znver5, or leave 'products pairs' out
// LEAST: x86-64-v2 (SSE) has no instruction for them
func.func @pairs(%x: tensor<1x8x4xbf16>, %w: tensor<3x4x6xbf16>) -> tensor<1x6x6xf32> {
  %0 = tenon.convolution %x, %w strides [1] padding [0, 0] lhs_dilation [1] rhs_dilation [1] groups 1 products pairs : (tensor<1x8x4xbf16>, tensor<3x4x6xbf16>) -> tensor<1x6x6xf32>
  return %0 : tensor<1x6x6xf32>
}
