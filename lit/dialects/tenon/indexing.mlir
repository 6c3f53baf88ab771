// RUN: tenon-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @gather(
// CHECK: tenon.gather %{{.*}}, %{{.*}} offset_dims [1] collapsed [0] batching [] x [] map [0] vector_dim 1 slice_sizes [1, 8] : (tensor<4x8xf32>, tensor<3x1xi64>) -> tensor<3x8xf32>
func.func @gather(%x: tensor<4x8xf32>, %i: tensor<3x1xi64>) {
  %0 = tenon.gather %x, %i offset_dims [1] collapsed [0] batching [] x [] map [0] vector_dim 1 slice_sizes [1, 8]
     : (tensor<4x8xf32>, tensor<3x1xi64>) -> tensor<3x8xf32>
  return
}

// CHECK-LABEL: func.func @scatter(
// CHECK: tenon.scatter  set %{{.*}}, %{{.*}}, %{{.*}} window_dims [1] inserted [0] batching [] x [] map [0] vector_dim 1 : (tensor<4x8xf32>, tensor<3x1xi64>, tensor<3x8xf32>) -> tensor<4x8xf32>
func.func @scatter(%x: tensor<4x8xf32>, %i: tensor<3x1xi64>, %u: tensor<3x8xf32>) {
  %0 = tenon.scatter set %x, %i, %u window_dims [1] inserted [0] batching [] x [] map [0] vector_dim 1
     : (tensor<4x8xf32>, tensor<3x1xi64>, tensor<3x8xf32>) -> tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @dynamic_update_slice(
// CHECK: tenon.dynamic_update_slice %{{.*}}, %{{.*}} at [%{{.*}}, 0] : (tensor<8x4xf32>, tensor<1x4xf32>, index) -> tensor<8x4xf32>
func.func @dynamic_update_slice(%x: tensor<8x4xf32>, %u: tensor<1x4xf32>, %i: index) {
  %0 = tenon.dynamic_update_slice %x, %u at [%i, 0] : (tensor<8x4xf32>, tensor<1x4xf32>, index) -> tensor<8x4xf32>
  return
}

// CHECK-LABEL: func.func @sort(
// CHECK: tenon.sort %{{.*}} dim 1 descending : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
func.func @sort(%x: tensor<4x8xf32>) {
  %0, %1 = tenon.sort %x dim 1 descending : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
  return
}

// CHECK-LABEL: func.func @sort_more(
// CHECK: tenon.sort %{{.*}} dim 0 : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>)
func.func @sort_more(%x: tensor<?xi64>) {
  %0, %1 = tenon.sort %x dim 0 : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>)
  return
}

// CHECK-LABEL: func.func @top_k(
// CHECK: tenon.top_k %{{.*}} first %{{.*}} dim 1 : (tensor<4x50257xf32>, index) -> (tensor<4x?xf32>, tensor<4x?xi64>)
func.func @top_k(%x: tensor<4x50257xf32>, %k: index) {
  %0, %1 = tenon.top_k %x first %k dim 1 : (tensor<4x50257xf32>, index) -> (tensor<4x?xf32>, tensor<4x?xi64>)
  return
}

// CHECK-LABEL: func.func @top_k_ascending(
// CHECK: tenon.top_k %{{.*}} first %{{.*}} dim 0 ascending : (tensor<?x4xi8>, index) -> (tensor<2x4xi8>, tensor<2x4xi64>)
func.func @top_k_ascending(%x: tensor<?x4xi8>, %k: index) {
  %0, %1 = tenon.top_k %x first %k dim 0 ascending : (tensor<?x4xi8>, index) -> (tensor<2x4xi8>, tensor<2x4xi64>)
  return
}

// CHECK-LABEL: func.func @nonzero(
// CHECK: tenon.nonzero %{{.*}} count %{{.*}} : (tensor<4x8xf32>, index) -> tensor<?x2xi64>
func.func @nonzero(%x: tensor<4x8xf32>, %n: index) {
  %0 = tenon.nonzero %x count %n : (tensor<4x8xf32>, index) -> tensor<?x2xi64>
  return
}

// CHECK-LABEL: func.func @non_max_suppression(
// CHECK: tenon.non_max_suppression %{{.*}}, %{{.*}} limit %{{.*}}, %{{.*}}, %{{.*}} : (tensor<1x6x4xf32>, tensor<1x1x6xf32>, index, tensor<f32>, tensor<f32>) -> (tensor<?x3xi64>, tensor<i64>)
func.func @non_max_suppression(%b: tensor<1x6x4xf32>, %s: tensor<1x1x6xf32>, %n: index, %iou: tensor<f32>, %min: tensor<f32>) {
  %0, %1 = tenon.non_max_suppression %b, %s limit %n, %iou, %min
     : (tensor<1x6x4xf32>, tensor<1x1x6xf32>, index, tensor<f32>, tensor<f32>) -> (tensor<?x3xi64>, tensor<i64>)
  return
}
