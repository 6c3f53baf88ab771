// A tile of an image of open size that lies in one line, with all taps inside,
// has code of its own: its rows are at fixed distances from the first, and
// nothing is selected. If a tap has many products, the code that asks for each
// row is used for all tiles: asking is then a small part of the time.
// RUN: tenon-opt %s --pass-pipeline='builtin.module(tenon-plan-kernels,tenon-lower-fusions,canonicalize,cse)' | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// The three planes of the image are read where they are.
// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK: %{{.*}}:24 = scf.if %{{.*}} -> (
// CHECK: scf.for
// CHECK-NOT: arith.select
// CHECK-COUNT-72: math.fma
// CHECK-NOT: arith.select
// CHECK: } else {
// CHECK: arith.select
func.func @f(%call: !llvm.ptr, %x: memref<1x3x?x?xf32>, %w: memref<2x3x3x3x16xf32>, %y: memref<1x?x?x32xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<1x3x?x?xf32>, memref<2x3x3x3x16xf32>) outs(%y : memref<1x?x?x32xf32>) {
  ^bb0(%a: tensor<1x3x?x?xf32>, %b: tensor<2x3x3x3x16xf32>):
    %t = tenon.transpose %a [0, 2, 3, 1] : (tensor<1x3x?x?xf32>) -> tensor<1x?x?x3xf32>
    %u = tenon.unpack %b dim 3 extent 32 : (tensor<2x3x3x3x16xf32>) -> tensor<3x3x3x32xf32>
    %0 = tenon.convolution %t, %u strides [2, 2] padding [1, 1, 1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1
       : (tensor<1x?x?x3xf32>, tensor<3x3x3x32xf32>) -> tensor<1x?x?x32xf32>
    tenon.yield %0 : tensor<1x?x?x32xf32>
  }
  return
}

// CHECK-LABEL: func.func private @contraction{{.*}}.1(
// CHECK-NOT: scf.if %{{[0-9]+}} -> ({{.*}}) {
// CHECK: %{{.*}}:24 = scf.for
// CHECK: %{{.*}}:24 = scf.for
// CHECK-COUNT-6: arith.cmpi ult
// CHECK: scf.if
func.func @deep(%call: !llvm.ptr, %x: memref<1x?x?x64xf32>, %w: memref<4x3x3x64x16xf32>, %y: memref<1x?x?x64xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<1x?x?x64xf32>, memref<4x3x3x64x16xf32>) outs(%y : memref<1x?x?x64xf32>) {
  ^bb0(%a: tensor<1x?x?x64xf32>, %b: tensor<4x3x3x64x16xf32>):
    %u = tenon.unpack %b dim 3 extent 64 : (tensor<4x3x3x64x16xf32>) -> tensor<3x3x64x64xf32>
    %0 = tenon.convolution %a, %u strides [1, 1] padding [1, 1, 1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1
       : (tensor<1x?x?x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x?x?x64xf32>
    tenon.yield %0 : tensor<1x?x?x64xf32>
  }
  return
}
}
