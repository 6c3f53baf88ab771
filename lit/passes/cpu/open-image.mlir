// The rows of an image of any size are full tiles and a remainder. There is
// code for remainders of up to a quarter of a tile. A greater remainder repeats
// its last row up to a full tile and is computed by the code of full tiles. The
// repeated rows are stored too, without branches between the sums and the
// stores: behind a branch LLVM would compute the rows one by one.
// RUN: tenon-opt %s --pass-pipeline='builtin.module(tenon-plan-kernels,tenon-lower-fusions,canonicalize,cse)' | FileCheck %s
// RUN: tenon-opt %s --tenon-plan-kernels | FileCheck %s --check-prefix=PLAN

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK: arith.minsi %{{.*}}, %c12
// CHECK: %{{.*}}:12 = scf.for
// CHECK-NOT: scf.if
// CHECK-COUNT-12: vector.store
// CHECK: scf.if
// CHECK: %{{.*}}:3 = scf.for {{.*}} {
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

// So are the rows of a product if they have three dimensions: those of images
// whose channels are multiplied. Rows of two dimensions, as texts have, may be
// few, and their remainders have tiles of several sizes.
// CHECK-LABEL: func.func private @contraction{{.*}}.1(
// CHECK-COUNT-2: scf.for %{{.*}} = %c0 to %c128 step %c4 iter_args
// CHECK-NOT: scf.for %{{.*}} = %c0 to %c128 step %c4 iter_args
// CHECK-LABEL: func.func private @contraction{{.*}}.2(
// CHECK-COUNT-6: scf.for %{{.*}} = %c0 to %c128 step %c4 iter_args
func.func @pixels(%call: !llvm.ptr, %x: memref<1x?x?x128xf32>, %w: memref<128x16xf32>, %y: memref<1x?x?x16xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<1x?x?x128xf32>, memref<128x16xf32>) outs(%y : memref<1x?x?x16xf32>) {
  ^bb0(%a: tensor<1x?x?x128xf32>, %b: tensor<128x16xf32>):
    %0 = tenon.dot_general %a, %b batch [] x [] contract [3] x [0] : (tensor<1x?x?x128xf32>, tensor<128x16xf32>) -> tensor<1x?x?x16xf32>
    tenon.yield %0 : tensor<1x?x?x16xf32>
  }
  return
}
func.func @words(%call: !llvm.ptr, %x: memref<?x?x128xf32>, %w: memref<128x16xf32>, %y: memref<?x?x16xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<?x?x128xf32>, memref<128x16xf32>) outs(%y : memref<?x?x16xf32>) {
  ^bb0(%a: tensor<?x?x128xf32>, %b: tensor<128x16xf32>):
    %0 = tenon.dot_general %a, %b batch [] x [] contract [2] x [0] : (tensor<?x?x128xf32>, tensor<128x16xf32>) -> tensor<?x?x16xf32>
    tenon.yield %0 : tensor<?x?x16xf32>
  }
  return
}

// Tiles whose width divides the columns are preferred: a last panel would have
// three tiles of its own.
// PLAN-LABEL: func.func @columns(
// PLAN: tenon.plan = #tenon.tile<rows = 6, vectors = 4,
// PLAN-LABEL: func.func @known(
// PLAN: tenon.plan = #tenon.tile<rows = 8, vectors = 3,
func.func @columns(%call: !llvm.ptr, %x: memref<1x?x?x64xf32>, %w: memref<1x1x64x512xf32>, %y: memref<1x?x?x512xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<1x?x?x64xf32>, memref<1x1x64x512xf32>) outs(%y : memref<1x?x?x512xf32>) {
  ^bb0(%a: tensor<1x?x?x64xf32>, %b: tensor<1x1x64x512xf32>):
    %0 = tenon.convolution %a, %b strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1
       : (tensor<1x?x?x64xf32>, tensor<1x1x64x512xf32>) -> tensor<1x?x?x512xf32>
    tenon.yield %0 : tensor<1x?x?x512xf32>
  }
  return
}
func.func @known(%call: !llvm.ptr, %x: memref<64x64xf32>, %w: memref<64x512xf32>, %y: memref<64x512xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<64x64xf32>, memref<64x512xf32>) outs(%y : memref<64x512xf32>) {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x512xf32>):
    %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<64x64xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
    tenon.yield %0 : tensor<64x512xf32>
  }
  return
}
}
