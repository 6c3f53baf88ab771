// Depthwise tiles of an open width: those inside ask for nothing, those at the
// borders ask for each input element whether it exists, and store the columns
// that exist.
// RUN: tenon-opt %s --pass-pipeline='builtin.module(tenon-plan-kernels,tenon-lower-fusions,canonicalize,cse)' | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// Eight columns and three taps read ten elements.
// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK: scf.for {{.*}} step %c8
// CHECK: scf.if
// CHECK: %{{.*}}:8 = scf.for
// CHECK-NOT: arith.cmpi ult
// CHECK-COUNT-24: math.fma
// CHECK-NOT: scf.if
// CHECK-COUNT-8: vector.store
// CHECK: } else {
// CHECK: %{{.*}}:8 = scf.for
// CHECK-COUNT-10: scf.if %{{.*}} -> (
// CHECK: scf.yield
// CHECK: }
// CHECK: vector.store
// CHECK-COUNT-7: scf.if %
// CHECK-NOT: scf.if
// CHECK: return
func.func @f(%call: !llvm.ptr, %x: memref<1x?x?x32xf32>, %w: memref<3x3x1x32xf32>, %y: memref<1x?x?x32xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<1x?x?x32xf32>, memref<3x3x1x32xf32>) outs(%y : memref<1x?x?x32xf32>) {
  ^bb0(%a: tensor<1x?x?x32xf32>, %b: tensor<3x3x1x32xf32>):
    %0 = tenon.convolution %a, %b strides [1, 1] padding [1, 1, 1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 32
       : (tensor<1x?x?x32xf32>, tensor<3x3x1x32xf32>) -> tensor<1x?x?x32xf32>
    tenon.yield %0 : tensor<1x?x?x32xf32>
  }
  return
}
}
