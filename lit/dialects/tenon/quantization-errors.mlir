// RUN: tenon-opt %s --split-input-file --verify-diagnostics

func.func @group_scales_c1(%p: tensor<300x16xf32>) {
  // expected-error@+1 {{expected panels x depth x width of f32 (C1), got 'tensor<300x16xf32>'}}
  %0 = tenon.group_scales %p group 128 bits 8 : (tensor<300x16xf32>) -> tensor<3x3x16xf32>
  return
}

// -----

func.func @group_scales_c2(%p: tensor<3x300x16xf32>) {
  // expected-error@+1 {{expected a group of a positive multiple of 8 (C2), got 12}}
  %0 = tenon.group_scales %p group 12 bits 8 : (tensor<3x300x16xf32>) -> tensor<3x25x16xf32>
  return
}

// -----

func.func @group_scales_c3(%p: tensor<3x300x16xf32>) {
  // expected-error@+1 {{expected scales tensor<3x3x16xf32> or the same of bf16 (C3), got tensor<3x2x16xf32>}}
  %0 = tenon.group_scales %p group 128 bits 8 : (tensor<3x300x16xf32>) -> tensor<3x2x16xf32>
  return
}

// -----

func.func @group_scales_c3_bits(%p: tensor<3x300x16xf32>) {
  // expected-error@+1 {{expected 8 or 4 bits (C3), got 5}}
  %0 = tenon.group_scales %p group 128 bits 5 : (tensor<3x300x16xf32>) -> tensor<3x3x16xf32>
  return
}

// -----

func.func @group_scales_c3_element(%p: tensor<3x300x16xf32>) {
  // expected-error@+1 {{expected scales of f32 for 8 bits and of bf16 for 4 (C3), got 'tensor<3x3x16xf32>' for 4}}
  %0 = tenon.group_scales %p group 128 bits 4 : (tensor<3x300x16xf32>) -> tensor<3x3x16xf32>
  return
}

// -----

func.func @quantize_c1(%p: tensor<3x300x16xf32>) {
  // expected-error@+1 {{expected f32 and f16 or bf16 of one shape and no group without scales (C1), got tensor<3x300x16xf32> and tensor<3x300x16xi8>}}
  %0 = tenon.quantize %p : (tensor<3x300x16xf32>) -> tensor<3x300x16xi8>
  return
}

// -----

func.func @quantize_c2(%p: tensor<3x300x16xf32>, %s: tensor<3x3x16xf32>) {
  // expected-error@+1 {{expected tensor<3x38x16xi32> to stand for tensor<3x300x16xf32> (C2), got tensor<3x37x16xi32>}}
  %0 = tenon.quantize %p scales %s group 128 : (tensor<3x300x16xf32>, tensor<3x3x16xf32>) -> tensor<3x37x16xi32>
  return
}

// -----

func.func @quantize_c3(%p: tensor<3x300x16xf32>, %s: tensor<3x3x16xf32>) {
  // expected-error@+1 {{expected a group of a positive multiple of 8 (C3), got 0}}
  %0 = tenon.quantize %p scales %s : (tensor<3x300x16xf32>, tensor<3x3x16xf32>) -> tensor<3x300x16xi8>
  return
}

// -----

func.func @dequantize_c1(%q: tensor<3x300x16xi8>) {
  // expected-error@+1 {{expected f32 and f16 or bf16 of one shape and no group without scales (C1)}}
  %0 = tenon.dequantize %q : (tensor<3x300x16xi8>) -> tensor<3x300x16xf32>
  return
}

// -----

func.func @dequantize_c2(%q: tensor<3x300xi8>, %s: tensor<3x3xf32>) {
  // expected-error@+1 {{expected panels x depth x width of f32 (C2), got tensor<3x300xf32>}}
  %0 = tenon.dequantize %q scales %s group 128 : (tensor<3x300xi8>, tensor<3x3xf32>) -> tensor<3x300xf32>
  return
}

// -----

func.func @dequantize_c3(%q: tensor<3x300x16xi8>, %s: tensor<3x3x8xf32>) {
  // expected-error@+1 {{expected scales tensor<3x3x16xf32> or the same of bf16 (C3), got tensor<3x3x8xf32>}}
  %0 = tenon.dequantize %q scales %s group 128 : (tensor<3x300x16xi8>, tensor<3x3x8xf32>) -> tensor<3x300x16xf32>
  return
}
