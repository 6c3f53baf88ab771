// The weights of a convolution are read once for each block of its
// rows. If they do not fit L2, tiles prefetch the next columns, also
// through the taps of a window. A 1x1 convolution is a product.
// RUN: tenon-opt %s --tenon-to-tiled --split-input-file \
// RUN: | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK: %[[SUMS:.*]]:21 = scf.for
// CHECK: memref.prefetch
// CHECK-NOT: scf.for
// CHECK: vector.load
func.func @one_by_one(%x: tensor<1x7x7x512xf32>, %p: tensor<128x1x1x512x16xf32>) -> tensor<1x7x7x2048xf32> {
  %w = tenon.unpack %p dim 3 extent 2048 : (tensor<128x1x1x512x16xf32>) -> tensor<1x1x512x2048xf32>
  %0 = tenon.convolution %x, %w strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x7x7x512xf32>, tensor<1x1x512x2048xf32>) -> tensor<1x7x7x2048xf32>
  return %0 : tensor<1x7x7x2048xf32>
}
}

// -----

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK: memref.prefetch
func.func @window(%x: tensor<1x14x14x256xf32>, %p: tensor<16x3x3x256x16xf32>) -> tensor<1x14x14x256xf32> {
  %w = tenon.unpack %p dim 3 extent 256 : (tensor<16x3x3x256x16xf32>) -> tensor<3x3x256x256xf32>
  %0 = tenon.convolution %x, %w strides [1, 1] padding [1, 1, 1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x14x14x256xf32>, tensor<3x3x256x256xf32>) -> tensor<1x14x14x256xf32>
  return %0 : tensor<1x14x14x256xf32>
}
}

// -----

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @stays(%x: tensor<1x56x56x64xf32>, %p: tensor<4x3x3x64x16xf32>) -> tensor<1x56x56x64xf32> {
  %w = tenon.unpack %p dim 3 extent 64 : (tensor<4x3x3x64x16xf32>) -> tensor<3x3x64x64xf32>
  %0 = tenon.convolution %x, %w strides [1, 1] padding [1, 1, 1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32>
  return %0 : tensor<1x56x56x64xf32>
}
}

// -----
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// One row reads four panels, each of one cache line of
// columns, without a prefetch. It prefetches in a wide panel,
// and if the number of rows is known only at run time.
// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @row(%x: tensor<1x768xf32>, %p: tensor<48x768x16xf32>) -> tensor<1x768xf32> {
  %w = tenon.unpack %p dim 1 extent 768 : (tensor<48x768x16xf32>) -> tensor<768x768xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<1x768xf32>, tensor<768x768xf32>) -> tensor<1x768xf32>
  return %0 : tensor<1x768xf32>
}
}

// -----

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK: %[[GROUPS:.*]]:4 = scf.for
// CHECK: %[[SUMS:.*]]:4 = scf.for
// CHECK-COUNT-4: memref.prefetch
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @wide(%x: tensor<1x768xf32>, %q: tensor<12x768x64xi8>, %s: tensor<12x6x64xf32>) -> tensor<1x768xf32> {
  %p = tenon.dequantize %q scales %s group 128 : (tensor<12x768x64xi8>, tensor<12x6x64xf32>) -> tensor<12x768x64xf32>
  %w = tenon.unpack %p dim 1 extent 768 : (tensor<12x768x64xf32>) -> tensor<768x768xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<1x768xf32>, tensor<768x768xf32>) -> tensor<1x768xf32>
  return %0 : tensor<1x768xf32>
}
}

// -----

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// With an open batch an image may read each panel only once. So its few
// tiles prefetch the next panel, although all panels fit the cache.
// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK: memref.prefetch
// CHECK: return
func.func @image(%x: tensor<?x14x14x112xf32>, %p: tensor<42x1x1x112x16xf32>) -> tensor<?x14x14x672xf32> {
  %w = tenon.unpack %p dim 3 extent 672 : (tensor<42x1x1x112x16xf32>) -> tensor<1x1x112x672xf32>
  %0 = tenon.convolution %x, %w strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<?x14x14x112xf32>, tensor<1x1x112x672xf32>) -> tensor<?x14x14x672xf32>
  return %0 : tensor<?x14x14x672xf32>
}
}

// -----
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// Rows read a deep panel in pieces of 128 sums. The offset of a prefetch counts
// from the start of the tile's piece.
// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK: scf.for %[[PIECE:.*]] = %c0{{.*}} to %c640{{.*}} step %c128{{.*}} {
// CHECK: %[[STEPS:.*]] = arith.divui %[[PIECE]], %c4
// CHECK: %[[FETCHED:.*]] = arith.muli %[[STEPS]], %c32
// CHECK: arith.subi %{{.*}}, %[[FETCHED]]
// CHECK: memref.prefetch
func.func @pieces(%x: tensor<64x768xf32>, %p: tensor<24x768x16xf32>) -> tensor<64x384xf32> {
  %w = tenon.unpack %p dim 1 extent 384 : (tensor<24x768x16xf32>) -> tensor<768x384xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<64x768xf32>, tensor<768x384xf32>) -> tensor<64x384xf32>
  return %0 : tensor<64x384xf32>
}
}

// -----
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// The only tile of the rows prefetches its own
// operands. From 96 steps before the end of its two
// panels, it prefetches the start of the next two.
// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK: %[[PAST:.*]] = arith.cmpi {{.*}}, %c1{{.*}}
// CHECK: arith.select %[[PAST]], %c12288{{.*}}, %c0
// CHECK-COUNT-8: memref.prefetch {{.*}} locality<3>
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @alone(%x: tensor<8x768xf32>, %p: tensor<64x768x16xf32>) -> tensor<8x1024xf32> {
  %w = tenon.unpack %p dim 1 extent 1024 : (tensor<64x768x16xf32>) -> tensor<768x1024xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<8x768xf32>, tensor<768x1024xf32>) -> tensor<8x1024xf32>
  return %0 : tensor<8x1024xf32>
}
}

// -----
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// Each of two tiles prefetches half of every panel of the next piece, in both
// loops that sum pieces.
// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK: scf.for {{.*}} to %c640{{.*}} step %c128{{.*}} {
// CHECK-COUNT-6: memref.prefetch {{.*}} locality<3>
// CHECK-NOT: memref.prefetch
// CHECK: vector.store
// CHECK-COUNT-6: memref.prefetch {{.*}} locality<3>
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @halves(%x: tensor<16x768xf32>, %p: tensor<24x768x16xf32>) -> tensor<16x384xf32> {
  %w = tenon.unpack %p dim 1 extent 384 : (tensor<24x768x16xf32>) -> tensor<768x384xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<16x768xf32>, tensor<768x384xf32>) -> tensor<16x384xf32>
  return %0 : tensor<16x384xf32>
}
}

// -----
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// If the number of rows is known only at run time, up to sixteen rows read each
// panel as a whole, and each tile prefetches the columns that it reads itself.
// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK: %[[FEW:.*]] = arith.cmpi slt, %{{.*}}, %c17
// CHECK: %[[PIECES:.*]] = arith.select %[[FEW]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[PIECES]] step %c66
// CHECK: memref.prefetch {{.*}} locality<2>
// CHECK: scf.for %{{.*}} = %[[PIECES]] to %{{.*}} step %c6{{ }}
// CHECK-COUNT-6: memref.prefetch {{.*}} locality<3>
func.func @open(%x: tensor<?x768xf32>, %q: tensor<12x768x64xi8>, %s: tensor<12x6x64xf32>) -> tensor<?x768xf32> {
  %p = tenon.dequantize %q scales %s group 128 : (tensor<12x768x64xi8>, tensor<12x6x64xf32>) -> tensor<12x768x64xf32>
  %w = tenon.unpack %p dim 1 extent 768 : (tensor<12x768x64xf32>) -> tensor<768x768xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<?x768xf32>, tensor<768x768xf32>) -> tensor<?x768xf32>
  return %0 : tensor<?x768xf32>
}
}

// -----

// With AMX, weights in fewer bits are prefetched into L2, 3 KiB ahead.
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144, byte_tiles = true, tile_stack = 655360>} {

// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK: %[[AHEAD:.*]] = arith.addi %{{.*}}, %c3072
// CHECK: memref.prefetch {{.*}} locality<2>
// CHECK-NOT: locality<3>
// CHECK: return
func.func @into_l2(%x: tensor<1x768xf32>, %q: tensor<12x768x64xi8>, %s: tensor<12x6x64xf32>) -> tensor<1x768xf32> {
  %p = tenon.dequantize %q scales %s group 128 : (tensor<12x768x64xi8>, tensor<12x6x64xf32>) -> tensor<12x768x64xf32>
  %w = tenon.unpack %p dim 1 extent 768 : (tensor<12x768x64xf32>) -> tensor<768x768xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<1x768xf32>, tensor<768x768xf32>) -> tensor<1x768xf32>
  return %0 : tensor<1x768xf32>
}
}

// -----

// A processor that reads panels of floats ahead needs no prefetch for the only
// tile of the rows, but for integers, and where tiles share a panel.
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144, reads_ahead = true>} {

// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK-NOT: memref.prefetch
// CHECK: return
// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK: memref.prefetch
// CHECK: return
// CHECK-LABEL: func.func private @contraction{{.*}}(
// CHECK: memref.prefetch
// CHECK: return
func.func @reads_ahead(%x: tensor<8x768xf32>, %p: tensor<64x768x16xf32>, %y: tensor<1x768xf32>, %q: tensor<12x768x64xi8>, %s: tensor<12x6x64xf32>, %z: tensor<16x768xf32>) -> (tensor<8x1024xf32>, tensor<1x768xf32>, tensor<16x1024xf32>) {
  %v = tenon.unpack %p dim 1 extent 1024 : (tensor<64x768x16xf32>) -> tensor<768x1024xf32>
  %0 = tenon.dot_general %x, %v batch [] x [] contract [1] x [0] : (tensor<8x768xf32>, tensor<768x1024xf32>) -> tensor<8x1024xf32>
  %d = tenon.dequantize %q scales %s group 128 : (tensor<12x768x64xi8>, tensor<12x6x64xf32>) -> tensor<12x768x64xf32>
  %w = tenon.unpack %d dim 1 extent 768 : (tensor<12x768x64xf32>) -> tensor<768x768xf32>
  %1 = tenon.dot_general %y, %w batch [] x [] contract [1] x [0] : (tensor<1x768xf32>, tensor<768x768xf32>) -> tensor<1x768xf32>
  %2 = tenon.dot_general %z, %v batch [] x [] contract [1] x [0] : (tensor<16x768xf32>, tensor<768x1024xf32>) -> tensor<16x1024xf32>
  return %0, %1, %2 : tensor<8x1024xf32>, tensor<1x768xf32>, tensor<16x1024xf32>
}
}

// -----

// Keys and values of a cache are prefetched into L1, but into L2 by a processor
// that reads ahead.
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: func.func private @attention{{.*}}(
// CHECK-NOT: locality<2>
// CHECK: memref.prefetch {{.*}} locality<3>
// CHECK-NOT: locality<2>
// CHECK: return
func.func @cache(%q: tensor<2x12x1x64xf32>, %k: tensor<2x12x?x64xf32>, %v: tensor<2x12x?x64xf32>, %n: tensor<2xi64>) -> tensor<2x12x1x64xf32> {
  %0 = tenon.attention %q, %k, %v lengths %n order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 0.125 : (tensor<2x12x1x64xf32>, tensor<2x12x?x64xf32>, tensor<2x12x?x64xf32>, tensor<2xi64>) -> tensor<2x12x1x64xf32>
  return %0 : tensor<2x12x1x64xf32>
}
}

// -----

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144, reads_ahead = true>} {

// CHECK-LABEL: func.func private @attention{{.*}}(
// CHECK-NOT: locality<3>
// CHECK: memref.prefetch {{.*}} locality<2>
// CHECK-NOT: locality<3>
// CHECK: return
func.func @cache_ahead(%q: tensor<2x12x1x64xf32>, %k: tensor<2x12x?x64xf32>, %v: tensor<2x12x?x64xf32>, %n: tensor<2xi64>) -> tensor<2x12x1x64xf32> {
  %0 = tenon.attention %q, %k, %v lengths %n order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 0.125 : (tensor<2x12x1x64xf32>, tensor<2x12x?x64xf32>, tensor<2x12x?x64xf32>, tensor<2xi64>) -> tensor<2x12x1x64xf32>
  return %0 : tensor<2x12x1x64xf32>
}
}
