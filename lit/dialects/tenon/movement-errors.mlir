// RUN: tenon-opt %s --split-input-file --verify-diagnostics

func.func @iota_c1() {
  // expected-error@+1 {{'tenon.iota' op expected a dimension within rank 1 (C1), got 1}}
  %0 = tenon.iota dim 1 sizes [4] : () -> tensor<4xi64>
  return
}

// -----

func.func @iota_c2(%n: index) {
  // expected-error@+1 {{'tenon.iota' op expected the result's extents to be the sizes (C2), got 'tensor<4xi64>'}}
  %0 = tenon.iota dim 0 sizes [%n] : (index) -> tensor<4xi64>
  return
}

// -----

func.func @broadcast_in_dim_c1(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{'tenon.broadcast_in_dim' op expected ascending dimensions within rank 2 (C1)}}
  %0 = tenon.broadcast_in_dim %x dims [1, 0] sizes [4, 8] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @broadcast_in_dim_c2(%x: tensor<7xf32>) {
  // expected-error@+1 {{'tenon.broadcast_in_dim' op expected extents to agree or be one (C2), got 'tensor<7xf32>' and 'tensor<4x8xf32>'}}
  %0 = tenon.broadcast_in_dim %x dims [1] sizes [4, 8] : (tensor<7xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @broadcast_in_dim_c3(%x: tensor<8xf32>) {
  // expected-error@+1 {{'tenon.broadcast_in_dim' op expected the result's extents to be the sizes (C3), got 'tensor<5x8xf32>'}}
  %0 = tenon.broadcast_in_dim %x dims [1] sizes [4, 8] : (tensor<8xf32>) -> tensor<5x8xf32>
  return
}

// -----

func.func @reshape_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'tenon.reshape' op expected numbers of elements to agree (C1), got 'tensor<4x8xf32>' and 'tensor<31xf32>'}}
  %0 = tenon.reshape %x sizes [31] : (tensor<4x8xf32>) -> tensor<31xf32>
  return
}

// -----

func.func @reshape_c2(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'tenon.reshape' op expected the result's extents to be the sizes (C2), got 'tensor<32xf32>'}}
  %0 = tenon.reshape %x sizes [8, 4] : (tensor<4x8xf32>) -> tensor<32xf32>
  return
}

// -----

func.func @transpose_c1(%x: tensor<4x8xf32>) {
  // expected-error@+2 {{expected a permutation of 2 dimensions (C1)}}
  // expected-error@+1 {{'tenon.transpose' op failed to infer returned types}}
  %0 = tenon.transpose %x [1, 1] : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @slice_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'tenon.slice' op expected lists as long as the rank (C1)}}
  %0 = tenon.slice %x offsets [0] sizes [2] strides [1] : (tensor<4x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @slice_c2(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'tenon.slice' op expected a box within extent 4 (C2), got elements 3 to 4}}
  %0 = tenon.slice %x offsets [3, 0] sizes [2, 8] strides [1, 1] : (tensor<4x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @slice_c2_stride(%x: tensor<8xf32>) {
  // expected-error@+1 {{'tenon.slice' op expected strides not to be zero (C2)}}
  %0 = tenon.slice %x offsets [0] sizes [2] strides [0] : (tensor<8xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @slice_c3(%x: tensor<8xf32>) {
  // expected-error@+1 {{'tenon.slice' op expected the result's extents to be the sizes (C3), got 'tensor<3xf32>'}}
  %0 = tenon.slice %x offsets [0] sizes [2] strides [1] : (tensor<8xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @pad_c1(%x: tensor<8xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'tenon.pad' op expected interior padding not to be negative (C1), got -1}}
  %0 = tenon.pad %x, %v low [1] high [1] interior [-1] : (tensor<8xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @pad_c2(%x: tensor<8xf32>, %v: tensor<1xf32>) {
  // expected-error@+1 {{'tenon.pad' op expected a padding value of rank 0 and the operand's element type (C2), got 'tensor<1xf32>'}}
  %0 = tenon.pad %x, %v low [1] high [1] interior [0] : (tensor<8xf32>, tensor<1xf32>) -> tensor<10xf32>
  return
}

// -----

func.func @pad_c3(%x: tensor<8xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'tenon.pad' op expected a result of shape 10 (C3), got 'tensor<9xf32>'}}
  %0 = tenon.pad %x, %v low [1] high [1] interior [0] : (tensor<8xf32>, tensor<f32>) -> tensor<9xf32>
  return
}

// -----

func.func @concatenate_c1(%x: tensor<4x8xf32>) {
  // expected-error@+2 {{expected an operand and a dimension within its rank (C1)}}
  // expected-error@+1 {{'tenon.concatenate' op failed to infer returned types}}
  %0 = tenon.concatenate %x, %x dim 2 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @concatenate_c2(%x: tensor<4x8xf32>, %y: tensor<5x8xf32>) {
  // expected-error@+2 {{expected other extents to agree (C2), got 4 and 5}}
  // expected-error@+1 {{'tenon.concatenate' op failed to infer returned types}}
  %0 = tenon.concatenate %x, %y dim 1 : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @reverse_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'tenon.reverse' op expected distinct dimensions within rank 2 (C1)}}
  %0 = tenon.reverse %x [0, 0] : tensor<4x8xf32>
  return
}
