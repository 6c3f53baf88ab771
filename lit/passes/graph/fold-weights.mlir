// Values computed only from weights become weights with a recipe.
// RUN: tenon-opt %s --tenon-fold-weights --split-input-file | FileCheck %s

// A chain folds to one recipe, and weights without users are removed.
// CHECK: tenon.weight @k : tensor<2x4xf32> from
// CHECK: tenon.weight @k.folded : tensor<4x2xf32> {
// CHECK-NEXT: %[[K:.*]] = tenon.get_weight @k
// CHECK-NEXT: %[[T:.*]] = tenon.transpose %[[K]] [1, 0]
// CHECK-NEXT: %[[N:.*]] = tenon.negate %[[T]]
// CHECK-NEXT: tenon.yield %[[N]]
// CHECK-NOT: @unused
// CHECK-LABEL: @chain
// CHECK-NEXT: %[[W:.*]] = tenon.get_weight @k.folded
// CHECK-NEXT: tenon.add %{{.*}}, %[[W]]
tenon.weight @k : tensor<2x4xf32> from #tenon.source<"m.bin", 0, 32>
tenon.weight @unused : tensor<2xf32> from #tenon.source<"m.bin", 32, 8>
func.func @chain(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %k = tenon.get_weight @k : tensor<2x4xf32>
  %t = tenon.transpose %k [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %n = tenon.negate %t : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %0 = tenon.add %x, %n : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----
// Equal recipes are one weight, across all functions.
// CHECK: tenon.weight @w.folded
// CHECK-NOT: tenon.weight
// CHECK-LABEL: @first
// CHECK: tenon.get_weight @w.folded :
// CHECK-LABEL: @second
// CHECK: tenon.get_weight @w.folded :
tenon.weight @w : tensor<4xf32> from #tenon.source<"m.bin", 0, 16>
func.func @first() -> tensor<4xf32> {
  %w = tenon.get_weight @w : tensor<4xf32>
  %0 = tenon.sqrt %w : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @second() -> tensor<4xf32> {
  %w = tenon.get_weight @w : tensor<4xf32>
  %0 = tenon.sqrt %w : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----
// No large weight is made of small ones; within a recipe a broadcast is
// allowed.
// CHECK: tenon.weight @w : tensor<4x8xf32>
// CHECK: tenon.weight @w.folded : tensor<4x8xf32> {
// CHECK: tenon.broadcast_in_dim
// CHECK: tenon.weight @s : tensor<8xf32>
// CHECK-LABEL: @broadcasts
// CHECK: %[[S:.*]] = tenon.get_weight @s
// CHECK: tenon.broadcast_in_dim %[[S]] dims [1] sizes [64, 8]
// CHECK: tenon.get_weight @w.folded
tenon.weight @w : tensor<4x8xf32> from #tenon.source<"m.bin", 0, 128>
tenon.weight @s : tensor<8xf32> from #tenon.source<"m.bin", 128, 32>
func.func @broadcasts(%x: tensor<64x8xf32>, %y: tensor<4x8xf32>) -> (tensor<64x8xf32>, tensor<4x8xf32>) {
  %s = tenon.get_weight @s : tensor<8xf32>
  %b = tenon.broadcast_in_dim %s dims [1] sizes [64, 8] : (tensor<8xf32>) -> tensor<64x8xf32>
  %0 = tenon.add %x, %b : (tensor<64x8xf32>, tensor<64x8xf32>) -> tensor<64x8xf32>
  %w = tenon.get_weight @w : tensor<4x8xf32>
  %c = tenon.broadcast_in_dim %s dims [1] sizes [4, 8] : (tensor<8xf32>) -> tensor<4x8xf32>
  %m = tenon.multiply %w, %c : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = tenon.add %y, %m : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0, %1 : tensor<64x8xf32>, tensor<4x8xf32>
}

// -----
// A recipe that reads a recipe includes its ops.
// CHECK: tenon.weight @w :
// CHECK: tenon.weight @r.folded : tensor<4xf32> {
// CHECK-NEXT: tenon.get_weight @w
// CHECK-NEXT: tenon.sqrt
// CHECK-NEXT: tenon.negate
// CHECK-NEXT: tenon.yield
// CHECK-NOT: tenon.weight
// CHECK-LABEL: @grows
// CHECK: return
tenon.weight @w : tensor<4xf32> from #tenon.source<"m.bin", 0, 16>
tenon.weight @r : tensor<4xf32> {
  %w = tenon.get_weight @w : tensor<4xf32>
  %0 = tenon.sqrt %w : (tensor<4xf32>) -> tensor<4xf32>
  tenon.yield %0 : tensor<4xf32>
}
func.func @grows() -> tensor<4xf32> {
  %r = tenon.get_weight @r : tensor<4xf32>
  %0 = tenon.negate %r : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----
// Splats are not folded: a kernel needs no memory for them. Ops that the writer
// cannot evaluate are not folded either.
// CHECK-NOT: folded
// CHECK-LABEL: @stays
// CHECK: tenon.sqrt
// CHECK: tenon.tanh
tenon.weight @w : tensor<4xf32> from #tenon.source<"m.bin", 0, 16>
func.func @stays() -> (tensor<4xf32>, tensor<4xf32>) {
  %c = tenon.constant dense<2.0> : tensor<4xf32>
  %0 = tenon.sqrt %c : (tensor<4xf32>) -> tensor<4xf32>
  %w = tenon.get_weight @w : tensor<4xf32>
  %1 = tenon.tanh %w : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----
// A tied weight is stored once: the contraction reads it transposed.
// CHECK-NOT: folded
// CHECK-LABEL: @tied
// CHECK: tenon.transpose
tenon.weight @e : tensor<16x4xf32> from #tenon.source<"m.bin", 0, 256>
func.func @tied(%x: tensor<3x4xf32>) -> (tensor<3x16xf32>, tensor<16x4xf32>) {
  %e = tenon.get_weight @e : tensor<16x4xf32>
  %t = tenon.transpose %e [1, 0] : (tensor<16x4xf32>) -> tensor<4x16xf32>
  %0 = tenon.dot_general %x, %t batch [] x [] contract [1] x [0] : (tensor<3x4xf32>, tensor<4x16xf32>) -> tensor<3x16xf32>
  return %0, %e : tensor<3x16xf32>, tensor<16x4xf32>
}

// -----
// Sizes depend on the sum: the plan function computes it before the run,
// without weights.
// CHECK-NOT: tenon.weight
// CHECK-LABEL: @numbers
// CHECK: %[[C:.*]] = tenon.constant dense<[1, 2]>
// CHECK: tenon.reverse %[[C]]
func.func @numbers(%x: tensor<2xi64>) -> index {
  %c0 = arith.constant 0 : index
  %c = tenon.constant dense<[1, 2]> : tensor<2xi64>
  %r = tenon.reverse %c [0] : tensor<2xi64>
  %s = tenon.add %x, %r : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %n = tensor.extract %s[%c0] : tensor<2xi64>
  %size = arith.index_cast %n : i64 to index
  return %size : index
}

// -----
// An integer sum of a weight is a weight; a sum of floats depends on its order
// and stays.
// CHECK: tenon.weight @w : tensor<8x4xi8>
// CHECK: tenon.weight @w.folded : tensor<4xi32> {
// CHECK: tenon.convert
// CHECK: tenon.reduce add
// CHECK-NOT: tenon.weight @f.folded
// CHECK-LABEL: @sums
// CHECK: tenon.get_weight @w.folded
// CHECK: tenon.reduce add {{.*}} : (tensor<8x4xf32>) -> tensor<4xf32>
// CHECK: tenon.reduce maximum
// CHECK-NOT: tenon.reduce
tenon.weight @w : tensor<8x4xi8> from #tenon.source<"m.bin", 0, 32>
tenon.weight @f : tensor<8x4xf32> from #tenon.source<"m.bin", 32, 128>
tenon.weight @i : tensor<8x4xi32> from #tenon.source<"m.bin", 32, 128>
func.func @sums(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xf32>, tensor<4xi32>) {
  %w = tenon.get_weight @w : tensor<8x4xi8>
  %c = tenon.convert %w to i32 : (tensor<8x4xi8>) -> tensor<8x4xi32>
  %s = tenon.reduce add %c over [0] : (tensor<8x4xi32>) -> tensor<4xi32>
  %0 = tenon.subtract %x, %s : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %f = tenon.get_weight @f : tensor<8x4xf32>
  %1 = tenon.reduce add %f over [0] : (tensor<8x4xf32>) -> tensor<4xf32>
  %i = tenon.get_weight @i : tensor<8x4xi32>
  %2 = tenon.reduce maximum %i over [0] : (tensor<8x4xi32>) -> tensor<4xi32>
  return %0, %1, %2 : tensor<4xi32>, tensor<4xf32>, tensor<4xi32>
}

// -----
// A weight of floats made of bytes is four times as large. It is computed once
// if only contractions read it; other kernels compute its elements where they
// read them.
// CHECK: tenon.weight @w : tensor<100x40xi8> from
// CHECK: tenon.weight @w.folded : tensor<100x40xf32> {
// CHECK: tenon.convert
// CHECK: tenon.multiply
// CHECK-NOT: .folded
// CHECK-LABEL: @dequantized
// CHECK-SAME: (%[[X:[^:]*]]: tensor<8x100xf32>
// CHECK: %[[W:.*]] = tenon.get_weight @w.folded
// CHECK: tenon.dot_general %[[X]], %[[W]]
// CHECK: %[[Y:.*]] = tenon.get_weight @v
// CHECK: tenon.convert %[[Y]] to f32
tenon.weight @w : tensor<100x40xi8> from #tenon.source<"m.bin", 0, 4000>
tenon.weight @v : tensor<100x40xi8> from #tenon.source<"m.bin", 4000, 4000>
func.func @dequantized(%x: tensor<8x100xf32>, %y: tensor<100x40xf32>) -> (tensor<8x40xf32>, tensor<100x40xf32>) {
  %scale = tenon.constant dense<0.25> : tensor<100x40xf32>
  %w = tenon.get_weight @w : tensor<100x40xi8>
  %c = tenon.convert %w to f32 : (tensor<100x40xi8>) -> tensor<100x40xf32>
  %m = tenon.multiply %c, %scale : (tensor<100x40xf32>, tensor<100x40xf32>) -> tensor<100x40xf32>
  %0 = tenon.dot_general %x, %m batch [] x [] contract [1] x [0] : (tensor<8x100xf32>, tensor<100x40xf32>) -> tensor<8x40xf32>
  %v = tenon.get_weight @v : tensor<100x40xi8>
  %d = tenon.convert %v to f32 : (tensor<100x40xi8>) -> tensor<100x40xf32>
  %n = tenon.multiply %d, %scale : (tensor<100x40xf32>, tensor<100x40xf32>) -> tensor<100x40xf32>
  %1 = tenon.add %y, %n : (tensor<100x40xf32>, tensor<100x40xf32>) -> tensor<100x40xf32>
  return %0, %1 : tensor<8x40xf32>, tensor<100x40xf32>
}
