// RUN: tenon-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @constant(
// CHECK: tenon.constant dense<1.000000e+00> : tensor<4xf32>
func.func @constant() {
  %0 = tenon.constant dense<1.0> : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @iota(
// CHECK: tenon.iota dim 1 sizes [4, %{{.*}}] : (index) -> tensor<4x?xi64>
func.func @iota(%n: index) {
  %0 = tenon.iota dim 1 sizes [4, %n] : (index) -> tensor<4x?xi64>
  return
}

// CHECK-LABEL: func.func @broadcast_in_dim(
// CHECK: tenon.broadcast_in_dim %{{.*}} dims [1] sizes [%{{.*}}, 8] : (tensor<8xf32>, index) -> tensor<?x8xf32>
func.func @broadcast_in_dim(%x: tensor<8xf32>, %n: index) {
  %0 = tenon.broadcast_in_dim %x dims [1] sizes [%n, 8] : (tensor<8xf32>, index) -> tensor<?x8xf32>
  return
}

// CHECK-LABEL: func.func @reshape(
// CHECK: tenon.reshape %{{.*}} sizes [%{{.*}}, 32] : (tensor<?x4x8xf32>, index) -> tensor<?x32xf32>
func.func @reshape(%x: tensor<?x4x8xf32>, %n: index) {
  %0 = tenon.reshape %x sizes [%n, 32] : (tensor<?x4x8xf32>, index) -> tensor<?x32xf32>
  return
}

// CHECK-LABEL: func.func @reshape_more(
// CHECK: tenon.reshape %{{.*}} sizes [] : (tensor<1x1xf32>) -> tensor<f32>
func.func @reshape_more(%x: tensor<1x1xf32>) {
  %0 = tenon.reshape %x sizes [] : (tensor<1x1xf32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @transpose(
// CHECK: tenon.transpose %{{.*}} [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
func.func @transpose(%x: tensor<4x8xf32>) {
  %0 = tenon.transpose %x [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// CHECK-LABEL: func.func @transpose_more(
// CHECK: tenon.transpose %{{.*}} [] : (tensor<f32>) -> tensor<f32>
func.func @transpose_more(%x: tensor<f32>) {
  %0 = tenon.transpose %x [] : (tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @slice(
// CHECK: tenon.slice %{{.*}} offsets [0, %{{.*}}] sizes [2, 4] strides [1, 2] : (tensor<4x?xf32>, index) -> tensor<2x4xf32>
func.func @slice(%x: tensor<4x?xf32>, %o: index) {
  %0 = tenon.slice %x offsets [0, %o] sizes [2, 4] strides [1, 2] : (tensor<4x?xf32>, index) -> tensor<2x4xf32>
  return
}

// CHECK-LABEL: func.func @slice_more(
// CHECK: tenon.slice %{{.*}} offsets [3] sizes [2] strides [-2] : (tensor<4xf32>) -> tensor<2xf32>
func.func @slice_more(%x: tensor<4xf32>) {
  %0 = tenon.slice %x offsets [3] sizes [2] strides [-2] : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @pad(
// CHECK: tenon.pad %{{.*}}, %{{.*}} low [0, 1] high [0, %{{.*}}] interior [0, 0] : (tensor<4x8xf32>, tensor<f32>, index) -> tensor<4x?xf32>
func.func @pad(%x: tensor<4x8xf32>, %v: tensor<f32>, %h: index) {
  %0 = tenon.pad %x, %v low [0, 1] high [0, %h] interior [0, 0] : (tensor<4x8xf32>, tensor<f32>, index) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @pad_more(
// CHECK: tenon.pad %{{.*}}, %{{.*}} low [-1] high [-1] interior [1] : (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>
func.func @pad_more(%x: tensor<4xf32>, %v: tensor<f32>) {
  %0 = tenon.pad %x, %v low [-1] high [-1] interior [1] : (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// CHECK-LABEL: func.func @concatenate(
// CHECK: tenon.concatenate %{{.*}}, %{{.*}} dim 1 : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<4x10xf32>
func.func @concatenate(%a: tensor<4x8xf32>, %b: tensor<4x2xf32>) {
  %0 = tenon.concatenate %a, %b dim 1 : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<4x10xf32>
  return
}

// CHECK-LABEL: func.func @concatenate_more(
// CHECK: tenon.concatenate %{{.*}}, %{{.*}} dim 0 : (tensor<?x2xf32>, tensor<0x2xf32>) -> tensor<?x2xf32>
func.func @concatenate_more(%a: tensor<?x2xf32>, %b: tensor<0x2xf32>) {
  %0 = tenon.concatenate %a, %b dim 0 : (tensor<?x2xf32>, tensor<0x2xf32>) -> tensor<?x2xf32>
  return
}

// CHECK-LABEL: func.func @reverse(
// CHECK: tenon.reverse %{{.*}} [0] : tensor<4x8xf32>
func.func @reverse(%x: tensor<4x8xf32>) {
  %0 = tenon.reverse %x [0] : tensor<4x8xf32>
  return
}
