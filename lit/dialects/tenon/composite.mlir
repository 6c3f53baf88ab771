// RUN: tenon-opt %s --verify-roundtrip | FileCheck %s

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
