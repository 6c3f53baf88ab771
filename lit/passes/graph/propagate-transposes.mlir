// Transposes move down through ops that allow it until they cancel, and stop
// where an op does not.
// RUN: tenon-opt %s --tenon-propagate-transposes --split-input-file | FileCheck %s

// CHECK-LABEL: @cancels
// CHECK-SAME: %[[X:.*]]: tensor<2x8x8x4xf32>
// CHECK-NEXT: %[[E:.*]] = tenon.exponential %[[X]]
// CHECK-NEXT: return %[[E]]
func.func @cancels(%x: tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32> {
  %t = tenon.transpose %x [0, 3, 1, 2] : (tensor<2x8x8x4xf32>) -> tensor<2x4x8x8xf32>
  %e = tenon.exponential %t : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %b = tenon.transpose %e [0, 2, 3, 1] : (tensor<2x4x8x8xf32>) -> tensor<2x8x8x4xf32>
  return %b : tensor<2x8x8x4xf32>
}

// -----
// Both operands of a residual addition have the same transpose.
// CHECK-LABEL: @residual
// CHECK-SAME: %[[X:.*]]: tensor<?x8x8x4xf32>, %[[Y:.*]]: tensor<?x8x8x4xf32>
// CHECK-NEXT: %[[SUM:.*]] = tenon.add %[[X]], %[[Y]]
// CHECK-NEXT: %[[T:.*]] = tenon.transpose %[[SUM]] [0, 3, 1, 2]
// CHECK-NEXT: return %[[T]]
func.func @residual(%x: tensor<?x8x8x4xf32>, %y: tensor<?x8x8x4xf32>) -> tensor<?x4x8x8xf32> {
  %s = tenon.transpose %x [0, 3, 1, 2] : (tensor<?x8x8x4xf32>) -> tensor<?x4x8x8xf32>
  %t = tenon.transpose %y [0, 3, 1, 2] : (tensor<?x8x8x4xf32>) -> tensor<?x4x8x8xf32>
  %0 = tenon.add %s, %t : (tensor<?x4x8x8xf32>, tensor<?x4x8x8xf32>) -> tensor<?x4x8x8xf32>
  return %0 : tensor<?x4x8x8xf32>
}

// -----
// CHECK-LABEL: @other_operand_lies_otherwise
// CHECK: tenon.transpose
// CHECK-NEXT: tenon.add
// CHECK-NEXT: return
func.func @other_operand_lies_otherwise(%x: tensor<8x4xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %t = tenon.transpose %x [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %0 = tenon.add %t, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----
// Splats, broadcasts and weights are transposed at no cost at run time.
// CHECK-LABEL: @constants
// CHECK-SAME: %[[X:.*]]: tensor<2x8x8x4xf32>, %[[V:.*]]: tensor<4xf32>
// CHECK: tenon.broadcast_in_dim %[[V]] dims [3] sizes [2, 8, 8, 4]
// CHECK: %[[W:.*]] = tenon.transpose {{.*}} [0, 2, 3, 1]
// CHECK: tenon.multiply {{.*}}, %[[W]]
// CHECK: tenon.transpose {{.*}} [0, 3, 1, 2]
// CHECK-NEXT: return
tenon.weight @w : tensor<2x4x8x8xf32> from #tenon.source<"m.bin", 0, 2048>
func.func @constants(%x: tensor<2x8x8x4xf32>, %v: tensor<4xf32>) -> tensor<2x4x8x8xf32> {
  %t = tenon.transpose %x [0, 3, 1, 2] : (tensor<2x8x8x4xf32>) -> tensor<2x4x8x8xf32>
  %b = tenon.broadcast_in_dim %v dims [1] sizes [2, 4, 8, 8] : (tensor<4xf32>) -> tensor<2x4x8x8xf32>
  %0 = tenon.add %t, %b : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %c = tenon.constant dense<2.0> : tensor<2x4x8x8xf32>
  %1 = tenon.maximum %0, %c : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %w = tenon.get_weight @w : tensor<2x4x8x8xf32>
  %2 = tenon.multiply %1, %w : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  return %2 : tensor<2x4x8x8xf32>
}

// -----
// CHECK-LABEL: @attributes
// CHECK: tenon.pad {{.*}} low [0, 1, 2, 0] high [0, 3, 4, 0] interior [0, 0, 0, 0]
// CHECK: tenon.slice {{.*}} offsets [0, 1, 2, 0] sizes [2, 8, 8, 4] strides [1, 1, 1, 1]
// CHECK: tenon.concatenate {{.*}} dim 3
// CHECK: tenon.reduce_window maximum {{.*}} window [1, 2, 3, 1] strides [1, 2, 1, 1] dilations [1, 1, 1, 1] padding [0, 0, 1, 0, 2, 0, 0, 0]
// CHECK: tenon.batch_norm {{.*}} dim 3
// CHECK: tenon.softmax {{.*}} over 3
// CHECK: %[[R:.*]] = tenon.reduce add {{.*}} over [1, 2]
// CHECK-NEXT: return %[[R]] : tensor<2x8xf32>
func.func @attributes(%x: tensor<2x8x8x4xf32>, %v: tensor<8xf32>) -> tensor<2x8xf32> {
  %zero = tenon.constant dense<0.0> : tensor<f32>
  %t = tenon.transpose %x [0, 3, 1, 2] : (tensor<2x8x8x4xf32>) -> tensor<2x4x8x8xf32>
  %0 = tenon.pad %t, %zero low [0, 0, 1, 2] high [0, 0, 3, 4] interior [0, 0, 0, 0] : (tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x12x14xf32>
  %1 = tenon.slice %0 offsets [0, 0, 1, 2] sizes [2, 4, 8, 8] strides [1, 1, 1, 1] : (tensor<2x4x12x14xf32>) -> tensor<2x4x8x8xf32>
  %2 = tenon.concatenate %1, %t dim 1 : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x8x8x8xf32>
  %3 = tenon.reduce_window maximum %2 window [1, 1, 2, 3] strides [1, 1, 2, 1] dilations [1, 1, 1, 1] padding [0, 0, 0, 0, 1, 0, 2, 0] : (tensor<2x8x8x8xf32>) -> tensor<2x8x4x8xf32>
  %4 = tenon.batch_norm %3, %v, %v, %v, %v dim 1 epsilon 1.0e-5 : (tensor<2x8x4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x8xf32>
  %5 = tenon.softmax %4 over 1 : tensor<2x8x4x8xf32>
  %6 = tenon.reduce add %5 over [2, 3] : (tensor<2x8x4x8xf32>) -> tensor<2x8xf32>
  return %6 : tensor<2x8xf32>
}

// -----
// Reflected borders choose places along two dimensions. The transpose sinks
// below them if its inverse follows.
// CHECK-LABEL: @gathers
// CHECK-SAME: %[[X:.*]]: tensor<2x6x7x4xf32>
// CHECK-NEXT: %[[A:.*]] = tenon.gather %[[X]], %{{.*}} offset_dims [0, 2, 3] collapsed [1] batching [] x [] map [1] vector_dim 1 slice_sizes [-1, 1, 7, 4]
// CHECK-NEXT: %[[B:.*]] = tenon.gather %[[A]], %{{.*}} offset_dims [0, 1, 3] collapsed [2] batching [] x [] map [2] vector_dim 1 slice_sizes [2, 8, 1, 4]
// CHECK-NEXT: return %[[B]]
func.func @gathers(%x: tensor<2x6x7x4xf32>, %i: tensor<8xi64>, %j: tensor<9xi64>) -> tensor<2x8x9x4xf32> {
  %t = tenon.transpose %x [0, 3, 1, 2] : (tensor<2x6x7x4xf32>) -> tensor<2x4x6x7xf32>
  %0 = tenon.gather %t, %i offset_dims [0, 1, 3] collapsed [2] batching [] x [] map [2] vector_dim 1 slice_sizes [-1, 4, 1, 7] : (tensor<2x4x6x7xf32>, tensor<8xi64>) -> tensor<2x4x8x7xf32>
  %1 = tenon.gather %0, %j offset_dims [0, 1, 2] collapsed [3] batching [] x [] map [3] vector_dim 1 slice_sizes [2, 4, 8, 1] : (tensor<2x4x8x7xf32>, tensor<9xi64>) -> tensor<2x4x8x9xf32>
  %2 = tenon.transpose %1 [0, 2, 3, 1] : (tensor<2x4x8x9xf32>) -> tensor<2x8x9x4xf32>
  return %2 : tensor<2x8x9x4xf32>
}

// -----
// Without an inverse it stays: the result may be much larger. So it does if
// the gather changes the number of dimensions.
// CHECK-LABEL: @gathers_that_keep_a_transpose
// CHECK-COUNT-2: tenon.transpose
// CHECK-NOT: tenon.transpose {{.*}}: (tensor<2x{{7|6}}x9
func.func @gathers_that_keep_a_transpose(%x: tensor<2x6x4xf32>, %i: tensor<9xi64>, %j: tensor<3x9xi64>) -> (tensor<2x4x9xf32>, tensor<2x3x9x4xf32>) {
  %t = tenon.transpose %x [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  %0 = tenon.gather %t, %i offset_dims [0, 1] collapsed [2] batching [] x [] map [2] vector_dim 1 slice_sizes [2, 4, 1] : (tensor<2x4x6xf32>, tensor<9xi64>) -> tensor<2x4x9xf32>
  %1 = tenon.gather %t, %j offset_dims [0, 1] collapsed [2] batching [] x [] map [2] vector_dim 2 slice_sizes [2, 4, 1] : (tensor<2x4x6xf32>, tensor<3x9xi64>) -> tensor<2x4x3x9xf32>
  %2 = tenon.transpose %1 [0, 2, 3, 1] : (tensor<2x4x3x9xf32>) -> tensor<2x3x9x4xf32>
  return %0, %2 : tensor<2x4x9xf32>, tensor<2x3x9x4xf32>
}

// -----
// The remaining dimensions may still be in another order.
// CHECK-LABEL: @reduced
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4x5xf32>
// CHECK-NEXT: %[[R:.*]] = tenon.reduce add %[[X]] over [1, 2] : (tensor<2x3x4x5xf32>) -> tensor<2x5xf32>
// CHECK-NEXT: %[[T:.*]] = tenon.transpose %[[R]] [1, 0]
// CHECK-NEXT: return %[[T]]
func.func @reduced(%x: tensor<2x3x4x5xf32>) -> tensor<5x2xf32> {
  %t = tenon.transpose %x [3, 2, 0, 1] : (tensor<2x3x4x5xf32>) -> tensor<5x4x2x3xf32>
  %0 = tenon.reduce add %t over [1, 3] : (tensor<5x4x2x3xf32>) -> tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}

// -----
// A maximum along the innermost dimension needs no transpose if neighbouring
// results can be computed at once. The order of a sum does not change.
// CHECK-LABEL: @greatest
// CHECK-SAME: %[[X:.*]]: tensor<2x9x64xf32>, %[[Y:.*]]: tensor<2x9x64xf32>, %[[Z:.*]]: tensor<2x9x4xf32>
// CHECK-NEXT: %[[M:.*]] = tenon.reduce maximum %[[X]] over [1] : (tensor<2x9x64xf32>) -> tensor<2x64xf32>
// CHECK-NEXT: %[[T:.*]] = tenon.transpose %[[Y]] [0, 2, 1]
// CHECK-NEXT: %[[S:.*]] = tenon.reduce add %[[T]] over [2]
// CHECK-NEXT: %[[U:.*]] = tenon.transpose %[[Z]] [0, 2, 1]
// CHECK-NEXT: %[[N:.*]] = tenon.reduce minimum %[[U]] over [2]
// CHECK-NEXT: return %[[M]], %[[S]], %[[N]]
func.func @greatest(%x: tensor<2x9x64xf32>, %y: tensor<2x9x64xf32>, %z: tensor<2x9x4xf32>) -> (tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x4xf32>) {
  %t = tenon.transpose %x [0, 2, 1] : (tensor<2x9x64xf32>) -> tensor<2x64x9xf32>
  %0 = tenon.reduce maximum %t over [2] : (tensor<2x64x9xf32>) -> tensor<2x64xf32>
  %u = tenon.transpose %y [0, 2, 1] : (tensor<2x9x64xf32>) -> tensor<2x64x9xf32>
  %1 = tenon.reduce add %u over [2] : (tensor<2x64x9xf32>) -> tensor<2x64xf32>
  %v = tenon.transpose %z [0, 2, 1] : (tensor<2x9x4xf32>) -> tensor<2x4x9xf32>
  %2 = tenon.reduce minimum %v over [2] : (tensor<2x4x9xf32>) -> tensor<2x4xf32>
  return %0, %1, %2 : tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x4xf32>
}

// -----
// A softmax along the innermost dimension keeps it innermost.
// CHECK-LABEL: @rows
// CHECK: tenon.transpose
// CHECK-NEXT: tenon.softmax {{.*}} over 1
// CHECK-NEXT: return
func.func @rows(%x: tensor<8x4xf32>) -> tensor<4x8xf32> {
  %t = tenon.transpose %x [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %0 = tenon.softmax %t over 1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----
// A value per channel with extents of one: no element moves.
// CHECK-LABEL: @gate
// CHECK-SAME: %[[X:.*]]: tensor<?x8x8x4xf32>, %[[G:.*]]: tensor<?x1x1x4xf32>
// CHECK: %[[B:.*]] = tenon.broadcast_in_dim %[[G]] dims [0, 1, 2, 3] sizes [%{{.*}}, 8, 8, 4]
// CHECK-NEXT: %[[M:.*]] = tenon.multiply %[[X]], %[[B]]
// CHECK-NEXT: return %[[M]]
func.func @gate(%x: tensor<?x8x8x4xf32>, %g: tensor<?x1x1x4xf32>) -> tensor<?x8x8x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8x8x4xf32>
  %t = tenon.transpose %x [0, 3, 1, 2] : (tensor<?x8x8x4xf32>) -> tensor<?x4x8x8xf32>
  %s = tenon.transpose %g [0, 3, 1, 2] : (tensor<?x1x1x4xf32>) -> tensor<?x4x1x1xf32>
  %b = tenon.broadcast_in_dim %s dims [0, 1, 2, 3] sizes [%n, 4, 8, 8] : (tensor<?x4x1x1xf32>, index) -> tensor<?x4x8x8xf32>
  %0 = tenon.multiply %t, %b : (tensor<?x4x8x8xf32>, tensor<?x4x8x8xf32>) -> tensor<?x4x8x8xf32>
  %1 = tenon.transpose %0 [0, 2, 3, 1] : (tensor<?x4x8x8xf32>) -> tensor<?x8x8x4xf32>
  return %1 : tensor<?x8x8x4xf32>
}

// -----
// CHECK-LABEL: @moves_ones
// CHECK: tenon.reshape %{{.*}} sizes [2, 8, 8, 1]
// CHECK-NOT: tenon.transpose
func.func @moves_ones(%x: tensor<2x1x8x8xf32>) -> tensor<2x8x8x1xf32> {
  %t = tenon.transpose %x [0, 2, 3, 1] : (tensor<2x1x8x8xf32>) -> tensor<2x8x8x1xf32>
  return %t : tensor<2x8x8x1xf32>
}

// -----
// Adjacent dimensions may be merged before or after the transpose, as in a
// vision transformer's patches.
// CHECK-LABEL: @merges
// CHECK-SAME: %[[X:.*]]: tensor<?x7x7x8xf32>
// CHECK: %[[R:.*]] = tenon.reshape %[[X]] sizes [%{{.*}}, 49, 8]
// CHECK-NEXT: return %[[R]]
func.func @merges(%x: tensor<?x7x7x8xf32>, %n: index) -> tensor<?x49x8xf32> {
  %t = tenon.transpose %x [0, 3, 1, 2] : (tensor<?x7x7x8xf32>) -> tensor<?x8x7x7xf32>
  %r = tenon.reshape %t sizes [%n, 8, 49] : (tensor<?x8x7x7xf32>, index) -> tensor<?x8x49xf32>
  %u = tenon.transpose %r [0, 2, 1] : (tensor<?x8x49xf32>) -> tensor<?x49x8xf32>
  return %u : tensor<?x49x8xf32>
}

// -----
// CHECK-LABEL: @splits
// CHECK-SAME: %[[X:.*]]: tensor<5x3x8xf32>
// CHECK: %[[R:.*]] = tenon.reshape %[[X]] sizes [5, 3, 2, 4]
// CHECK-NEXT: %[[T:.*]] = tenon.transpose %[[R]] [2, 3, 0, 1]
// CHECK-NEXT: return %[[T]]
func.func @splits(%x: tensor<5x3x8xf32>) -> tensor<2x4x5x3xf32> {
  %t = tenon.transpose %x [2, 0, 1] : (tensor<5x3x8xf32>) -> tensor<8x5x3xf32>
  %r = tenon.reshape %t sizes [2, 4, 5, 3] : (tensor<8x5x3xf32>) -> tensor<2x4x5x3xf32>
  return %r : tensor<2x4x5x3xf32>
}

// -----
// Heads that are apart must be moved before they are merged.
// CHECK-LABEL: @heads
// CHECK-NEXT: tenon.transpose
// CHECK-NEXT: tenon.reshape
// CHECK-NEXT: return
func.func @heads(%x: tensor<2x12x5x64xf32>) -> tensor<2x5x768xf32> {
  %t = tenon.transpose %x [0, 2, 1, 3] : (tensor<2x12x5x64xf32>) -> tensor<2x5x12x64xf32>
  %r = tenon.reshape %t sizes [2, 5, 768] : (tensor<2x5x12x64xf32>) -> tensor<2x5x768xf32>
  return %r : tensor<2x5x768xf32>
}

// A product with weights passes on a transpose if another op cancels it.
// CHECK-LABEL: func.func @through_product(
// CHECK-SAME: %[[X:.*]]: tensor<5x?x8xf32>
// CHECK: %[[P:.*]] = tenon.dot_general %[[X]], %{{.*}} contract [2] x [0] {{.*}} -> tensor<5x?x16xf32>
// CHECK: %[[S:.*]] = tenon.add %[[P]], %{{.*}} -> tensor<5x?x16xf32>
// CHECK: return %[[S]]
tenon.weight @matrix : tensor<8x16xf32> from #tenon.source<"model.onnx", 0, 512>
func.func @through_product(%x: tensor<5x?x8xf32>, %b: tensor<16xf32>, %n: index) -> tensor<5x?x16xf32> {
  %w = tenon.get_weight @matrix : tensor<8x16xf32>
  %0 = tenon.transpose %x [1, 0, 2] : (tensor<5x?x8xf32>) -> tensor<?x5x8xf32>
  %1 = tenon.dot_general %0, %w batch [] x [] contract [2] x [0] : (tensor<?x5x8xf32>, tensor<8x16xf32>) -> tensor<?x5x16xf32>
  %2 = tenon.broadcast_in_dim %b dims [2] sizes [%n, 5, 16] : (tensor<16xf32>, index) -> tensor<?x5x16xf32>
  %3 = tenon.add %1, %2 : (tensor<?x5x16xf32>, tensor<?x5x16xf32>) -> tensor<?x5x16xf32>
  %4 = tenon.transpose %3 [1, 0, 2] : (tensor<?x5x16xf32>) -> tensor<5x?x16xf32>
  return %4 : tensor<5x?x16xf32>
}

// No op cancels it, so the smaller transpose, that of the operand, is kept.
// CHECK-LABEL: func.func @before_product(
// CHECK: tenon.transpose {{.*}} -> tensor<4x5x8xf32>
// CHECK: tenon.dot_general
// CHECK-NEXT: return
func.func @before_product(%x: tensor<5x4x8xf32>) -> tensor<4x5x16xf32> {
  %w = tenon.get_weight @matrix : tensor<8x16xf32>
  %0 = tenon.transpose %x [1, 0, 2] : (tensor<5x4x8xf32>) -> tensor<4x5x8xf32>
  %1 = tenon.dot_general %0, %w batch [] x [] contract [2] x [0] : (tensor<4x5x8xf32>, tensor<8x16xf32>) -> tensor<4x5x16xf32>
  return %1 : tensor<4x5x16xf32>
}

// Attention writes batch by batch, and the transpose moves on to its inverse.
// CHECK-LABEL: func.func @from_attention(
// CHECK: %[[A:.*]] = tenon.attention {{.*}} to [0, 2, 1, 3] {{.*}} -> tensor<2x5x3x8xf32>
// CHECK: %[[E:.*]] = tenon.exponential %[[A]] : (tensor<2x5x3x8xf32>)
// CHECK: return %[[E]]
func.func @from_attention(%x: tensor<5x2x3x8xf32>) -> tensor<2x5x3x8xf32> {
  %0 = tenon.attention %x, %x, %x order [1, 2, 0, 3] x [1, 2, 0, 3] x [1, 2, 0, 3] to [1, 2, 0, 3] scale 1.0
     : (tensor<5x2x3x8xf32>, tensor<5x2x3x8xf32>, tensor<5x2x3x8xf32>) -> tensor<5x2x3x8xf32>
  %1 = tenon.exponential %0 : (tensor<5x2x3x8xf32>) -> tensor<5x2x3x8xf32>
  %2 = tenon.transpose %1 [1, 0, 2, 3] : (tensor<5x2x3x8xf32>) -> tensor<2x5x3x8xf32>
  return %2 : tensor<2x5x3x8xf32>
}
