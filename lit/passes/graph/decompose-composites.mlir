// RUN: tenon-opt %s --tenon-decompose-composites | FileCheck %s

// The row maximum is subtracted first, so that no exponential overflows.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
// CHECK: %[[MAX:.*]] = tenon.reduce maximum %[[X]] over [1]
// CHECK: %[[MAXES:.*]] = tenon.broadcast_in_dim %[[MAX]] dims [0] sizes [4, 8]
// CHECK: %[[SHIFTED:.*]] = tenon.subtract %[[X]], %[[MAXES]]
// CHECK: %[[POWERS:.*]] = tenon.exponential_flushed %[[SHIFTED]]
// CHECK: %[[SUM:.*]] = tenon.reduce add %[[POWERS]] over [1]
// CHECK: %[[SUMS:.*]] = tenon.broadcast_in_dim %[[SUM]] dims [0] sizes [4, 8]
// CHECK: %[[SHARES:.*]] = tenon.divide %[[POWERS]], %[[SUMS]]
// CHECK: return %[[SHARES]]
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tenon.softmax %x over 1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// The logarithm is computed of the sums only, not of every element.
// CHECK-LABEL: func.func @log_softmax(
// CHECK: %[[SHIFTED:.*]] = tenon.subtract
// CHECK: %[[SUM:.*]] = tenon.reduce add %{{.*}} over [0]
// CHECK: %[[LOG:.*]] = tenon.log %[[SUM]] : (tensor<8xf32>)
// CHECK: %[[LOGS:.*]] = tenon.broadcast_in_dim %[[LOG]] dims [1] sizes [4, 8]
// CHECK: tenon.subtract %[[SHIFTED]], %[[LOGS]]
func.func @log_softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tenon.log_softmax %x over 0 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Two passes: the variance is computed from the centered values.
// CHECK-LABEL: func.func @layer_norm(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[SCALE:.*]]: tensor<8xf32>, %[[BIAS:.*]]: tensor<8xf32>
// CHECK: tenon.reduce add %[[X]] over [1]
// CHECK: %[[CENTRED:.*]] = tenon.subtract %[[X]]
// CHECK: %[[SQUARES:.*]] = tenon.multiply %[[CENTRED]], %[[CENTRED]]
// CHECK: tenon.reduce add %[[SQUARES]] over [1]
// CHECK: tenon.sqrt
// CHECK: tenon.broadcast_in_dim %[[SCALE]] dims [1]
// CHECK: tenon.broadcast_in_dim %[[BIAS]] dims [1]
// CHECK-NOT: tenon.layer_norm
func.func @layer_norm(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = tenon.layer_norm %x, %s, %b axis 1 epsilon 1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// The run counts the normalized elements if their number is unknown.
// CHECK-LABEL: func.func @layer_norm_of_unknown_extent(
// CHECK-SAME: %[[X:.*]]: tensor<4x?xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[X]]
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK: %[[SCALAR:.*]] = tensor.from_elements %[[NUMBER]] : tensor<i64>
// CHECK: tenon.convert %[[SCALAR]] to f32
func.func @layer_norm_of_unknown_extent(%x: tensor<4x?xf32>, %s: tensor<?xf32>) -> tensor<4x?xf32> {
  %0 = tenon.layer_norm %x, %s, %s axis 1 epsilon 1.0e-5 : (tensor<4x?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// CHECK-LABEL: func.func @gelu(
// CHECK: tenon.erf
func.func @gelu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tenon.gelu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @gelu_tanh(
// CHECK-NOT: tenon.erf
// CHECK: tenon.tanh
func.func @gelu_tanh(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tenon.gelu %x tanh : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Values that depend only on the statistics are computed per channel.
// CHECK-LABEL: func.func @batch_norm(
// CHECK-SAME: %{{.*}}: tensor<4x8xf32>, %[[SCALE:.*]]: tensor<8xf32>
// CHECK: %[[DEVIATION:.*]] = tenon.sqrt %{{.*}} : (tensor<8xf32>)
// CHECK: tenon.divide %[[SCALE]], %[[DEVIATION]] : (tensor<8xf32>
// CHECK-NOT: tenon.batch_norm
func.func @batch_norm(%x: tensor<4x8xf32>, %s: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = tenon.batch_norm %x, %s, %s, %s, %s dim 1 epsilon 1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Recipes of weights are decomposed, too.
// CHECK-LABEL: tenon.weight @shares
// CHECK: tenon.exponential
// CHECK-NOT: tenon.softmax
tenon.weight @w : tensor<4x8xf32> from #tenon.source<"model.onnx", 0, 128>
tenon.weight @shares : tensor<4x8xf32> {
  %0 = tenon.get_weight @w : tensor<4x8xf32>
  %1 = tenon.softmax %0 over 1 : tensor<4x8xf32>
  tenon.yield %1 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @primitive(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[POWERS:.*]] = tenon.exponential %[[X]]
// CHECK-NEXT: return %[[POWERS]]
func.func @primitive(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tenon.exponential %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Attention has its own kernel, but not for f64.
// CHECK-LABEL: func.func @attention(
// CHECK: tenon.attention
// CHECK-NOT: tenon.attention
// CHECK: tenon.reduce maximum
func.func @attention(%x: tensor<4x8xf32>, %y: tensor<4x8xf64>) -> (tensor<4x8xf32>, tensor<4x8xf64>) {
  %0 = tenon.attention %x, %x, %x order [0, 1] x [0, 1] x [0, 1] to [0, 1] scale 1.0 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = tenon.attention %y, %y, %y order [0, 1] x [0, 1] x [0, 1] to [0, 1] scale 1.0 : (tensor<4x8xf64>, tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x8xf64>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf64>
}
