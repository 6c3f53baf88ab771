// A map that reads along one dimension of its result and writes along another
// is computed in square tiles, which are turned on their way to the result.
// RUN: tenon-opt %s --pass-pipeline='builtin.module(tenon-plan-kernels,tenon-lower-fusions,canonicalize,cse)' --split-input-file | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// Rows of the operand are loaded as whole vectors. A full tile is stored as
// vectors, another one element by element.
// CHECK-LABEL: func.func private @map{{.*}}(
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<256xf32>
// CHECK: vector.load %{{.*}} : memref<?x128x64xf32>, vector<16xf32>
// CHECK: scf.if
// CHECK: memref.store
// CHECK: else
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: vector.store
func.func @turned(%call: !llvm.ptr, %x: memref<?x128x64xf32>, %bias: memref<64xf32>, %y: memref<?x64x128xf32>) {
  tenon.fusion map ins(%x, %bias : memref<?x128x64xf32>, memref<64xf32>) outs(%y : memref<?x64x128xf32>) {
  ^bb0(%a: tensor<?x128x64xf32>, %b: tensor<64xf32>):
    %c0 = arith.constant 0 : index
    %n = tensor.dim %a, %c0 : tensor<?x128x64xf32>
    %0 = tenon.broadcast_in_dim %b dims [2] sizes [%n, 128, 64] : (tensor<64xf32>, index) -> tensor<?x128x64xf32>
    %1 = tenon.add %a, %0 : (tensor<?x128x64xf32>, tensor<?x128x64xf32>) -> tensor<?x128x64xf32>
    %2 = tenon.transpose %1 [0, 2, 1] : (tensor<?x128x64xf32>) -> tensor<?x64x128xf32>
    tenon.yield %2 : tensor<?x64x128xf32>
  }
  return
}
}

// -----
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// A few columns are interleaved: sixteen rows of them are three vectors.
// CHECK-LABEL: func.func private @map{{.*}}(
// CHECK: vector.load %{{.*}} : memref<?x3x?x?xf32>, vector<16xf32>
// CHECK: scf.if
// CHECK: memref.store
// CHECK: else
// CHECK-COUNT-6: vector.shuffle
// CHECK-NOT: vector.shuffle
func.func @interleaved(%call: !llvm.ptr, %x: memref<?x3x?x?xf32>, %y: memref<?x?x?x3xf32>) {
  tenon.fusion map ins(%x : memref<?x3x?x?xf32>) outs(%y : memref<?x?x?x3xf32>) {
  ^bb0(%a: tensor<?x3x?x?xf32>):
    %0 = tenon.transpose %a [0, 2, 3, 1] : (tensor<?x3x?x?xf32>) -> tensor<?x?x?x3xf32>
    tenon.yield %0 : tensor<?x?x?x3xf32>
  }
  return
}
}

// -----
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// If another operand is contiguous along the last dimension, nothing is gained.
// CHECK-LABEL: func.func private @map{{.*}}(
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func @mixed(%call: !llvm.ptr, %x: memref<128x64xf32>, %z: memref<64x128xf32>, %y: memref<64x128xf32>) {
  tenon.fusion map ins(%x, %z : memref<128x64xf32>, memref<64x128xf32>) outs(%y : memref<64x128xf32>) {
  ^bb0(%a: tensor<128x64xf32>, %b: tensor<64x128xf32>):
    %0 = tenon.transpose %a [1, 0] : (tensor<128x64xf32>) -> tensor<64x128xf32>
    %1 = tenon.add %0, %b : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
    tenon.yield %1 : tensor<64x128xf32>
  }
  return
}
}

// -----
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// A check has no vectors, so elements are computed one by one.
// CHECK-LABEL: func.func private @map{{.*}}(
// CHECK-NOT: vector.
// CHECK: memref.store
// CHECK-NOT: vector.
// CHECK: return
func.func @checked(%call: !llvm.ptr, %x: memref<128x64xi64>, %y: memref<64x128xi64>) {
  tenon.fusion map ins(%x : memref<128x64xi64>) outs(%y : memref<64x128xi64>) {
  ^bb0(%a: tensor<128x64xi64>):
    %low = tenon.constant dense<0> : tensor<128x64xi64>
    %high = tenon.constant dense<9> : tensor<128x64xi64>
    %0 = tenon.check_range %a in [%low, %high) "site" : (tensor<128x64xi64>, tensor<128x64xi64>, tensor<128x64xi64>) -> tensor<128x64xi64>
    %1 = tenon.transpose %0 [1, 0] : (tensor<128x64xi64>) -> tensor<64x128xi64>
    tenon.yield %1 : tensor<64x128xi64>
  }
  return
}
}

// -----
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// A value that is read by two operands of each op is visited once.
// CHECK-LABEL: func.func private @map{{.*}}(
// CHECK-COUNT-64: vector.shuffle
func.func @chain(%call: !llvm.ptr, %x: memref<128x64xf32>, %y: memref<64x128xf32>) {
  tenon.fusion map ins(%x : memref<128x64xf32>) outs(%y : memref<64x128xf32>) {
  ^bb0(%a: tensor<128x64xf32>):
    %0 = tenon.multiply %a, %a : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %1 = tenon.multiply %0, %0 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %2 = tenon.multiply %1, %1 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %3 = tenon.multiply %2, %2 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %4 = tenon.multiply %3, %3 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %5 = tenon.multiply %4, %4 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %6 = tenon.multiply %5, %5 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %7 = tenon.multiply %6, %6 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %8 = tenon.multiply %7, %7 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %9 = tenon.multiply %8, %8 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %10 = tenon.multiply %9, %9 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %11 = tenon.multiply %10, %10 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %12 = tenon.multiply %11, %11 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %13 = tenon.multiply %12, %12 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %14 = tenon.multiply %13, %13 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %15 = tenon.multiply %14, %14 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %16 = tenon.multiply %15, %15 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %17 = tenon.multiply %16, %16 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %18 = tenon.multiply %17, %17 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %19 = tenon.multiply %18, %18 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %20 = tenon.multiply %19, %19 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %21 = tenon.multiply %20, %20 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %22 = tenon.multiply %21, %21 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %23 = tenon.multiply %22, %22 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %24 = tenon.multiply %23, %23 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %25 = tenon.multiply %24, %24 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %26 = tenon.multiply %25, %25 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %27 = tenon.multiply %26, %26 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %28 = tenon.multiply %27, %27 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %29 = tenon.multiply %28, %28 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %30 = tenon.multiply %29, %29 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %31 = tenon.multiply %30, %30 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %32 = tenon.multiply %31, %31 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %33 = tenon.multiply %32, %32 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %34 = tenon.multiply %33, %33 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %35 = tenon.multiply %34, %34 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %36 = tenon.multiply %35, %35 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %37 = tenon.multiply %36, %36 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %38 = tenon.multiply %37, %37 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %39 = tenon.multiply %38, %38 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %t = tenon.transpose %39 [1, 0] : (tensor<128x64xf32>) -> tensor<64x128xf32>
    tenon.yield %t : tensor<64x128xf32>
  }
  return
}
}
