// The rows of an image of any size are full tiles and a remainder. There is
// code for remainders of up to a quarter of a tile and up to a whole tile; a
// remainder repeats its last row up to one of these sizes.
// RUN: tenon-opt %s --pass-pipeline='builtin.module(tenon-plan-kernels,tenon-lower-fusions,canonicalize,cse)' | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK: %{{.*}}:12 = scf.for
// CHECK: %{{.*}}:3 = scf.for
// CHECK: %{{.*}}:12 = scf.for {{.*}} {
// CHECK-NOT: iter_args
// CHECK: return
func.func @f(%call: !llvm.ptr, %x: memref<1x?x?x128xf32>, %w: memref<1x1x128x16xf32>, %y: memref<1x?x?x16xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<1x?x?x128xf32>, memref<1x1x128x16xf32>) outs(%y : memref<1x?x?x16xf32>) {
  ^bb0(%a: tensor<1x?x?x128xf32>, %b: tensor<1x1x128x16xf32>):
    %0 = tenon.convolution %a, %b strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1
       : (tensor<1x?x?x128xf32>, tensor<1x1x128x16xf32>) -> tensor<1x?x?x16xf32>
    tenon.yield %0 : tensor<1x?x?x16xf32>
  }
  return
}
}
