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

// -----

func.func @attention_c1(%q: tensor<4x5x8xf32>, %k: tensor<2x7x8xf32>, %v: tensor<2x7x8xf32>) {
  // expected-error@+1 {{'tenon.attention' op expected orders that are permutations of one rank of at least 2 (C1)}}
  %0 = tenon.attention %q, %k, %v order [0, 1, 1] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0 : (tensor<4x5x8xf32>, tensor<2x7x8xf32>, tensor<2x7x8xf32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @attention_c2(%q: tensor<4x5x8xf32>, %k: tensor<3x7x8xf32>, %v: tensor<3x7x8xf32>) {
  // expected-error@+1 {{'tenon.attention' op expected batch extents to agree, heads up to a multiple (C2), got 4 and 3}}
  %0 = tenon.attention %q, %k, %v order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0 : (tensor<4x5x8xf32>, tensor<3x7x8xf32>, tensor<3x7x8xf32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @attention_c2_values(%q: tensor<4x5x8xf32>, %k: tensor<2x7x8xf32>, %v: tensor<4x7x8xf32>) {
  // expected-error@+1 {{'tenon.attention' op expected keys and values of one batch (C2)}}
  %0 = tenon.attention %q, %k, %v order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0 : (tensor<4x5x8xf32>, tensor<2x7x8xf32>, tensor<4x7x8xf32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @attention_c3(%q: tensor<4x5x8xf32>, %k: tensor<2x7x9xf32>, %v: tensor<2x7x8xf32>) {
  // expected-error@+1 {{'tenon.attention' op expected queries and keys of one depth (C3), got 8 and 9}}
  %0 = tenon.attention %q, %k, %v order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0 : (tensor<4x5x8xf32>, tensor<2x7x9xf32>, tensor<2x7x8xf32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @attention_c3_values(%q: tensor<4x5x8xf32>, %k: tensor<2x7x8xf32>, %v: tensor<2x6x8xf32>) {
  // expected-error@+1 {{'tenon.attention' op expected as many values as keys (C3), got 6 and 7}}
  %0 = tenon.attention %q, %k, %v order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0 : (tensor<4x5x8xf32>, tensor<2x7x8xf32>, tensor<2x6x8xf32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @attention_c4(%q: tensor<4x5x8xf32>, %k: tensor<2x7x8xf32>, %v: tensor<2x7x8xf32>, %m: tensor<2x5x7xf32>) {
  // expected-error@+1 {{'tenon.attention' op expected a mask of shape 4, 5, 7 with bools or elements of the queries' type (C4), got 'tensor<2x5x7xf32>'}}
  %0 = tenon.attention %q, %k, %v mask %m order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0 : (tensor<4x5x8xf32>, tensor<2x7x8xf32>, tensor<2x7x8xf32>, tensor<2x5x7xf32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @attention_c5(%q: tensor<4x5x8xf32>, %k: tensor<2x7x8xf32>, %v: tensor<2x7x8xf32>, %m: tensor<4x5x7xi1>) {
  // expected-error@+1 {{'tenon.attention' op expected a fill for masked scores (C5)}}
  %0 = tenon.attention %q, %k, %v mask %m order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0 : (tensor<4x5x8xf32>, tensor<2x7x8xf32>, tensor<2x7x8xf32>, tensor<4x5x7xi1>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @attention_c5_nothing(%q: tensor<4x5x8xf32>, %k: tensor<2x7x8xf32>, %v: tensor<2x7x8xf32>) {
  // expected-error@+1 {{'tenon.attention' op expected no fill where nothing is masked (C5)}}
  %0 = tenon.attention %q, %k, %v fill 1.0 order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0 : (tensor<4x5x8xf32>, tensor<2x7x8xf32>, tensor<2x7x8xf32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @attention_c6(%q: tensor<4x5x8xf32>, %k: tensor<2x7x8xf32>, %v: tensor<2x7x8xf32>) {
  // expected-error@+1 {{'tenon.attention' op expected a result that is 4, 5, 8 in its order (C6), got 'tensor<4x5x9xf32>'}}
  %0 = tenon.attention %q, %k, %v order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0 : (tensor<4x5x8xf32>, tensor<2x7x8xf32>, tensor<2x7x8xf32>) -> tensor<4x5x9xf32>
  return
}

// -----

func.func @attention_c2_table(%q: tensor<2x4x5x8xf32>, %k: tensor<9x3x7x8xf32>, %t: tensor<2x7xi64>) {
  // expected-error@+1 {{'tenon.attention' op expected batch extents to agree, heads up to a multiple (C2), got 4 and 3}}
  %0 = tenon.attention %q, %k, %k table %t order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 1.0 : (tensor<2x4x5x8xf32>, tensor<9x3x7x8xf32>, tensor<9x3x7x8xf32>, tensor<2x7xi64>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @attention_c2_entries(%q: tensor<2x4x5x8xf32>, %k: tensor<9x4x7x8xf32>, %n: tensor<2xi64>) {
  // expected-error@+1 {{'tenon.attention' op expected batch extents to agree, heads up to a multiple (C2), got 2 and 9}}
  %0 = tenon.attention %q, %k, %k lengths %n order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 1.0 : (tensor<2x4x5x8xf32>, tensor<9x4x7x8xf32>, tensor<9x4x7x8xf32>, tensor<2xi64>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @attention_c5_causal(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %c: tensor<2xi64>) {
  // expected-error@+1 {{'tenon.attention' op expected a fill for masked scores (C5)}}
  %0 = tenon.attention %q, %k, %k causal %c order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 1.0 : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>, tensor<2x4x7x8xf32>, tensor<2xi64>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @attention_c6_values(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xbf16>, %v: tensor<2x4x7x8xf32>) {
  // expected-error@+1 {{'tenon.attention' op expected keys and values of one element type, the queries' or a narrower one (C6), got 'bf16' and 'f32'}}
  %0 = tenon.attention %q, %k, %v order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 1.0 : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xbf16>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @attention_c6_wide(%q: tensor<2x4x5x8xbf16>, %k: tensor<2x4x7x8xf16>) {
  // expected-error@+1 {{'tenon.attention' op expected keys and values of one element type, the queries' or a narrower one (C6), got 'f16' and 'f16'}}
  %0 = tenon.attention %q, %k, %k order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 1.0 : (tensor<2x4x5x8xbf16>, tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>) -> tensor<2x4x5x8xbf16>
  return
}

// -----

func.func @attention_c6_result(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xbf16>) {
  // expected-error@+1 {{'tenon.attention' op expected queries and result of one element type (C6), got 'f32' and 'bf16'}}
  %0 = tenon.attention %q, %k, %k order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 1.0 : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xbf16>, tensor<2x4x7x8xbf16>) -> tensor<2x4x5x8xbf16>
  return
}

// -----

func.func @attention_c7_lengths(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %n: tensor<3xi64>) {
  // expected-error@+1 {{'tenon.attention' op expected a causal tensor and lengths of shape [2] and a table of shape [2, 7], for two batch extents (C7)}}
  %0 = tenon.attention %q, %k, %k lengths %n order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 1.0 : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>, tensor<2x4x7x8xf32>, tensor<3xi64>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @attention_c7_causal(%q: tensor<4x5x8xf32>, %k: tensor<4x7x8xf32>, %c: tensor<4xi64>) {
  // expected-error@+1 {{'tenon.attention' op expected a causal tensor and lengths of shape [4] and a table of shape [4, 7], for two batch extents (C7)}}
  %0 = tenon.attention %q, %k, %k causal %c fill 0.0 order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0 : (tensor<4x5x8xf32>, tensor<4x7x8xf32>, tensor<4x7x8xf32>, tensor<4xi64>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @attention_c7_table(%q: tensor<2x4x5x8xf32>, %k: tensor<9x4x7x8xf32>, %t: tensor<2x8xi64>) {
  // expected-error@+1 {{'tenon.attention' op expected a causal tensor and lengths of shape [2] and a table of shape [2, 7], for two batch extents (C7)}}
  %0 = tenon.attention %q, %k, %k table %t order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 1.0 : (tensor<2x4x5x8xf32>, tensor<9x4x7x8xf32>, tensor<9x4x7x8xf32>, tensor<2x8xi64>) -> tensor<2x4x5x8xf32>
  return
}
