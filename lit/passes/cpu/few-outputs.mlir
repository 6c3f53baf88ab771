// A convolution with fewer outputs than a vector has lanes is computed in
// vectors of positions. The features of the input are turned on the stack.
// RUN: tenon-opt %s --pass-pipeline='builtin.module(tenon-plan-kernels)' --split-input-file | FileCheck %s --check-prefix=PLAN
// RUN: tenon-opt %s --pass-pipeline='builtin.module(tenon-plan-kernels,tenon-lower-fusions,canonicalize,cse)' --split-input-file | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// Three outputs and eight vectors of positions are 24 sums. Borders have code
// of their own, in which lanes outside the input keep their sums.
// PLAN: tenon.plan = #tenon.few_outputs<vectors = 8, rows = 2>
// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK: memref.alloca() {{.*}} : memref<4608xf32>
// CHECK: vector.load %{{.*}} : memref<{{.*}}>, vector<16xf32>
// CHECK-COUNT-64: vector.shuffle
// CHECK: scf.if
// CHECK-COUNT-24: math.fma
// CHECK-NOT: arith.select
// CHECK: else
// CHECK-COUNT-24: math.fma
func.func @three(%call: !llvm.ptr, %x: memref<1x?x?x32xf32>, %w: memref<3x3x32x3xf32>, %m: index, %n: index, %y: memref<1x?x?x3xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<1x?x?x32xf32>, memref<3x3x32x3xf32>) outs(%y : memref<1x?x?x3xf32>) {
  ^bb0(%a: tensor<1x?x?x32xf32>, %b: tensor<3x3x32x3xf32>):
    %0 = tenon.convolution %a, %b strides [1, 1] padding [1, 1, 1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x?x?x32xf32>, tensor<3x3x32x3xf32>) -> tensor<1x?x?x3xf32>
    tenon.yield %0 : tensor<1x?x?x3xf32>
  }
  return
}
}

// -----
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// Short rows, steps between positions and many outputs have tiles.
// PLAN-LABEL: @short
// PLAN: tenon.plan = #tenon.tile
// PLAN: tenon.plan = #tenon.tile
// PLAN: tenon.plan = #tenon.tile
func.func @short(%call: !llvm.ptr, %x: memref<1x9x9x32xf32>, %w: memref<3x3x32x3xf32>, %y: memref<1x7x7x3xf32>, %large: memref<1x64x64x32xf32>, %s: memref<1x31x31x3xf32>, %v: memref<1x1x32x12xf32>, %z: memref<1x64x64x12xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<1x9x9x32xf32>, memref<3x3x32x3xf32>) outs(%y : memref<1x7x7x3xf32>) {
  ^bb0(%a: tensor<1x9x9x32xf32>, %b: tensor<3x3x32x3xf32>):
    %0 = tenon.convolution %a, %b strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x9x9x32xf32>, tensor<3x3x32x3xf32>) -> tensor<1x7x7x3xf32>
    tenon.yield %0 : tensor<1x7x7x3xf32>
  }
  tenon.fusion contraction ins(%large, %w : memref<1x64x64x32xf32>, memref<3x3x32x3xf32>) outs(%s : memref<1x31x31x3xf32>) {
  ^bb0(%a: tensor<1x64x64x32xf32>, %b: tensor<3x3x32x3xf32>):
    %0 = tenon.convolution %a, %b strides [2, 2] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x64x64x32xf32>, tensor<3x3x32x3xf32>) -> tensor<1x31x31x3xf32>
    tenon.yield %0 : tensor<1x31x31x3xf32>
  }
  tenon.fusion contraction ins(%large, %v : memref<1x64x64x32xf32>, memref<1x1x32x12xf32>) outs(%z : memref<1x64x64x12xf32>) {
  ^bb0(%a: tensor<1x64x64x32xf32>, %b: tensor<1x1x32x12xf32>):
    %0 = tenon.convolution %a, %b strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x64x64x32xf32>, tensor<1x1x32x12xf32>) -> tensor<1x64x64x12xf32>
    tenon.yield %0 : tensor<1x64x64x12xf32>
  }
  return
}
}
