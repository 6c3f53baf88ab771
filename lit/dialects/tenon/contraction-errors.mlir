// RUN: tenon-opt %s --split-input-file --verify-diagnostics

func.func @dot_general_c1(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) {
  // expected-error@+1 {{'tenon.dot_general' op expected batch and contracting lists of equal length (C1)}}
  %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0, 1] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @dot_general_c2(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) {
  // expected-error@+1 {{'tenon.dot_general' op expected distinct dimensions within the rank (C2)}}
  %0 = tenon.dot_general %a, %b batch [1] x [0] contract [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @dot_general_c3(%a: tensor<2x4x8xf32>, %b: tensor<3x8x4xf32>) {
  // expected-error@+1 {{'tenon.dot_general' op expected batch extents to agree (C3), got 2 and 3}}
  %0 = tenon.dot_general %a, %b batch [0] x [0] contract [2] x [1] : (tensor<2x4x8xf32>, tensor<3x8x4xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

func.func @dot_general_c4(%a: tensor<4x64xf32>, %b: tensor<32x4xf32>) {
  // expected-error@+1 {{'tenon.dot_general' op expected contracting extents to agree (C4), got 64 and 32}}
  %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<4x64xf32>, tensor<32x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @dot_general_c5(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error@+1 {{'tenon.dot_general' op expected a result of shape 4, 2 (C5), got 'tensor<4x3xf32>'}}
  %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @convolution_c1(%x: tensor<1x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{'tenon.convolution' op expected operands of one rank of at least 3 (C1), got 3 and 4}}
  %0 = tenon.convolution %x, %w strides [1] padding [0, 0] lhs_dilation [1] rhs_dilation [1] groups 1 : (tensor<1x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @convolution_c2(%x: tensor<1x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error@+1 {{'tenon.convolution' op expected positive strides, dilations and groups (C2)}}
  %0 = tenon.convolution %x, %w strides [0] padding [0, 0] lhs_dilation [1] rhs_dilation [1] groups 1 : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @convolution_c3(%x: tensor<1x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error@+1 {{'tenon.convolution' op expected features = groups * kernel features (C3), got 4 and 2 * 4}}
  %0 = tenon.convolution %x, %w strides [1] padding [0, 0] lhs_dilation [1] rhs_dilation [1] groups 2 : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @convolution_c4(%x: tensor<1x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error@+1 {{'tenon.convolution' op expected a result of shape 1, 6, 6 (C4), got 'tensor<1x8x6xf32>'}}
  %0 = tenon.convolution %x, %w strides [1] padding [0, 0] lhs_dilation [1] rhs_dilation [1] groups 1 : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x8x6xf32>
  return
}

// -----

func.func @dot_general_c6(%a: tensor<4x8xf64>, %b: tensor<8x2xf64>) {
  // expected-error@+1 {{'tenon.dot_general' op expected pairs of f32 or bf16 with an f32 result (C6), got 'f64', 'f64' and 'f64'}}
  %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] products pairs : (tensor<4x8xf64>, tensor<8x2xf64>) -> tensor<4x2xf64>
  return
}

// -----

func.func @convolution_c5(%x: tensor<1x8x4xbf16>, %w: tensor<3x4x6xbf16>) {
  // expected-error@+1 {{'tenon.convolution' op expected pairs of f32 or bf16 with an f32 result (C5), got 'bf16', 'bf16' and 'bf16'}}
  %0 = tenon.convolution %x, %w strides [1] padding [0, 0] lhs_dilation [1] rhs_dilation [1] groups 1 products pairs : (tensor<1x8x4xbf16>, tensor<3x4x6xbf16>) -> tensor<1x6x6xbf16>
  return
}

// -----

func.func @dot_general_c6_quads(%a: tensor<4x8xi8>, %b: tensor<8x2xi8>) {
  // expected-error@+1 {{'tenon.dot_general' op expected quads of ui8 and i8 with an i32 result (C6), got 'i8', 'i8' and 'i32'}}
  %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] products quads : (tensor<4x8xi8>, tensor<8x2xi8>) -> tensor<4x2xi32>
  return
}

// -----

func.func @convolution_c5_quads(%x: tensor<1x8x4xui8>, %w: tensor<3x4x6xui8>) {
  // expected-error@+1 {{'tenon.convolution' op expected quads of ui8 and i8 with an i32 result (C5), got 'ui8', 'ui8' and 'i32'}}
  %0 = tenon.convolution %x, %w strides [1] padding [0, 0] lhs_dilation [1] rhs_dilation [1] groups 1 products quads : (tensor<1x8x4xui8>, tensor<3x4x6xui8>) -> tensor<1x6x6xi32>
  return
}

// -----

func.func @dot_general_c6_sum(%a: tensor<4x8xui8>, %b: tensor<8x2xi8>) {
  // expected-error@+1 {{'tenon.dot_general' op expected quads of ui8 and i8 with an i32 result (C6), got 'ui8', 'i8' and 'f32'}}
  %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] products quads : (tensor<4x8xui8>, tensor<8x2xi8>) -> tensor<4x2xf32>
  return
}
