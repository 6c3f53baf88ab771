// Gather, scatter, sorts and data-dependent sizes on values computed by hand.
// RUN: tenon-eval %s --all | FileCheck %s

// Starts are clamped to the operand: -5 reads row 0, 9 reads the last row.
// CHECK-LABEL: @gather_rows
// CHECK-NEXT: tensor<3x2xi8> {{\[}}[3, 4], [1, 2], [5, 6]]
func.func @gather_rows() -> tensor<3x2xi8> {
  %x = tenon.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>
  %i = tenon.constant dense<[[1], [-5], [9]]> : tensor<3x1xi64>
  %0 = tenon.gather %x, %i offset_dims [1] collapsed [0] batching [] x [] map [0] vector_dim 1 slice_sizes [1, 2]
     : (tensor<3x2xi8>, tensor<3x1xi64>) -> tensor<3x2xi8>
  return %0 : tensor<3x2xi8>
}

// A window of two rows may start at row 1 at most. The index vector is
// implicit, and the window dimension is first.
// CHECK-LABEL: @gather_windows
// CHECK-NEXT: tensor<2x2xi8> {{\[}}[1, 3], [3, 5]]
func.func @gather_windows() -> tensor<2x2xi8> {
  %x = tenon.constant dense<[1, 3, 5]> : tensor<3xi8>
  %i = tenon.constant dense<[0, 7]> : tensor<2xi32>
  %0 = tenon.gather %x, %i offset_dims [0] collapsed [] batching [] x [] map [0] vector_dim 1 slice_sizes [2]
     : (tensor<3xi8>, tensor<2xi32>) -> tensor<2x2xi8>
  return %0 : tensor<2x2xi8>
}

// The index vector is (column, row).
// CHECK-LABEL: @gather_swapped_map
// CHECK-NEXT: tensor<2xi8> [4, 3]
func.func @gather_swapped_map() -> tensor<2xi8> {
  %x = tenon.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>
  %i = tenon.constant dense<[[1, 0], [1, 1]]> : tensor<2x2xi64>
  %0 = tenon.gather %x, %i offset_dims [] collapsed [0, 1] batching [] x [] map [1, 0] vector_dim 0 slice_sizes [1, 1]
     : (tensor<3x2xi8>, tensor<2x2xi64>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

// Each batch reads its own row.
// CHECK-LABEL: @gather_batching
// CHECK-NEXT: tensor<2x2xi8> {{\[}}[3, 1], [4, 4]]
func.func @gather_batching() -> tensor<2x2xi8> {
  %x = tenon.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  %i = tenon.constant dense<[[2, 0], [0, 0]]> : tensor<2x2xi64>
  %0 = tenon.gather %x, %i offset_dims [] collapsed [1] batching [0] x [0] map [1] vector_dim 2 slice_sizes [1, 1]
     : (tensor<2x3xi8>, tensor<2x2xi64>) -> tensor<2x2xi8>
  return %0 : tensor<2x2xi8>
}

// A slice of size -1 has the whole extent. An unsigned index beyond every
// extent is clamped to the last position.
// CHECK-LABEL: @gather_whole_unsigned
// CHECK-NEXT: tensor<1x2xi8> {{\[}}[3, 4]]
func.func @gather_whole_unsigned() -> tensor<1x2xi8> {
  %x = tenon.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %i = tenon.constant dense<[[18446744073709551615]]> : tensor<1x1xui64>
  %0 = tenon.gather %x, %i offset_dims [1] collapsed [0] batching [] x [] map [0] vector_dim 1 slice_sizes [1, -1]
     : (tensor<2x2xi8>, tensor<1x1xui64>) -> tensor<1x2xi8>
  return %0 : tensor<1x2xi8>
}

// Indices 7 and -1 are outside: their updates are skipped. If two updates have
// one row, the later one wins.
// CHECK-LABEL: @scatter_set
// CHECK-NEXT: tensor<3xi8> [1, 40, 3]
func.func @scatter_set() -> tensor<3xi8> {
  %x = tenon.constant dense<[1, 2, 3]> : tensor<3xi8>
  %i = tenon.constant dense<[[7], [1], [-1], [1]]> : tensor<4x1xi64>
  %u = tenon.constant dense<[10, 20, 30, 40]> : tensor<4xi8>
  %0 = tenon.scatter set %x, %i, %u window_dims [] inserted [0] batching [] x [] map [0] vector_dim 1
     : (tensor<3xi8>, tensor<4x1xi64>, tensor<4xi8>) -> tensor<3xi8>
  return %0 : tensor<3xi8>
}

// CHECK-LABEL: @scatter_kinds
// CHECK-NEXT: tensor<2xi32> [1, 9]
// CHECK-NEXT: tensor<2xi32> [1, 24]
// CHECK-NEXT: tensor<2xi32> [1, 4]
// CHECK-NEXT: tensor<2xi32> [1, 2]
func.func @scatter_kinds() -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
  %x = tenon.constant dense<[1, 2]> : tensor<2xi32>
  %i = tenon.constant dense<1> : tensor<2xi64>
  %u = tenon.constant dense<[3, 4]> : tensor<2xi32>
  %0 = tenon.scatter add %x, %i, %u window_dims [] inserted [0] batching [] x [] map [0] vector_dim 1 : (tensor<2xi32>, tensor<2xi64>, tensor<2xi32>) -> tensor<2xi32>
  %1 = tenon.scatter multiply %x, %i, %u window_dims [] inserted [0] batching [] x [] map [0] vector_dim 1 : (tensor<2xi32>, tensor<2xi64>, tensor<2xi32>) -> tensor<2xi32>
  %2 = tenon.scatter maximum %x, %i, %u window_dims [] inserted [0] batching [] x [] map [0] vector_dim 1 : (tensor<2xi32>, tensor<2xi64>, tensor<2xi32>) -> tensor<2xi32>
  %3 = tenon.scatter minimum %x, %i, %u window_dims [] inserted [0] batching [] x [] map [0] vector_dim 1 : (tensor<2xi32>, tensor<2xi64>, tensor<2xi32>) -> tensor<2xi32>
  return %0, %1, %2, %3 : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
}

// A window that extends beyond the end loses only the elements outside.
// CHECK-LABEL: @scatter_window
// CHECK-NEXT: tensor<4xi8> [0, 0, 0, 1]
func.func @scatter_window() -> tensor<4xi8> {
  %x = tenon.constant dense<0> : tensor<4xi8>
  %i = tenon.constant dense<[3]> : tensor<1xi64>
  %u = tenon.constant dense<[1, 2]> : tensor<2xi8>
  %0 = tenon.scatter set %x, %i, %u window_dims [0] inserted [] batching [] x [] map [0] vector_dim 0
     : (tensor<4xi8>, tensor<1xi64>, tensor<2xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: @scatter_batching
// CHECK-NEXT: tensor<2x2xi8> {{\[}}[0, 5], [6, 0]]
func.func @scatter_batching() -> tensor<2x2xi8> {
  %x = tenon.constant dense<0> : tensor<2x2xi8>
  %i = tenon.constant dense<[[1], [0]]> : tensor<2x1xi64>
  %u = tenon.constant dense<[5, 6]> : tensor<2xi8>
  %0 = tenon.scatter set %x, %i, %u window_dims [] inserted [1] batching [0] x [0] map [1] vector_dim 1
     : (tensor<2x2xi8>, tensor<2x1xi64>, tensor<2xi8>) -> tensor<2x2xi8>
  return %0 : tensor<2x2xi8>
}

// Offset 9 is clamped to the last position at which the update fits.
// CHECK-LABEL: @dynamic_update_slice
// CHECK-NEXT: tensor<4xi8> [0, 0, 1, 2]
// CHECK-NEXT: tensor<4xi8> [1, 2, 0, 0]
func.func @dynamic_update_slice() -> (tensor<4xi8>, tensor<4xi8>) {
  %n = arith.constant 9 : index
  %m = arith.constant -3 : index
  %x = tenon.constant dense<0> : tensor<4xi8>
  %u = tenon.constant dense<[1, 2]> : tensor<2xi8>
  %0 = tenon.dynamic_update_slice %x, %u at [%n] : (tensor<4xi8>, tensor<2xi8>, index) -> tensor<4xi8>
  %1 = tenon.dynamic_update_slice %x, %u at [%m] : (tensor<4xi8>, tensor<2xi8>, index) -> tensor<4xi8>
  return %0, %1 : tensor<4xi8>, tensor<4xi8>
}

// NaN is greater than every number; +0 and -0 are equal and keep their order.
// CHECK-LABEL: @sort
// CHECK-NEXT: tensor<5xf32> [-1, 0, -0, 2, nan]
// CHECK-NEXT: tensor<5xi64> [3, 1, 2, 4, 0]
// CHECK-NEXT: tensor<5xf32> [nan, 2, 0, -0, -1]
// CHECK-NEXT: tensor<5xi64> [0, 4, 1, 2, 3]
func.func @sort() -> (tensor<5xf32>, tensor<5xi64>, tensor<5xf32>, tensor<5xi64>) {
  %x = tenon.constant dense<[0x7FC00000, 0.0, -0.0, -1.0, 2.0]> : tensor<5xf32>
  %0, %1 = tenon.sort %x dim 0 : (tensor<5xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  %2, %3 = tenon.sort %x dim 0 descending : (tensor<5xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  return %0, %1, %2, %3 : tensor<5xf32>, tensor<5xi64>, tensor<5xf32>, tensor<5xi64>
}

// CHECK-LABEL: @sort_columns
// CHECK-NEXT: tensor<2x2xui8> {{\[}}[1, 3], [255, 4]]
// CHECK-NEXT: tensor<2x2xi64> {{\[}}[1, 0], [0, 1]]
func.func @sort_columns() -> (tensor<2x2xui8>, tensor<2x2xi64>) {
  %x = tenon.constant dense<[[255, 3], [1, 4]]> : tensor<2x2xui8>
  %0, %1 = tenon.sort %x dim 0 : (tensor<2x2xui8>) -> (tensor<2x2xui8>, tensor<2x2xi64>)
  return %0, %1 : tensor<2x2xui8>, tensor<2x2xi64>
}

// CHECK-LABEL: @top_k
// CHECK-NEXT: tensor<3xf32> [nan, 2, 0]
// CHECK-NEXT: tensor<3xi64> [0, 4, 1]
// CHECK-NEXT: tensor<3xf32> [-1, 0, -0]
// CHECK-NEXT: tensor<3xi64> [3, 1, 2]
func.func @top_k() -> (tensor<3xf32>, tensor<3xi64>, tensor<3xf32>, tensor<3xi64>) {
  %k = arith.constant 3 : index
  %x = tenon.constant dense<[0x7FC00000, 0.0, -0.0, -1.0, 2.0]> : tensor<5xf32>
  %0, %1 = tenon.top_k %x first %k dim 0 : (tensor<5xf32>, index) -> (tensor<3xf32>, tensor<3xi64>)
  %2, %3 = tenon.top_k %x first %k dim 0 ascending : (tensor<5xf32>, index) -> (tensor<3xf32>, tensor<3xi64>)
  return %0, %1, %2, %3 : tensor<3xf32>, tensor<3xi64>, tensor<3xf32>, tensor<3xi64>
}

// CHECK-LABEL: @top_k_columns
// CHECK-NEXT: tensor<1x3xui8> {{\[}}[255, 4, 7]]
// CHECK-NEXT: tensor<1x3xi64> {{\[}}[0, 1, 0]]
// CHECK-NEXT: tensor<0x3xui8>
func.func @top_k_columns() -> (tensor<1x3xui8>, tensor<1x3xi64>, tensor<0x3xui8>) {
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %x = tenon.constant dense<[[255, 3, 7], [1, 4, 7]]> : tensor<2x3xui8>
  %0, %1 = tenon.top_k %x first %one dim 0 : (tensor<2x3xui8>, index) -> (tensor<1x3xui8>, tensor<1x3xi64>)
  %2, %3 = tenon.top_k %x first %zero dim 0 : (tensor<2x3xui8>, index) -> (tensor<0x3xui8>, tensor<0x3xi64>)
  return %0, %1, %2 : tensor<1x3xui8>, tensor<1x3xi64>, tensor<0x3xui8>
}

// CHECK-LABEL: @nonzero
// CHECK-NEXT: tensor<3x2xi64> {{\[}}[0, 1], [1, 0], [1, 1]]
// CHECK-NEXT: tensor<1x0xi64> {{\[}}[]]
func.func @nonzero() -> (tensor<?x2xi64>, tensor<?x0xi64>) {
  %three = arith.constant 3 : index
  %one = arith.constant 1 : index
  %x = tenon.constant dense<[[-0.0, 1.0], [0x7FC00000, -2.0]]> : tensor<2x2xf32>
  %y = tenon.constant dense<true> : tensor<i1>
  %0 = tenon.nonzero %x count %three : (tensor<2x2xf32>, index) -> tensor<?x2xi64>
  %1 = tenon.nonzero %y count %one : (tensor<i1>, index) -> tensor<?x0xi64>
  return %0, %1 : tensor<?x2xi64>, tensor<?x0xi64>
}

// Box 1 overlaps box 0 by 0.8 and has the lower score; box 3 is below the least
// score. Corners may be in any order.
// CHECK-LABEL: @non_max_suppression
// CHECK-NEXT: tensor<4x3xi64> {{\[}}[0, 0, 2], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
// CHECK-NEXT: tensor<i64> 2
func.func @non_max_suppression() -> (tensor<?x3xi64>, tensor<i64>) {
  %n = arith.constant 9 : index
  %b = tenon.constant dense<[[[0.0, 0.0, 1.0, 1.0], [0.9, 1.0, 0.0, 0.0], [5.0, 5.0, 6.0, 6.0], [8.0, 8.0, 9.0, 9.0]]]> : tensor<1x4x4xf32>
  %s = tenon.constant dense<[[[0.8, 0.7, 0.9, 0.1]]]> : tensor<1x1x4xf32>
  %iou = tenon.constant dense<0.5> : tensor<f32>
  %min = tenon.constant dense<0.2> : tensor<f32>
  %0, %1 = tenon.non_max_suppression %b, %s limit %n, %iou, %min
     : (tensor<1x4x4xf32>, tensor<1x1x4xf32>, index, tensor<f32>, tensor<f32>) -> (tensor<?x3xi64>, tensor<i64>)
  return %0, %1 : tensor<?x3xi64>, tensor<i64>
}

// One box per class; the boxes are given by centre and size.
// CHECK-LABEL: @non_max_suppression_center
// CHECK-NEXT: tensor<2x3xi64> {{\[}}[0, 0, 1], [0, 1, 0]]
// CHECK-NEXT: tensor<i64> 2
func.func @non_max_suppression_center() -> (tensor<?x3xi64>, tensor<i64>) {
  %n = arith.constant 1 : index
  %b = tenon.constant dense<[[[0.5, 0.5, 1.0, 1.0], [5.5, 5.5, 1.0, 1.0]]]> : tensor<1x2x4xf32>
  %s = tenon.constant dense<[[[0.8, 0.9], [0.9, 0.8]]]> : tensor<1x2x2xf32>
  %iou = tenon.constant dense<0.5> : tensor<f32>
  %min = tenon.constant dense<0.0> : tensor<f32>
  %0, %1 = tenon.non_max_suppression %b, %s limit %n, %iou, %min center
     : (tensor<1x2x4xf32>, tensor<1x2x2xf32>, index, tensor<f32>, tensor<f32>) -> (tensor<?x3xi64>, tensor<i64>)
  return %0, %1 : tensor<?x3xi64>, tensor<i64>
}
