// RUN: tenon-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @reduce(
// CHECK: tenon.reduce  add %{{.*}} over [1] : (tensor<4x8xf32>) -> tensor<4xf32>
func.func @reduce(%x: tensor<4x8xf32>) {
  %0 = tenon.reduce add %x over [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @reduce_more(
// CHECK: tenon.reduce  or %{{.*}} over [0, 2] : (tensor<4x?x8xi1>) -> tensor<?xi1>
func.func @reduce_more(%x: tensor<4x?x8xi1>) {
  %0 = tenon.reduce or %x over [0, 2] : (tensor<4x?x8xi1>) -> tensor<?xi1>
  return
}

// CHECK-LABEL: func.func @reduce_further(
// CHECK: tenon.reduce  maximum %{{.*}} over [] : (tensor<f32>) -> tensor<f32>
func.func @reduce_further(%x: tensor<f32>) {
  %0 = tenon.reduce maximum %x over [] : (tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @arg_reduce(
// CHECK: tenon.arg_reduce  maximum %{{.*}} over 1 : (tensor<4x8xf32>) -> tensor<4xi64>
func.func @arg_reduce(%x: tensor<4x8xf32>) {
  %0 = tenon.arg_reduce maximum %x over 1 : (tensor<4x8xf32>) -> tensor<4xi64>
  return
}

// CHECK-LABEL: func.func @cumulative(
// CHECK: tenon.cumulative  add %{{.*}} over 1 : tensor<4x8xf32>
func.func @cumulative(%x: tensor<4x8xf32>) {
  %0 = tenon.cumulative add %x over 1 : tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @cumulative_more(
// CHECK: tenon.cumulative  add %{{.*}} over 0 exclusive reverse : tensor<?xi32>
func.func @cumulative_more(%x: tensor<?xi32>) {
  %0 = tenon.cumulative add %x over 0 exclusive reverse : tensor<?xi32>
  return
}

// CHECK-LABEL: func.func @reduce_window(
// CHECK: tenon.reduce_window  maximum %{{.*}} window [1, 3, 3, 1] strides [1, 2, 2, 1] dilations [1, 1, 1, 1] padding [0, 0, 1, 1, 1, 1, 0, 0] : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
func.func @reduce_window(%x: tensor<1x8x8x4xf32>) {
  %0 = tenon.reduce_window maximum %x window [1, 3, 3, 1] strides [1, 2, 2, 1] dilations [1, 1, 1, 1] padding [0, 0, 1, 1, 1, 1, 0, 0]
     : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
  return
}

// CHECK-LABEL: func.func @arg_reduce_window(
// CHECK: tenon.arg_reduce_window  maximum %{{.*}} window [2] strides [2] dilations [1] padding [0, 0] : (tensor<8xf32>) -> tensor<4xi64>
func.func @arg_reduce_window(%x: tensor<8xf32>) {
  %0 = tenon.arg_reduce_window maximum %x window [2] strides [2] dilations [1] padding [0, 0] : (tensor<8xf32>) -> tensor<4xi64>
  return
}
