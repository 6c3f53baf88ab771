// RUN: tenon-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @pack(
// CHECK: tenon.pack %{{.*}} dim 1 width 16 : (tensor<8x40xf32>) -> tensor<3x8x16xf32>
func.func @pack(%w: tensor<8x40xf32>) {
  %0 = tenon.pack %w dim 1 width 16 : (tensor<8x40xf32>) -> tensor<3x8x16xf32>
  return
}

// CHECK-LABEL: func.func @pack_more(
// CHECK: tenon.pack %{{.*}} dim 0 width 4 : (tensor<?x2x?xf16>) -> tensor<?x2x?x4xf16>
// CHECK: tenon.pack %{{.*}} dim 0 width 2 : (tensor<0xi8>) -> tensor<0x2xi8>
func.func @pack_more(%w: tensor<?x2x?xf16>, %e: tensor<0xi8>) {
  %0 = tenon.pack %w dim 0 width 4 : (tensor<?x2x?xf16>) -> tensor<?x2x?x4xf16>
  %1 = tenon.pack %e dim 0 width 2 : (tensor<0xi8>) -> tensor<0x2xi8>
  return
}

// CHECK-LABEL: func.func @unpack(
// CHECK: tenon.unpack %{{.*}} dim 1 extent 40 : (tensor<3x8x16xf32>) -> tensor<8x40xf32>
func.func @unpack(%p: tensor<3x8x16xf32>) {
  %0 = tenon.unpack %p dim 1 extent 40 : (tensor<3x8x16xf32>) -> tensor<8x40xf32>
  return
}

// CHECK-LABEL: func.func @unpack_more(
// CHECK: tenon.unpack %{{.*}} dim 0 extent 5 : (tensor<?x2x4xf16>) -> tensor<5x2xf16>
func.func @unpack_more(%p: tensor<?x2x4xf16>) {
  %0 = tenon.unpack %p dim 0 extent 5 : (tensor<?x2x4xf16>) -> tensor<5x2xf16>
  return
}

// CHECK-LABEL: func.func @pair(
// CHECK: tenon.pair %{{.*}} : (tensor<3x7x16xbf16>) -> tensor<3x4x16xi32>
// CHECK: tenon.pair %{{.*}} : (tensor<?x2xbf16>) -> tensor<?x2xi32>
func.func @pair(%p: tensor<3x7x16xbf16>, %d: tensor<?x2xbf16>) {
  %0 = tenon.pair %p : (tensor<3x7x16xbf16>) -> tensor<3x4x16xi32>
  %1 = tenon.pair %d : (tensor<?x2xbf16>) -> tensor<?x2xi32>
  return
}

// CHECK-LABEL: func.func @unpair(
// CHECK: tenon.unpair %{{.*}} : (tensor<3x4x16xi32>) -> tensor<3x8x16xbf16>
func.func @unpair(%w: tensor<3x4x16xi32>) {
  %0 = tenon.unpair %w : (tensor<3x4x16xi32>) -> tensor<3x8x16xbf16>
  return
}

// CHECK-LABEL: func.func @quad(
// CHECK: tenon.quad %{{.*}} : (tensor<3x7x16xi8>) -> tensor<3x2x16xi32>
// CHECK: tenon.quad %{{.*}} : (tensor<?x2xi8>) -> tensor<?x2xi32>
func.func @quad(%p: tensor<3x7x16xi8>, %d: tensor<?x2xi8>) {
  %0 = tenon.quad %p : (tensor<3x7x16xi8>) -> tensor<3x2x16xi32>
  %1 = tenon.quad %d : (tensor<?x2xi8>) -> tensor<?x2xi32>
  return
}

// CHECK-LABEL: func.func @unquad(
// CHECK: tenon.unquad %{{.*}} : (tensor<3x2x16xi32>) -> tensor<3x8x16xi8>
func.func @unquad(%w: tensor<3x2x16xi32>) {
  %0 = tenon.unquad %w : (tensor<3x2x16xi32>) -> tensor<3x8x16xi8>
  return
}
