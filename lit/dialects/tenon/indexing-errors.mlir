// RUN: tenon-opt %s --split-input-file --verify-diagnostics

func.func @gather_c1(%x: tensor<4x8xf32>, %i: tensor<3x1xi64>) {
  // expected-error@+1 {{'tenon.gather' op expected slice size 1 in a collapsed or batching dimension (C1)}}
  %0 = tenon.gather %x, %i offset_dims [1] collapsed [0] batching [] x [] map [0] vector_dim 1 slice_sizes [2, 8] : (tensor<4x8xf32>, tensor<3x1xi64>) -> tensor<3x8xf32>
  return
}

// -----

func.func @gather_c2(%x: tensor<4x8xf32>, %i: tensor<3x1xi64>) {
  // expected-error@+1 {{'tenon.gather' op expected an index map as long as the index vector (C2)}}
  %0 = tenon.gather %x, %i offset_dims [1] collapsed [0] batching [] x [] map [0, 1] vector_dim 1 slice_sizes [1, 8] : (tensor<4x8xf32>, tensor<3x1xi64>) -> tensor<3x8xf32>
  return
}

// -----

func.func @gather_c3(%x: tensor<4x8xf32>, %i: tensor<3x1xi64>) {
  // expected-error@+1 {{'tenon.gather' op expected as many batching dimensions in operand and indices (C3)}}
  %0 = tenon.gather %x, %i offset_dims [1] collapsed [] batching [0] x [] map [1] vector_dim 1 slice_sizes [1, 8] : (tensor<4x8xf32>, tensor<3x1xi64>) -> tensor<3x8xf32>
  return
}

// -----

func.func @gather_c4(%x: tensor<4x8xf32>, %i: tensor<3x1xi64>) {
  // expected-error@+1 {{'tenon.gather' op expected slice sizes within the extents (C4), got 9 of 8}}
  %0 = tenon.gather %x, %i offset_dims [1] collapsed [0] batching [] x [] map [0] vector_dim 1 slice_sizes [1, 9] : (tensor<4x8xf32>, tensor<3x1xi64>) -> tensor<3x9xf32>
  return
}

// -----

func.func @gather_c5(%x: tensor<4x8xf32>, %i: tensor<3x1xi64>) {
  // expected-error@+1 {{'tenon.gather' op expected a result of shape 3, 8 (C5), got 'tensor<4x8xf32>'}}
  %0 = tenon.gather %x, %i offset_dims [1] collapsed [0] batching [] x [] map [0] vector_dim 1 slice_sizes [1, 8] : (tensor<4x8xf32>, tensor<3x1xi64>) -> tensor<4x8xf32>
  return
}

// -----

func.func @scatter_c1(%x: tensor<4x8xf32>, %i: tensor<3x1xi64>, %u: tensor<3x8xf32>) {
  // expected-error@+1 {{'tenon.scatter' op expected ascending window dimensions within the updates' rank (C1)}}
  %0 = tenon.scatter set %x, %i, %u window_dims [2] inserted [0] batching [] x [] map [0] vector_dim 1 : (tensor<4x8xf32>, tensor<3x1xi64>, tensor<3x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @scatter_c2(%x: tensor<4x8xf32>, %i: tensor<3x1xi64>, %u: tensor<3x8xf32>) {
  // expected-error@+1 {{'tenon.scatter' op expected an index map as long as the index vector (C2)}}
  %0 = tenon.scatter set %x, %i, %u window_dims [1] inserted [0] batching [] x [] map [] vector_dim 1 : (tensor<4x8xf32>, tensor<3x1xi64>, tensor<3x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @scatter_c3(%x: tensor<4x8xf32>, %i: tensor<3x1xi64>, %u: tensor<3x8xf32>) {
  // expected-error@+1 {{'tenon.scatter' op expected as many batching dimensions in operand and indices (C3)}}
  %0 = tenon.scatter set %x, %i, %u window_dims [1] inserted [] batching [0] x [] map [1] vector_dim 1 : (tensor<4x8xf32>, tensor<3x1xi64>, tensor<3x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @scatter_c4(%x: tensor<4x8xf32>, %i: tensor<3x1xi64>, %u: tensor<5x8xf32>) {
  // expected-error@+1 {{'tenon.scatter' op expected the updates' batch extents to be the indices' (C4), got 'tensor<5x8xf32>' and 'tensor<3x1xi64>'}}
  %0 = tenon.scatter set %x, %i, %u window_dims [1] inserted [0] batching [] x [] map [0] vector_dim 1 : (tensor<4x8xf32>, tensor<3x1xi64>, tensor<5x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @dynamic_update_slice_c1(%x: tensor<8x4xf32>, %u: tensor<1x4xf32>, %i: index) {
  // expected-error@+1 {{'tenon.dynamic_update_slice' op expected an update of the operand's rank and element type and an offset per dimension (C1)}}
  %0 = tenon.dynamic_update_slice %x, %u at [%i] : (tensor<8x4xf32>, tensor<1x4xf32>, index) -> tensor<8x4xf32>
  return
}

// -----

func.func @dynamic_update_slice_c2(%x: tensor<8x4xf32>, %u: tensor<9x4xf32>, %i: index) {
  // expected-error@+1 {{'tenon.dynamic_update_slice' op expected update extents within the operand's (C2), got 9 of 8}}
  %0 = tenon.dynamic_update_slice %x, %u at [%i, 0] : (tensor<8x4xf32>, tensor<9x4xf32>, index) -> tensor<8x4xf32>
  return
}

// -----

func.func @sort_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'tenon.sort' op expected a dimension within rank 2 (C1), got 2}}
  %0, %1 = tenon.sort %x dim 2 : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
  return
}

// -----

func.func @top_k_c1(%x: tensor<4x8xf32>, %k: index) {
  // expected-error@+1 {{'tenon.top_k' op expected a dimension within rank 2 (C1), got 2}}
  %0, %1 = tenon.top_k %x first %k dim 2 : (tensor<4x8xf32>, index) -> (tensor<4x?xf32>, tensor<4x?xi64>)
  return
}

// -----

func.func @top_k_c2_extent(%x: tensor<4x8xf32>, %k: index) {
  // expected-error@+1 {{'tenon.top_k' op expected results like the operand but for extent 1 (C2), got 'tensor<3x?xf32>' and 'tensor<3x?xi64>'}}
  %0, %1 = tenon.top_k %x first %k dim 1 : (tensor<4x8xf32>, index) -> (tensor<3x?xf32>, tensor<3x?xi64>)
  return
}

// -----

func.func @top_k_c2_positions(%x: tensor<4x8xf32>, %k: index) {
  // expected-error@+1 {{'tenon.top_k' op expected results like the operand but for extent 1 (C2), got 'tensor<4x2xf32>' and 'tensor<4x3xi64>'}}
  %0, %1 = tenon.top_k %x first %k dim 1 : (tensor<4x8xf32>, index) -> (tensor<4x2xf32>, tensor<4x3xi64>)
  return
}

// -----

func.func @top_k_c2_element(%x: tensor<4x8xf32>, %k: index) {
  // expected-error@+1 {{'tenon.top_k' op expected results like the operand but for extent 1 (C2), got 'tensor<4x2xf64>' and 'tensor<4x2xi64>'}}
  %0, %1 = tenon.top_k %x first %k dim 1 : (tensor<4x8xf32>, index) -> (tensor<4x2xf64>, tensor<4x2xi64>)
  return
}

// -----

func.func @nonzero_c1(%x: tensor<4x8xf32>, %n: index) {
  // expected-error@+1 {{'tenon.nonzero' op expected a result of rank 2 with the operand's rank as second extent (C1), got 'tensor<?x3xi64>'}}
  %0 = tenon.nonzero %x count %n : (tensor<4x8xf32>, index) -> tensor<?x3xi64>
  return
}

// -----

func.func @non_max_suppression_c1(%b: tensor<1x6x5xf32>, %s: tensor<1x1x6xf32>, %n: index, %t: tensor<f32>) {
  // expected-error@+1 {{'tenon.non_max_suppression' op expected boxes [batch, boxes, 4] and scores [batch, classes, boxes] (C1), got 'tensor<1x6x5xf32>' and 'tensor<1x1x6xf32>'}}
  %0, %1 = tenon.non_max_suppression %b, %s limit %n, %t, %t : (tensor<1x6x5xf32>, tensor<1x1x6xf32>, index, tensor<f32>, tensor<f32>) -> (tensor<?x3xi64>, tensor<i64>)
  return
}
