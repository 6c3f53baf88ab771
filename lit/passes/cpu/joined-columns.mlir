// The columns of a concatenation along the last dimension are computed operand
// by operand, in vectors, also those that further ops compute.
// RUN: tenon-opt %s --pass-pipeline='builtin.module(tenon-plan-kernels,tenon-lower-fusions,canonicalize,cse)' --split-input-file | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// The second operand has two whole vectors and eight further columns.
// CHECK-LABEL: func.func private @map{{.*}}(
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c16
// CHECK: vector.load %{{.*}} : memref<?x64xf32>, vector<16xf32>
// CHECK: arith.addf
// CHECK: scf.for %{{.*}} = %c64 to %c96 step %c16
// CHECK: vector.load %{{.*}} : memref<?x40xf32>, vector<16xf32>
// CHECK: vector.load %{{.*}} : memref<?x40xf32>, vector<8xf32>
// CHECK-NOT: memref.load
func.func @joined(%call: !llvm.ptr, %x: memref<?x64xf32>, %z: memref<?x40xf32>, %bias: memref<104xf32>, %y: memref<?x104xf32>) {
  tenon.fusion map ins(%x, %z, %bias : memref<?x64xf32>, memref<?x40xf32>, memref<104xf32>) outs(%y : memref<?x104xf32>) {
  ^bb0(%a: tensor<?x64xf32>, %b: tensor<?x40xf32>, %c: tensor<104xf32>):
    %c0 = arith.constant 0 : index
    %n = tensor.dim %a, %c0 : tensor<?x64xf32>
    %0 = tenon.concatenate %a, %b dim 1 : (tensor<?x64xf32>, tensor<?x40xf32>) -> tensor<?x104xf32>
    %1 = tenon.broadcast_in_dim %c dims [1] sizes [%n, 104] : (tensor<104xf32>, index) -> tensor<?x104xf32>
    %2 = tenon.add %0, %1 : (tensor<?x104xf32>, tensor<?x104xf32>) -> tensor<?x104xf32>
    tenon.yield %2 : tensor<?x104xf32>
  }
  return
}
}

// -----
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// If another op has no vectors, all columns are computed one by one.
// CHECK-LABEL: func.func private @map{{.*}}(
// CHECK-NOT: vector.
// CHECK: scf.for %{{.*}} = %c0 to %c104 step %c1
// CHECK-NOT: vector.
func.func @checked(%call: !llvm.ptr, %x: memref<?x64xi64>, %z: memref<?x40xi64>, %y: memref<?x104xi64>) {
  tenon.fusion map ins(%x, %z : memref<?x64xi64>, memref<?x40xi64>) outs(%y : memref<?x104xi64>) {
  ^bb0(%a: tensor<?x64xi64>, %b: tensor<?x40xi64>):
    %c0 = arith.constant 0 : index
    %n = tensor.dim %a, %c0 : tensor<?x64xi64>
    %low = tenon.constant dense<0> : tensor<i64>
    %l = tenon.broadcast_in_dim %low dims [] sizes [%n, 104] : (tensor<i64>, index) -> tensor<?x104xi64>
    %0 = tenon.concatenate %a, %b dim 1 : (tensor<?x64xi64>, tensor<?x40xi64>) -> tensor<?x104xi64>
    %1 = tenon.check_range %0 in [%l, %l) "site" : (tensor<?x104xi64>, tensor<?x104xi64>, tensor<?x104xi64>) -> tensor<?x104xi64>
    tenon.yield %1 : tensor<?x104xi64>
  }
  return
}
}

// -----
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// So are they if an op reads other columns than the result's.
// CHECK-LABEL: func.func private @map{{.*}}(
// CHECK-NOT: vector.
// CHECK: scf.for %{{.*}} = %c0 to %c104 step %c1
// CHECK-NOT: vector.
func.func @reversed(%call: !llvm.ptr, %x: memref<9x64xf32>, %z: memref<9x40xf32>, %y: memref<9x104xf32>) {
  tenon.fusion map ins(%x, %z : memref<9x64xf32>, memref<9x40xf32>) outs(%y : memref<9x104xf32>) {
  ^bb0(%a: tensor<9x64xf32>, %b: tensor<9x40xf32>):
    %0 = tenon.concatenate %a, %b dim 1 : (tensor<9x64xf32>, tensor<9x40xf32>) -> tensor<9x104xf32>
    %1 = tenon.reverse %0 [1] : tensor<9x104xf32>
    %2 = tenon.subtract %1, %0 : (tensor<9x104xf32>, tensor<9x104xf32>) -> tensor<9x104xf32>
    tenon.yield %2 : tensor<9x104xf32>
  }
  return
}
}
