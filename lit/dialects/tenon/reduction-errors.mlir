// RUN: tenon-opt %s --split-input-file --verify-diagnostics

func.func @reduce_c1(%x: tensor<4x8xf32>) {
  // expected-error@+2 {{expected ascending dimensions within rank 2 (C1)}}
  // expected-error@+1 {{'tenon.reduce' op failed to infer returned types}}
  %0 = tenon.reduce add %x over [1, 0] : (tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @reduce_c2(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'tenon.reduce' op expected integers or bools (C2), got 'f32'}}
  %0 = tenon.reduce and %x over [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @arg_reduce_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'tenon.arg_reduce' op expected kind maximum or minimum (C1)}}
  %0 = tenon.arg_reduce add %x over 1 : (tensor<4x8xf32>) -> tensor<4xi64>
  return
}

// -----

func.func @arg_reduce_c2(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'tenon.arg_reduce' op expected a result of shape 4 (C2), got 'tensor<8xi64>'}}
  %0 = tenon.arg_reduce maximum %x over 1 : (tensor<4x8xf32>) -> tensor<8xi64>
  return
}

// -----

func.func @cumulative_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'tenon.cumulative' op expected a dimension within rank 2 (C1), got 2}}
  %0 = tenon.cumulative add %x over 2 : tensor<4x8xf32>
  return
}

// -----

func.func @reduce_window_c1(%x: tensor<8xf32>) {
  // expected-error@+1 {{'tenon.reduce_window' op expected positive windows, strides and dilations (C1)}}
  %0 = tenon.reduce_window maximum %x window [0] strides [1] dilations [1] padding [0, 0] : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @reduce_window_c2(%x: tensor<8xf32>) {
  // expected-error@+1 {{'tenon.reduce_window' op expected a result of shape 6 (C2), got 'tensor<8xf32>'}}
  %0 = tenon.reduce_window maximum %x window [3] strides [1] dilations [1] padding [0, 0] : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @arg_reduce_window_c1(%x: tensor<8xf32>) {
  // expected-error@+1 {{'tenon.arg_reduce_window' op expected kind maximum or minimum (C1)}}
  %0 = tenon.arg_reduce_window add %x window [2] strides [2] dilations [1] padding [0, 0] : (tensor<8xf32>) -> tensor<4xi64>
  return
}

// -----

func.func @arg_reduce_window_c2(%x: tensor<8xf32>) {
  // expected-error@+1 {{'tenon.arg_reduce_window' op expected a result of shape 4 (C2), got 'tensor<5xi64>'}}
  %0 = tenon.arg_reduce_window maximum %x window [2] strides [2] dilations [1] padding [0, 0] : (tensor<8xf32>) -> tensor<5xi64>
  return
}
