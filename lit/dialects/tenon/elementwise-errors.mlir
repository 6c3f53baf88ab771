// RUN: tenon-opt %s --split-input-file --verify-diagnostics

func.func @add_c1(%a: tensor<4xf32>, %b: tensor<5xf32>) {
  // expected-error@+1 {{'tenon.add' op requires the same shape for all operands and results}}
  %0 = tenon.add %a, %b : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @exponential_c1(%a: tensor<4xf32>) {
  // expected-error@+1 {{'tenon.exponential' op requires the same shape for all operands and results}}
  %0 = tenon.exponential %a : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @select_c1(%p: tensor<i1>, %a: tensor<4xf32>) {
  // expected-error@+1 {{'tenon.select' op requires the same shape for all operands and results}}
  %0 = tenon.select %p, %a, %a : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @compare_c1(%a: tensor<4xf32>) {
  // expected-error@+1 {{'tenon.compare' op requires the same shape for all operands and results}}
  %0 = tenon.compare lt %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<2x2xi1>
  return
}

// -----

func.func @convert_c1(%a: tensor<4xf32>) {
  // expected-error@+2 {{'tenon.convert' op inferred type(s) 'tensor<4xi8>' are incompatible with return type(s) of operation 'tensor<4xi16>'}}
  // expected-error@+1 {{'tenon.convert' op failed to infer returned types}}
  %0 = tenon.convert %a to i8 : (tensor<4xf32>) -> tensor<4xi16>
  return
}

// -----

func.func @bitcast_convert_c2(%a: tensor<4xf32>) {
  // expected-error@+1 {{'tenon.bitcast_convert' op expected element types of equal width (C2), got 'f32' and 'i16'}}
  %0 = tenon.bitcast_convert %a to i16 : (tensor<4xf32>) -> tensor<4xi16>
  return
}
