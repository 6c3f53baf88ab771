// RUN: tenon-opt %s --split-input-file --verify-diagnostics

func.func @softmax_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'tenon.softmax' op expected a dimension within rank 2 (C1), got 2}}
  %0 = tenon.softmax %x over 2 : tensor<4x8xf32>
  return
}

// -----

func.func @log_softmax_c1(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'tenon.log_softmax' op expected a dimension within rank 2 (C1), got 2}}
  %0 = tenon.log_softmax %x over 2 : tensor<4x8xf32>
  return
}

// -----

func.func @layer_norm_c1(%x: tensor<4x8xf32>, %s: tensor<8xf32>) {
  // expected-error@+1 {{'tenon.layer_norm' op expected an axis within rank 2 (C1), got 3}}
  %0 = tenon.layer_norm %x, %s, %s axis 3 epsilon 1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @layer_norm_c2(%x: tensor<4x8xf32>, %s: tensor<4xf32>) {
  // expected-error@+1 {{'tenon.layer_norm' op expected scale and bias of the normalized shape (C2), got 'tensor<4xf32>' and 'tensor<4xf32>'}}
  %0 = tenon.layer_norm %x, %s, %s axis 1 epsilon 1.0e-5 : (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @batch_norm_c1(%x: tensor<4x8xf32>, %s: tensor<8xf32>) {
  // expected-error@+1 {{'tenon.batch_norm' op expected a dimension within rank 2 (C1), got 2}}
  %0 = tenon.batch_norm %x, %s, %s, %s, %s dim 2 epsilon 1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @batch_norm_c2(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %m: tensor<4xf32>) {
  // expected-error@+1 {{'tenon.batch_norm' op expected vectors of extent 8 (C2), got 'tensor<4xf32>'}}
  %0 = tenon.batch_norm %x, %s, %s, %m, %s dim 1 epsilon 1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}
