// A tile of an image of open size that lies in one line, with all taps inside,
// has code of its own: its rows are at fixed distances from the first, and
// nothing is selected.
// RUN: tenon-opt %s --pass-pipeline='builtin.module(tenon-plan-kernels,tenon-lower-fusions,canonicalize,cse)' | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// The three planes of the image are read where they are.
// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK: %[[END:.*]] = arith.addi %{{.*}}, %c11
// CHECK: arith.cmpi eq, %{{.*}}, %[[END]]
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
}
