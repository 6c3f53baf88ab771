// RUN: tenon-opt %s --split-input-file --verify-diagnostics

func.func @pack_c1(%w: tensor<8x40xf32>) {
  // expected-error@+2 {{expected a dimension within rank 2 (C1), got 2}}
  // expected-error@+1 {{'tenon.pack' op failed to infer returned types}}
  %0 = tenon.pack %w dim 2 width 16 : (tensor<8x40xf32>) -> tensor<8x40x16xf32>
  return
}

// -----

func.func @pack_c2(%w: tensor<8x40xf32>) {
  // expected-error@+2 {{expected a positive width (C2), got 0}}
  // expected-error@+1 {{'tenon.pack' op failed to infer returned types}}
  %0 = tenon.pack %w dim 1 width 0 : (tensor<8x40xf32>) -> tensor<3x8x16xf32>
  return
}

// -----

func.func @unpack_c1(%p: tensor<3x8x16xf32>) {
  // expected-error@+2 {{expected panels, a width and a dimension within rank 2 (C1), got 3 dimensions and 2}}
  // expected-error@+1 {{'tenon.unpack' op failed to infer returned types}}
  %0 = tenon.unpack %p dim 2 extent 40 : (tensor<3x8x16xf32>) -> tensor<8x40xf32>
  return
}

// -----

func.func @unpack_c2(%p: tensor<3x8x16xf32>) {
  // expected-error@+2 {{expected an extent that fills the panels (C2), got 49 for 3 panels of 16}}
  // expected-error@+1 {{'tenon.unpack' op failed to infer returned types}}
  %0 = tenon.unpack %p dim 1 extent 49 : (tensor<3x8x16xf32>) -> tensor<8x49xf32>
  return
}

// -----

func.func @pair_c1(%p: tensor<3x8x16xf32>) {
  // expected-error@+2 {{expected at least two dimensions of bf16 (C1)}}
  // expected-error@+1 {{'tenon.pair' op failed to infer returned types}}
  %0 = tenon.pair %p : (tensor<3x8x16xf32>) -> tensor<3x4x16xi32>
  return
}

// -----

func.func @unpair_c1(%w: tensor<16xi32>) {
  // expected-error@+2 {{expected at least two dimensions of i32 (C1)}}
  // expected-error@+1 {{'tenon.unpair' op failed to infer returned types}}
  %0 = tenon.unpair %w : (tensor<16xi32>) -> tensor<32xbf16>
  return
}

// -----

func.func @quad_c1(%p: tensor<3x8x16xui8>) {
  // expected-error@+2 {{expected at least two dimensions of i8 (C1)}}
  // expected-error@+1 {{'tenon.quad' op failed to infer returned types}}
  %0 = tenon.quad %p : (tensor<3x8x16xui8>) -> tensor<3x2x16xi32>
  return
}

// -----

func.func @unquad_c1(%w: tensor<16xi32>) {
  // expected-error@+2 {{expected at least two dimensions of i32 (C1)}}
  // expected-error@+1 {{'tenon.unquad' op failed to infer returned types}}
  %0 = tenon.unquad %w : (tensor<16xi32>) -> tensor<64xi8>
  return
}
