// RUN: tenon-opt %s --tenon-merge-contractions | FileCheck %s

tenon.weight @wq : tensor<16x8xf32> from #tenon.source<"model.onnx", 0, 512>
tenon.weight @wk : tensor<16x4xf32> from #tenon.source<"model.onnx", 512, 256>
tenon.weight @wv : tensor<16x4xf32> from #tenon.source<"model.onnx", 768, 256>
tenon.weight @hk : tensor<16x4xbf16> from #tenon.source<"model.onnx", 512, 128>
tenon.weight @hv : tensor<16x4xbf16> from #tenon.source<"model.onnx", 768, 128>
tenon.weight @bq : tensor<8xf32> from #tenon.source<"model.onnx", 1024, 32>
tenon.weight @bk : tensor<4xf32> from #tenon.source<"model.onnx", 1056, 16>
tenon.weight @bv : tensor<4xf32> from #tenon.source<"model.onnx", 1072, 16>

// Weights and biases are concatenated; attention reads slices of the result.
// CHECK-LABEL: func.func @projections(
// CHECK-SAME: %[[X:.*]]: tensor<?x5x16xf32>, %[[N:.*]]: index
// CHECK: %[[W:.*]] = tenon.concatenate %{{.*}}, %{{.*}}, %{{.*}} dim 1 {{.*}} -> tensor<16x16xf32>
// CHECK: %[[P:.*]] = tenon.dot_general %[[X]], %[[W]]
// CHECK: %[[BW:.*]] = tenon.concatenate %{{.*}}, %{{.*}}, %{{.*}} dim 0 {{.*}} -> tensor<16xf32>
// CHECK: %[[B:.*]] = tenon.broadcast_in_dim %[[BW]] dims [2] sizes [%[[N]], 5, 16]
// CHECK: %[[ALL:.*]] = tenon.add %[[B]], %[[P]]
// CHECK: tenon.reshape %[[ALL]] sizes [%{{.*}}, 5, 4, 4]
// CHECK-DAG: %[[Q:.*]] = tenon.slice %{{.*}} offsets [0, 0, 0, 0] sizes [%[[N]], 5, 2, 4]
// CHECK-DAG: %[[K:.*]] = tenon.slice %{{.*}} offsets [0, 0, 2, 0] sizes [%[[N]], 5, 1, 4]
// CHECK-DAG: %[[V:.*]] = tenon.slice %{{.*}} offsets [0, 0, 3, 0] sizes [%[[N]], 5, 1, 4]
// CHECK: tenon.attention %[[Q]], %[[K]], %[[V]]
func.func @projections(%x: tensor<?x5x16xf32>, %n: index) -> tensor<?x5x2x4xf32> {
  %wq = tenon.get_weight @wq : tensor<16x8xf32>
  %wk = tenon.get_weight @wk : tensor<16x4xf32>
  %wv = tenon.get_weight @wv : tensor<16x4xf32>
  %bq = tenon.get_weight @bq : tensor<8xf32>
  %bk = tenon.get_weight @bk : tensor<4xf32>
  %bv = tenon.get_weight @bv : tensor<4xf32>
  %0 = tenon.dot_general %x, %wq batch [] x [] contract [2] x [0] : (tensor<?x5x16xf32>, tensor<16x8xf32>) -> tensor<?x5x8xf32>
  %1 = tenon.broadcast_in_dim %bq dims [2] sizes [%n, 5, 8] : (tensor<8xf32>, index) -> tensor<?x5x8xf32>
  %2 = tenon.add %1, %0 : (tensor<?x5x8xf32>, tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
  %3 = tenon.reshape %2 sizes [%n, 5, 2, 4] : (tensor<?x5x8xf32>, index) -> tensor<?x5x2x4xf32>
  %4 = tenon.dot_general %x, %wk batch [] x [] contract [2] x [0] : (tensor<?x5x16xf32>, tensor<16x4xf32>) -> tensor<?x5x4xf32>
  %5 = tenon.broadcast_in_dim %bk dims [2] sizes [%n, 5, 4] : (tensor<4xf32>, index) -> tensor<?x5x4xf32>
  %6 = tenon.add %5, %4 : (tensor<?x5x4xf32>, tensor<?x5x4xf32>) -> tensor<?x5x4xf32>
  %7 = tenon.reshape %6 sizes [%n, 5, 1, 4] : (tensor<?x5x4xf32>, index) -> tensor<?x5x1x4xf32>
  %8 = tenon.dot_general %x, %wv batch [] x [] contract [2] x [0] : (tensor<?x5x16xf32>, tensor<16x4xf32>) -> tensor<?x5x4xf32>
  %9 = tenon.broadcast_in_dim %bv dims [2] sizes [%n, 5, 4] : (tensor<4xf32>, index) -> tensor<?x5x4xf32>
  %10 = tenon.add %9, %8 : (tensor<?x5x4xf32>, tensor<?x5x4xf32>) -> tensor<?x5x4xf32>
  %11 = tenon.reshape %10 sizes [%n, 5, 1, 4] : (tensor<?x5x4xf32>, index) -> tensor<?x5x1x4xf32>
  %12 = tenon.attention %3, %7, %11 order [0, 2, 1, 3] x [0, 2, 1, 3] x [0, 2, 1, 3] to [0, 2, 1, 3] scale 1.0
     : (tensor<?x5x2x4xf32>, tensor<?x5x1x4xf32>, tensor<?x5x1x4xf32>) -> tensor<?x5x2x4xf32>
  return %12 : tensor<?x5x2x4xf32>
}

// Weights that are widened are joined after it.
// CHECK-LABEL: func.func @widened(
// CHECK: %[[W:.*]] = tenon.concatenate %{{.*}}, %{{.*}} dim 1 : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x8xf32>
// CHECK: tenon.dot_general %{{.*}}, %[[W]]
func.func @widened(%q: tensor<3x5x1x4xf32>, %x: tensor<3x5x16xf32>) -> tensor<3x5x1x4xf32> {
  %hk = tenon.get_weight @hk : tensor<16x4xbf16>
  %hv = tenon.get_weight @hv : tensor<16x4xbf16>
  %wk = tenon.convert %hk to f32 : (tensor<16x4xbf16>) -> tensor<16x4xf32>
  %wv = tenon.convert %hv to f32 : (tensor<16x4xbf16>) -> tensor<16x4xf32>
  %0 = tenon.dot_general %x, %wk batch [] x [] contract [2] x [0] : (tensor<3x5x16xf32>, tensor<16x4xf32>) -> tensor<3x5x4xf32>
  %1 = tenon.dot_general %x, %wv batch [] x [] contract [2] x [0] : (tensor<3x5x16xf32>, tensor<16x4xf32>) -> tensor<3x5x4xf32>
  %2 = tenon.reshape %0 sizes [3, 5, 1, 4] : (tensor<3x5x4xf32>) -> tensor<3x5x1x4xf32>
  %3 = tenon.reshape %1 sizes [3, 5, 1, 4] : (tensor<3x5x4xf32>) -> tensor<3x5x1x4xf32>
  %4 = tenon.attention %q, %2, %3 order [0, 2, 1, 3] x [0, 2, 1, 3] x [0, 2, 1, 3] to [0, 2, 1, 3] scale 1.0
     : (tensor<3x5x1x4xf32>, tensor<3x5x1x4xf32>, tensor<3x5x1x4xf32>) -> tensor<3x5x1x4xf32>
  return %4 : tensor<3x5x1x4xf32>
}

// A product with an epilogue is not merged.
// CHECK-LABEL: func.func @computed_from(
// CHECK-NOT: tenon.concatenate
// CHECK: tenon.dot_general
// CHECK: tenon.dot_general
func.func @computed_from(%x: tensor<5x16xf32>) -> tensor<5x4xf32> {
  %wk = tenon.get_weight @wk : tensor<16x4xf32>
  %wv = tenon.get_weight @wv : tensor<16x4xf32>
  %0 = tenon.dot_general %x, %wk batch [] x [] contract [1] x [0] : (tensor<5x16xf32>, tensor<16x4xf32>) -> tensor<5x4xf32>
  %1 = tenon.dot_general %x, %wv batch [] x [] contract [1] x [0] : (tensor<5x16xf32>, tensor<16x4xf32>) -> tensor<5x4xf32>
  %2 = tenon.multiply %0, %1 : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
  return %2 : tensor<5x4xf32>
}

// A result of the graph is not merged, because it would have to be copied out.
// CHECK-LABEL: func.func @returned(
// CHECK-NOT: tenon.concatenate
func.func @returned(%x: tensor<5x16xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>) {
  %wk = tenon.get_weight @wk : tensor<16x4xf32>
  %wv = tenon.get_weight @wv : tensor<16x4xf32>
  %0 = tenon.dot_general %x, %wk batch [] x [] contract [1] x [0] : (tensor<5x16xf32>, tensor<16x4xf32>) -> tensor<5x4xf32>
  %1 = tenon.dot_general %x, %wv batch [] x [] contract [1] x [0] : (tensor<5x16xf32>, tensor<16x4xf32>) -> tensor<5x4xf32>
  return %0, %1 : tensor<5x4xf32>, tensor<5x4xf32>
}
