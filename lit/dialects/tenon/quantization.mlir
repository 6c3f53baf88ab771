// RUN: tenon-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @group_scales(
// CHECK: tenon.group_scales %{{.*}} group 128 bits 8 : (tensor<3x300x16xf32>) -> tensor<3x3x16xf32>
// CHECK: tenon.group_scales %{{.*}} group 32 bits 4 : (tensor<3x300x16xf32>) -> tensor<3x10x16xbf16>
func.func @group_scales(%p: tensor<3x300x16xf32>) {
  %0 = tenon.group_scales %p group 128 bits 8 : (tensor<3x300x16xf32>) -> tensor<3x3x16xf32>
  %1 = tenon.group_scales %p group 32 bits 4 : (tensor<3x300x16xf32>) -> tensor<3x10x16xbf16>
  return
}

// CHECK-LABEL: func.func @quantize(
// CHECK: tenon.quantize %{{[a-z0-9]+}} : (tensor<3x300x16xf32>) -> tensor<3x300x16xbf16>
// CHECK: tenon.quantize %{{[a-z0-9]+}} : (tensor<3x300x16xf32>) -> tensor<3x300x16xf16>
// CHECK: tenon.quantize %{{[a-z0-9]+}} scales %{{[a-z0-9]+}} group 128 : (tensor<3x300x16xf32>, tensor<3x3x16xf32>) -> tensor<3x300x16xi8>
// CHECK: tenon.quantize %{{[a-z0-9]+}} scales %{{[a-z0-9]+}} group 32 : (tensor<3x300x16xf32>, tensor<3x10x16xbf16>) -> tensor<3x38x16xi32>
func.func @quantize(%p: tensor<3x300x16xf32>, %b: tensor<3x3x16xf32>, %n: tensor<3x10x16xbf16>) {
  %0 = tenon.quantize %p : (tensor<3x300x16xf32>) -> tensor<3x300x16xbf16>
  %3 = tenon.quantize %p : (tensor<3x300x16xf32>) -> tensor<3x300x16xf16>
  %1 = tenon.quantize %p scales %b group 128 : (tensor<3x300x16xf32>, tensor<3x3x16xf32>) -> tensor<3x300x16xi8>
  %2 = tenon.quantize %p scales %n group 32 : (tensor<3x300x16xf32>, tensor<3x10x16xbf16>) -> tensor<3x38x16xi32>
  return
}

// CHECK-LABEL: func.func @dequantize(
// CHECK: tenon.dequantize %{{[a-z0-9]+}} : (tensor<?x4xbf16>) -> tensor<?x4xf32>
// CHECK: tenon.dequantize %{{[a-z0-9]+}} : (tensor<?x4xf16>) -> tensor<?x4xf32>
// CHECK: tenon.dequantize %{{[a-z0-9]+}} scales %{{[a-z0-9]+}} group 128 : (tensor<3x300x16xi8>, tensor<3x3x16xf32>) -> tensor<3x300x16xf32>
// CHECK: tenon.dequantize %{{[a-z0-9]+}} scales %{{[a-z0-9]+}} group 32 : (tensor<3x38x16xi32>, tensor<3x10x16xbf16>) -> tensor<3x300x16xf32>
func.func @dequantize(%h: tensor<?x4xbf16>, %f: tensor<?x4xf16>, %q: tensor<3x300x16xi8>, %b: tensor<3x3x16xf32>, %w: tensor<3x38x16xi32>, %n: tensor<3x10x16xbf16>) {
  %0 = tenon.dequantize %h : (tensor<?x4xbf16>) -> tensor<?x4xf32>
  %3 = tenon.dequantize %f : (tensor<?x4xf16>) -> tensor<?x4xf32>
  %1 = tenon.dequantize %q scales %b group 128 : (tensor<3x300x16xi8>, tensor<3x3x16xf32>) -> tensor<3x300x16xf32>
  %2 = tenon.dequantize %w scales %n group 32 : (tensor<3x38x16xi32>, tensor<3x10x16xbf16>) -> tensor<3x300x16xf32>
  return
}
