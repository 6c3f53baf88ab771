// Weights of contractions are packed into panels.
// RUN: tenon-opt %s --tenon-pack-weights --split-input-file | FileCheck %s
// RUN: tenon-opt %s --tenon-pack-weights=format=int8 --split-input-file | FileCheck %s --check-prefix=NARROW
// RUN: tenon-opt %s --tenon-pack-weights=format=int4 --split-input-file | FileCheck %s --check-prefix=NIBBLE
// RUN: tenon-opt %s --tenon-pack-weights=format=bf16 --split-input-file | FileCheck %s --check-prefix=BFLOAT
// RUN: tenon-opt %s --tenon-pack-weights --tenon-fold-weights --split-input-file | FileCheck %s --check-prefix=FOLDED
// RUN: tenon-opt %s --tenon-fold-weights --tenon-pack-weights --split-input-file | FileCheck %s --check-prefix=WIDENED

// The columns of a product may be any dimension of the weight.
// CHECK-LABEL: @product
// CHECK: %[[W:.*]] = tenon.get_weight @w
// CHECK: %[[P:.*]] = tenon.pack %[[W]] dim 0 width 16 : (tensor<40x8xf32>) -> tensor<3x8x16xf32>
// CHECK: %[[U:.*]] = tenon.unpack %[[P]] dim 0 extent 40
// CHECK: tenon.dot_general %{{.*}}, %[[U]]
// FOLDED: tenon.weight @w.folded : tensor<3x8x16xf32> {
// FOLDED: tenon.pack
// FOLDED-LABEL: @product
// FOLDED: %[[P:.*]] = tenon.get_weight @w.folded
// FOLDED: tenon.unpack %[[P]]
tenon.weight @w : tensor<40x8xf32> from #tenon.source<"m.bin", 0, 1280>
func.func @product(%x: tensor<2x8xf32>) -> tensor<2x40xf32> {
  %w = tenon.get_weight @w : tensor<40x8xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [1] : (tensor<2x8xf32>, tensor<40x8xf32>) -> tensor<2x40xf32>
  return %0 : tensor<2x40xf32>
}

// -----
// The row of a panel is one cache line: eight f64.
// FOLDED-LABEL: @kernel
// CHECK-LABEL: @kernel
// CHECK: tenon.pack %{{.*}} dim 3 width 8 : (tensor<3x3x4x8xf64>) -> tensor<1x3x3x4x8xf64>
tenon.weight @w : tensor<3x3x4x8xf64> from #tenon.source<"m.bin", 0, 2304>
func.func @kernel(%x: tensor<1x5x5x4xf64>) -> tensor<1x3x3x8xf64> {
  %w = tenon.get_weight @w : tensor<3x3x4x8xf64>
  %0 = tenon.convolution %x, %w strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x5x5x4xf64>, tensor<3x3x4x8xf64>) -> tensor<1x3x3x8xf64>
  return %0 : tensor<1x3x3x8xf64>
}

// -----
// A table that is also a matrix is stored once: both users read panels, in any
// function.
// FOLDED: tenon.weight @w : {{.*}} from
// FOLDED: tenon.weight @w.folded
// FOLDED-NOT: tenon.weight
// FOLDED-LABEL: @lookup
// FOLDED: %[[P:.*]] = tenon.get_weight @w.folded
// FOLDED: %[[U:.*]] = tenon.unpack %[[P]] dim 0 extent 40
// FOLDED: tenon.gather %[[U]]
// FOLDED-LABEL: @project
// FOLDED: tenon.unpack
tenon.weight @w : tensor<40x8xf32> from #tenon.source<"m.bin", 0, 1280>
func.func @lookup(%i: tensor<2x1xi64>) -> tensor<2x8xf32> {
  %w = tenon.get_weight @w : tensor<40x8xf32>
  %0 = tenon.gather %w, %i offset_dims [1] collapsed [0] batching [] x [] map [0] vector_dim 1 slice_sizes [1, 8] : (tensor<40x8xf32>, tensor<2x1xi64>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}
func.func @project(%x: tensor<2x8xf32>) -> tensor<2x40xf32> {
  %w = tenon.get_weight @w : tensor<40x8xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [1] : (tensor<2x8xf32>, tensor<40x8xf32>) -> tensor<2x40xf32>
  return %0 : tensor<2x40xf32>
}

// -----
// A small weight that another op needs unpacked also gets a copy in panels.
// CHECK-LABEL: @two_forms
// CHECK: %[[W:.*]] = tenon.get_weight @w
// CHECK: tenon.negate %[[W]]
// CHECK: tenon.pack %[[W]]
tenon.weight @w : tensor<8x40xf32> from #tenon.source<"m.bin", 0, 1280>
func.func @two_forms(%x: tensor<2x8xf32>) -> (tensor<2x40xf32>, tensor<8x40xf32>) {
  %w = tenon.get_weight @w : tensor<8x40xf32>
  %1 = tenon.negate %w : (tensor<8x40xf32>) -> tensor<8x40xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<2x8xf32>, tensor<8x40xf32>) -> tensor<2x40xf32>
  return %0, %1 : tensor<2x40xf32>, tensor<8x40xf32>
}

// -----
// A large one gets no copy.
// CHECK-LABEL: @two_large_forms
// CHECK-NOT: tenon.pack
tenon.weight @w : tensor<1024x1024xf32> from #tenon.source<"m.bin", 0, 4194304>
func.func @two_large_forms(%x: tensor<2x1024xf32>) -> (tensor<2x1024xf32>, tensor<1024x1024xf32>) {
  %w = tenon.get_weight @w : tensor<1024x1024xf32>
  %1 = tenon.negate %w : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<2x1024xf32>, tensor<1024x1024xf32>) -> tensor<2x1024xf32>
  return %0, %1 : tensor<2x1024xf32>, tensor<1024x1024xf32>
}

// -----
// Not packed: weights that would be mostly padding, integers, several groups.
// CHECK-LABEL: @unfit
// CHECK-NOT: tenon.pack
tenon.weight @n : tensor<8x3xf32> from #tenon.source<"m.bin", 0, 96>
tenon.weight @i : tensor<8x40xi32> from #tenon.source<"m.bin", 0, 1280>
tenon.weight @g : tensor<3x3x1x64xf32> from #tenon.source<"m.bin", 0, 2304>
func.func @unfit(%x: tensor<2x8xf32>, %y: tensor<2x8xi32>, %z: tensor<1x5x5x64xf32>) -> (tensor<2x3xf32>, tensor<2x40xi32>, tensor<1x3x3x64xf32>) {
  %n = tenon.get_weight @n : tensor<8x3xf32>
  %i = tenon.get_weight @i : tensor<8x40xi32>
  %g = tenon.get_weight @g : tensor<3x3x1x64xf32>
  %0 = tenon.dot_general %x, %n batch [] x [] contract [1] x [0] : (tensor<2x8xf32>, tensor<8x3xf32>) -> tensor<2x3xf32>
  %1 = tenon.dot_general %y, %i batch [] x [] contract [1] x [0] : (tensor<2x8xi32>, tensor<8x40xi32>) -> tensor<2x40xi32>
  %2 = tenon.convolution %z, %g strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 64 : (tensor<1x5x5x64xf32>, tensor<3x3x1x64xf32>) -> tensor<1x3x3x64xf32>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<2x40xi32>, tensor<1x3x3x64xf32>
}

// -----
// Products whose weights will be quantized read wide panels
// if few columns remain; convolutions do so with bf16.
// CHECK-LABEL: @stored
// NARROW-LABEL: @stored
// NARROW-DAG: tenon.pack %{{.*}} dim 1 width 64 : (tensor<8x120xf32>) -> tensor<2x8x64xf32>
// NARROW-DAG: tenon.pack %{{.*}} dim 1 width 16 : (tensor<8x80xf32>) -> tensor<5x8x16xf32>
// NARROW-DAG: tenon.pack %{{.*}} dim 3 width 16
// NIBBLE-LABEL: @stored
// NIBBLE-DAG: tenon.pack %{{.*}} dim 1 width 64 : (tensor<8x120xf32>) -> tensor<2x8x64xf32>
// NIBBLE-DAG: tenon.pack %{{.*}} dim 1 width 16 : (tensor<8x80xf32>) -> tensor<5x8x16xf32>
// NIBBLE-DAG: tenon.pack %{{.*}} dim 1 width 96 : (tensor<8x192xf32>) -> tensor<2x8x96xf32>
// BFLOAT-LABEL: @stored
// BFLOAT: tenon.pack %{{.*}} dim 3 width 64
tenon.weight @a : tensor<8x120xf32> from #tenon.source<"m.bin", 0, 3840>
tenon.weight @b : tensor<8x80xf32> from #tenon.source<"m.bin", 0, 2560>
tenon.weight @c : tensor<1x1x8x64xf32> from #tenon.source<"m.bin", 0, 2048>
tenon.weight @d : tensor<8x192xf32> from #tenon.source<"m.bin", 0, 6144>
func.func @stored(%x: tensor<2x8xf32>, %y: tensor<1x5x5x8xf32>) -> (tensor<2x192xf32>, tensor<2x120xf32>, tensor<2x80xf32>, tensor<1x5x5x64xf32>) {
  %d = tenon.get_weight @d : tensor<8x192xf32>
  %a = tenon.get_weight @a : tensor<8x120xf32>
  %b = tenon.get_weight @b : tensor<8x80xf32>
  %c = tenon.get_weight @c : tensor<1x1x8x64xf32>
  %3 = tenon.dot_general %x, %d batch [] x [] contract [1] x [0] : (tensor<2x8xf32>, tensor<8x192xf32>) -> tensor<2x192xf32>
  %0 = tenon.dot_general %x, %a batch [] x [] contract [1] x [0] : (tensor<2x8xf32>, tensor<8x120xf32>) -> tensor<2x120xf32>
  %1 = tenon.dot_general %x, %b batch [] x [] contract [1] x [0] : (tensor<2x8xf32>, tensor<8x80xf32>) -> tensor<2x80xf32>
  %2 = tenon.convolution %y, %c strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x5x5x8xf32>, tensor<1x1x8x64xf32>) -> tensor<1x5x5x64xf32>
  return %3, %0, %1, %2 : tensor<2x192xf32>, tensor<2x120xf32>, tensor<2x80xf32>, tensor<1x5x5x64xf32>
}

// -----
// Products with few rows read wide panels, of 48 or 64 columns, whichever needs
// less padding.
// CHECK-LABEL: @few
// CHECK-DAG: tenon.pack %{{.*}} dim 1 width 48 : (tensor<8x96xf32>) -> tensor<2x8x48xf32>
// CHECK-DAG: tenon.pack %{{.*}} dim 1 width 64 : (tensor<8x128xf32>) -> tensor<2x8x64xf32>
// CHECK-DAG: tenon.pack %{{.*}} dim 1 width 16 : (tensor<8x40xf32>) -> tensor<3x8x16xf32>
tenon.weight @a : tensor<8x96xf32> from #tenon.source<"m.bin", 0, 3072>
tenon.weight @b : tensor<8x128xf32> from #tenon.source<"m.bin", 3072, 4096>
tenon.weight @c : tensor<8x40xf32> from #tenon.source<"m.bin", 7168, 1280>
func.func @few(%x: tensor<4x8xf32>) -> (tensor<4x96xf32>, tensor<4x128xf32>, tensor<4x40xf32>) {
  %a = tenon.get_weight @a : tensor<8x96xf32>
  %b = tenon.get_weight @b : tensor<8x128xf32>
  %c = tenon.get_weight @c : tensor<8x40xf32>
  %0 = tenon.dot_general %x, %a batch [] x [] contract [1] x [0] : (tensor<4x8xf32>, tensor<8x96xf32>) -> tensor<4x96xf32>
  %1 = tenon.dot_general %x, %b batch [] x [] contract [1] x [0] : (tensor<4x8xf32>, tensor<8x128xf32>) -> tensor<4x128xf32>
  %2 = tenon.dot_general %x, %c batch [] x [] contract [1] x [0] : (tensor<4x8xf32>, tensor<8x40xf32>) -> tensor<4x40xf32>
  return %0, %1, %2 : tensor<4x96xf32>, tensor<4x128xf32>, tensor<4x40xf32>
}
// NARROW-LABEL: @few
// NARROW: dim 1 width 64

// -----
// With five rows they do not.
// CHECK-LABEL: @more
// CHECK: tenon.pack %{{.*}} dim 1 width 16
tenon.weight @a : tensor<8x96xf32> from #tenon.source<"m.bin", 0, 3072>
func.func @more(%x: tensor<5x8xf32>) -> tensor<5x96xf32> {
  %a = tenon.get_weight @a : tensor<8x96xf32>
  %0 = tenon.dot_general %x, %a batch [] x [] contract [1] x [0] : (tensor<5x8xf32>, tensor<8x96xf32>) -> tensor<5x96xf32>
  return %0 : tensor<5x96xf32>
}

// -----
// Weights that were widened from 16 bits have panels for 16 bits, which they will be stored in.
// WIDENED-LABEL: @widened
// WIDENED-COUNT-2: tenon.pack %{{.*}} dim 1 width 64
tenon.weight @h : tensor<8x128xbf16> from #tenon.source<"m.bin", 0, 2048>
tenon.weight @g : tensor<8x128xf16> from #tenon.source<"m.bin", 2048, 2048>
func.func @widened(%x: tensor<5x8xf32>) -> (tensor<5x128xf32>, tensor<5x128xf32>) {
  %h = tenon.get_weight @h : tensor<8x128xbf16>
  %w = tenon.convert %h to f32 : (tensor<8x128xbf16>) -> tensor<8x128xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<5x8xf32>, tensor<8x128xf32>) -> tensor<5x128xf32>
  %g = tenon.get_weight @g : tensor<8x128xf16>
  %v = tenon.convert %g to f32 : (tensor<8x128xf16>) -> tensor<8x128xf32>
  %1 = tenon.dot_general %x, %v batch [] x [] contract [1] x [0] : (tensor<5x8xf32>, tensor<8x128xf32>) -> tensor<5x128xf32>
  return %0, %1 : tensor<5x128xf32>, tensor<5x128xf32>
}
