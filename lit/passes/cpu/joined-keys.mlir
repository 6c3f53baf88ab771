// Attention copies the keys it joins block by block. If the output is
// streamed, whole blocks of earlier keys use non-temporal stores, aligned to
// cache lines, and are read from their source. A fence follows the last one.
// RUN: tenon-opt %s --pass-pipeline='builtin.module(tenon-plan-kernels,tenon-lower-fusions,canonicalize,cse)' --split-input-file | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: func.func private @attention{{.*}}(
// CHECK-SAME: %[[Q:[a-z0-9]*]]: memref<8x1x64xf32>, %[[PAST:[a-z0-9]*]]: memref<8x?x64xf32>, %[[NEW:[a-z0-9]*]]: memref<8x1x64xf32>,
// CHECK: %[[ALL:.*]] = arith.cmpi eq
// CHECK: scf.if %[[ALL]] {
// CHECK: arith.andi %{{.*}}, %c63
// CHECK: vector.store {{.*}}alignment = 64 : i64, nontemporal = true
// CHECK: } else {
// CHECK-NOT: nontemporal
// CHECK: arith.select %[[ALL]], %{{.*}}, %{{.*}} : memref<?xf32>
// CHECK: llvm.fence seq_cst
// CHECK-NEXT: return
func.func @f(%q: memref<8x1x64xf32>, %a: memref<8x?x64xf32>, %b: memref<8x1x64xf32>, %v: memref<8x?x64xf32>, %r: memref<8x1x64xf32>, %k: memref<8x?x64xf32>) {
  tenon.fusion attention ins(%q, %a, %b, %v : memref<8x1x64xf32>, memref<8x?x64xf32>, memref<8x1x64xf32>, memref<8x?x64xf32>)
      outs(%r, %k : memref<8x1x64xf32>, memref<8x?x64xf32>) attributes {streamed} {
  ^bb0(%c: tensor<8x1x64xf32>, %d: tensor<8x?x64xf32>, %e: tensor<8x1x64xf32>, %f: tensor<8x?x64xf32>):
    %0 = tenon.concatenate %d, %e dim 1 : (tensor<8x?x64xf32>, tensor<8x1x64xf32>) -> tensor<8x?x64xf32>
    %1 = tenon.attention %c, %0, %f order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0
       : (tensor<8x1x64xf32>, tensor<8x?x64xf32>, tensor<8x?x64xf32>) -> tensor<8x1x64xf32>
    tenon.yield %1, %0 : tensor<8x1x64xf32>, tensor<8x?x64xf32>
  }
  return
}
}

// -----
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: func.func private @attention{{.*}}(
// CHECK-NOT: nontemporal
// CHECK-NOT: llvm.fence
// CHECK: return
func.func @f(%q: memref<8x1x64xf32>, %a: memref<8x?x64xf32>, %b: memref<8x1x64xf32>, %v: memref<8x?x64xf32>, %r: memref<8x1x64xf32>, %k: memref<8x?x64xf32>) {
  tenon.fusion attention ins(%q, %a, %b, %v : memref<8x1x64xf32>, memref<8x?x64xf32>, memref<8x1x64xf32>, memref<8x?x64xf32>)
      outs(%r, %k : memref<8x1x64xf32>, memref<8x?x64xf32>) {
  ^bb0(%c: tensor<8x1x64xf32>, %d: tensor<8x?x64xf32>, %e: tensor<8x1x64xf32>, %f: tensor<8x?x64xf32>):
    %0 = tenon.concatenate %d, %e dim 1 : (tensor<8x?x64xf32>, tensor<8x1x64xf32>) -> tensor<8x?x64xf32>
    %1 = tenon.attention %c, %0, %f order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0
       : (tensor<8x1x64xf32>, tensor<8x?x64xf32>, tensor<8x?x64xf32>) -> tensor<8x1x64xf32>
    tenon.yield %1, %0 : tensor<8x1x64xf32>, tensor<8x?x64xf32>
  }
  return
}
}

// -----
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// Rows that are not contiguous are read from the output, streamed or not.
// CHECK-LABEL: func.func private @attention{{.*}}(
// CHECK-NOT: nontemporal
// CHECK: return
func.func @f(%q: memref<8x1x64xf32>, %a: memref<8x?x128xf32>, %b: memref<8x1x64xf32>, %v: memref<8x?x64xf32>, %r: memref<8x1x64xf32>, %k: memref<8x?x64xf32>, %n: index) {
  tenon.fusion attention ins(%q, %a, %b, %v, %n : memref<8x1x64xf32>, memref<8x?x128xf32>, memref<8x1x64xf32>, memref<8x?x64xf32>, index)
      outs(%r, %k : memref<8x1x64xf32>, memref<8x?x64xf32>) attributes {streamed} {
  ^bb0(%c: tensor<8x1x64xf32>, %d: tensor<8x?x128xf32>, %e: tensor<8x1x64xf32>, %f: tensor<8x?x64xf32>, %m: index):
    %s = tenon.slice %d offsets [0, 0, 64] sizes [8, %m, 64] strides [1, 1, 1] : (tensor<8x?x128xf32>, index) -> tensor<8x?x64xf32>
    %0 = tenon.concatenate %s, %e dim 1 : (tensor<8x?x64xf32>, tensor<8x1x64xf32>) -> tensor<8x?x64xf32>
    %1 = tenon.attention %c, %0, %f order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0
       : (tensor<8x1x64xf32>, tensor<8x?x64xf32>, tensor<8x?x64xf32>) -> tensor<8x1x64xf32>
    tenon.yield %1, %0 : tensor<8x1x64xf32>, tensor<8x?x64xf32>
  }
  return
}
}
