// A tile of an image of open size finds the offsets of its rows, and where
// their windows start, in a table: they are divided by the sizes once for all
// taps and pieces.
// RUN: tenon-opt %s --pass-pipeline='builtin.module(tenon-plan-kernels,tenon-lower-fusions,canonicalize,cse)' | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK: %[[TABLE:.*]] = memref.alloca() {{.*}} : memref<54xindex>
// CHECK: arith.remui %{{.*}}, %{{[0-9]+}} :
// CHECK: memref.store %{{.*}}, %[[TABLE]]
// CHECK: scf.for %{{.*}} = %c0 to %c3 step
// CHECK: scf.for %{{.*}} = %c0 to %c3 step
// CHECK: scf.for %{{.*}} = %c0 to %c512 step %c128
// CHECK-NOT: {{(div|rem)ui}} %{{[a-z0-9]+}}, %{{[0-9]+}} :
// CHECK: memref.load %[[TABLE]]
// CHECK-NOT: {{(div|rem)ui}} %{{[a-z0-9]+}}, %{{[0-9]+}} :
// CHECK: %{{.*}}:24 = scf.for
// CHECK: math.fma
func.func @f(%call: !llvm.ptr, %x: memref<1x?x?x512xf32>, %w: memref<4x3x3x512x16xf32>, %y: memref<1x?x?x64xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<1x?x?x512xf32>, memref<4x3x3x512x16xf32>) outs(%y : memref<1x?x?x64xf32>) {
  ^bb0(%a: tensor<1x?x?x512xf32>, %b: tensor<4x3x3x512x16xf32>):
    %u = tenon.unpack %b dim 3 extent 64 : (tensor<4x3x3x512x16xf32>) -> tensor<3x3x512x64xf32>
    %0 = tenon.convolution %a, %u strides [1, 1] padding [1, 1, 1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1
       : (tensor<1x?x?x512xf32>, tensor<3x3x512x64xf32>) -> tensor<1x?x?x64xf32>
    tenon.yield %0 : tensor<1x?x?x64xf32>
  }
  return
}
}
