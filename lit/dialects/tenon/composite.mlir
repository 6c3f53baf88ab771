// RUN: tenon-opt %s --verify-roundtrip | FileCheck %s
// RUN: tenon-opt %s --canonicalize | FileCheck %s --check-prefix=CANON

// CHECK-LABEL: func.func @softmax(
// CHECK: tenon.softmax %{{.*}} over 1 : tensor<4x8xf32>
func.func @softmax(%x: tensor<4x8xf32>) {
  %0 = tenon.softmax %x over 1 : tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @log_softmax(
// CHECK: tenon.log_softmax %{{.*}} over 1 : tensor<4x8xf32>
func.func @log_softmax(%x: tensor<4x8xf32>) {
  %0 = tenon.log_softmax %x over 1 : tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @layer_norm(
// CHECK: tenon.layer_norm %{{.*}}, %{{.*}}, %{{.*}} axis 1 epsilon 1.000000e-05 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
func.func @layer_norm(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) {
  %0 = tenon.layer_norm %x, %s, %b axis 1 epsilon 1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @gelu(
// CHECK: tenon.gelu %{{.*}} : tensor<4x8xf32>
func.func @gelu(%x: tensor<4x8xf32>) {
  %0 = tenon.gelu %x : tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @gelu_more(
// CHECK: tenon.gelu %{{.*}} tanh : tensor<?xf16>
func.func @gelu_more(%x: tensor<?xf16>) {
  %0 = tenon.gelu %x tanh : tensor<?xf16>
  return
}

// CHECK-LABEL: func.func @batch_norm(
// CHECK: tenon.batch_norm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} dim 1 epsilon 1.000000e-05 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
func.func @batch_norm(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %o: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>) {
  %0 = tenon.batch_norm %x, %s, %o, %m, %v dim 1 epsilon 1.0e-5
     : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @attention(
// CHECK: tenon.attention %{{.*}}, %{{.*}}, %{{.*}} order [0, 2, 1, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 2, 1, 3] scale 1.250000e-01 : (tensor<2x5x12x64xf32>, tensor<2x4x7x64xf32>, tensor<2x4x7x64xf32>) -> tensor<2x5x12x64xf32>
func.func @attention(%q: tensor<2x5x12x64xf32>, %k: tensor<2x4x7x64xf32>, %v: tensor<2x4x7x64xf32>) {
  %0 = tenon.attention %q, %k, %v order [0, 2, 1, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 2, 1, 3] scale 1.25e-01
     : (tensor<2x5x12x64xf32>, tensor<2x4x7x64xf32>, tensor<2x4x7x64xf32>) -> tensor<2x5x12x64xf32>
  return
}

// CHECK-LABEL: func.func @attention_masked(
// CHECK: tenon.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} causal %{{.*}} fill -1.000000e+04 order [0, 1] x [0, 1] x [0, 1] to [1, 0] scale 1.000000e+00 : (tensor<?x8xf16>, tensor<?x8xf16>, tensor<?x4xf16>, tensor<?x?xf16>, index) -> tensor<4x?xf16>
func.func @attention_masked(%q: tensor<?x8xf16>, %k: tensor<?x8xf16>, %v: tensor<?x4xf16>, %m: tensor<?x?xf16>, %n: index) {
  %0 = tenon.attention %q, %k, %v mask %m causal %n fill -1.0e+04 order [0, 1] x [0, 1] x [0, 1] to [1, 0] scale 1.0
     : (tensor<?x8xf16>, tensor<?x8xf16>, tensor<?x4xf16>, tensor<?x?xf16>, index) -> tensor<4x?xf16>
  return
}

// CHECK-LABEL: func.func @attention_cached(
// CHECK: tenon.attention %{{.*}}, %{{.*}}, %{{.*}} causal %[[C:.*]] lengths %[[N:.*]] table %[[T:.*]] fill 0xFFF0000000000000 order [0, 2, 1, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 2, 1, 3] scale 1.250000e-01 : (tensor<?x5x12x64xf32>, tensor<9x4x?x64xbf16>, tensor<9x4x?x64xbf16>, tensor<?xi64>, tensor<?xi64>, tensor<?x?xi64>) -> tensor<?x5x12x64xf32>
func.func @attention_cached(%q: tensor<?x5x12x64xf32>, %k: tensor<9x4x?x64xbf16>, %v: tensor<9x4x?x64xbf16>, %c: tensor<?xi64>, %n: tensor<?xi64>, %t: tensor<?x?xi64>) {
  %0 = tenon.attention %q, %k, %v causal %c lengths %n table %t fill 0xFFF0000000000000 order [0, 2, 1, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 2, 1, 3] scale 1.25e-01
     : (tensor<?x5x12x64xf32>, tensor<9x4x?x64xbf16>, tensor<9x4x?x64xbf16>, tensor<?xi64>, tensor<?xi64>, tensor<?x?xi64>) -> tensor<?x5x12x64xf32>
  return
}

// Transposes of operands and of the result are folded into the orders.
// CANON-LABEL: func.func @attention_transposed(
// CANON-SAME: %[[Q:.*]]: tensor<2x5x3x8xf32>, %[[K:.*]]: tensor<2x8x3x7xf32>
// CANON: %[[R:.*]] = tenon.attention %[[Q]], %[[K]], %[[K]] order [0, 2, 1, 3] x [0, 2, 3, 1] x [0, 2, 3, 1] to [0, 2, 1, 3]
// CANON: return %[[R]]
func.func @attention_transposed(%q: tensor<2x5x3x8xf32>, %k: tensor<2x8x3x7xf32>) -> tensor<2x5x3x8xf32> {
  %0 = tenon.transpose %q [0, 2, 1, 3] : (tensor<2x5x3x8xf32>) -> tensor<2x3x5x8xf32>
  %1 = tenon.transpose %k [0, 2, 3, 1] : (tensor<2x8x3x7xf32>) -> tensor<2x3x7x8xf32>
  %2 = tenon.attention %0, %1, %1 order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 1.0
     : (tensor<2x3x5x8xf32>, tensor<2x3x7x8xf32>, tensor<2x3x7x8xf32>) -> tensor<2x3x5x8xf32>
  %3 = tenon.transpose %2 [0, 2, 1, 3] : (tensor<2x3x5x8xf32>) -> tensor<2x5x3x8xf32>
  return %3 : tensor<2x5x3x8xf32>
}
