// RUN: tenon-opt %s --tenon-specialize-variants --split-input-file | FileCheck %s

// Variants with more fixed sizes come first. Types and sizes follow from the
// arguments, and the general function is unchanged.
// CHECK: module {
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %{{.*}}: tensor<?x?x4xf32> {tenon.dims = ["batch", "seq", 4]}) -> tensor<?x4xf32>
// CHECK: tenon.reshape %{{.*}} sizes [%{{.*}}, 4]
// CHECK-LABEL: func.func @rows.variant1(
// CHECK-SAME: %[[X:.*]]: tensor<2x8x4xf32> {tenon.dims = ["batch", "seq", 4]}) -> tensor<16x4xf32>
// CHECK-SAME: tenon.variant = #tenon.variant<1 of @rows sizes {batch = 2 : i64, seq = 8 : i64}>
// CHECK: %[[E:.*]] = tenon.exponential %[[X]] : (tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
// CHECK: %[[R:.*]] = tenon.reshape %[[E]] sizes [16, 4] : (tensor<2x8x4xf32>) -> tensor<16x4xf32>
// CHECK: return %[[R]]
// CHECK-LABEL: func.func @rows.variant2(
// CHECK-SAME: tensor<1x?x4xf32>
// CHECK-SAME: -> tensor<?x4xf32>
// CHECK-SAME: tenon.variant = #tenon.variant<2 of @rows sizes {batch = 1 : i64}>
module attributes {tenon.specialize = [{batch = 1}, {batch = 2, seq = 8}]} {
  func.func @rows(%x: tensor<?x?x4xf32> {tenon.dims = ["batch", "seq", 4]}) -> tensor<?x4xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = tensor.dim %x, %c0 : tensor<?x?x4xf32>
    %m = tensor.dim %x, %c1 : tensor<?x?x4xf32>
    %rows = arith.muli %n, %m : index
    %0 = tenon.exponential %x : (tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
    %1 = tenon.reshape %0 sizes [%rows, 4] : (tensor<?x?x4xf32>, index) -> tensor<?x4xf32>
    return %1 : tensor<?x4xf32>
  }
}

// -----

// A function without the named dimension has no variant.
// CHECK-LABEL: func.func @other(
// CHECK-NOT: variant
module attributes {tenon.specialize = [{batch = 1}]} {
  func.func @other(%x: tensor<?xf32> {tenon.dims = ["n"]}) -> tensor<?xf32> {
    return %x : tensor<?xf32>
  }
}

// -----

// Sizes of ops without size operands follow from their operands: contractions,
// concatenations, windows.
// CHECK-LABEL: func.func @operands.variant1(
// CHECK: tenon.dot_general {{.*}} -> tensor<3x5xf32>
// CHECK: tenon.concatenate {{.*}} -> tensor<6x5xf32>
// CHECK: tenon.pad {{.*}} low [0, 0] high [2, 0] {{.*}} -> tensor<8x5xf32>
// CHECK: tenon.reduce {{.*}} -> tensor<5xf32>
module attributes {tenon.specialize = [{n = 3}]} {
  func.func @operands(%x: tensor<?x4xf32> {tenon.dims = ["n", 4]}, %w: tensor<4x5xf32>, %z: tensor<f32>) -> tensor<5xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = tensor.dim %x, %c0 : tensor<?x4xf32>
    %more = arith.subi %n, %c1 : index
    %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<?x4xf32>, tensor<4x5xf32>) -> tensor<?x5xf32>
    %1 = tenon.concatenate %0, %0 dim 0 : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
    %2 = tenon.pad %1, %z low [0, 0] high [%more, 0] interior [0, 0] : (tensor<?x5xf32>, tensor<f32>, index) -> tensor<?x5xf32>
    %3 = tenon.reduce add %2 over [0] : (tensor<?x5xf32>) -> tensor<5xf32>
    return %3 : tensor<5xf32>
  }
}

// -----

// Loop-carried values have the types of their initial values. A condition known
// now is folded; a branch that stays keeps what both sides know.
// CHECK-LABEL: func.func @control.variant1(
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (tensor<4xf32>)
// CHECK: tenon.add %[[A]], {{.*}} -> tensor<4xf32>
// CHECK: scf.yield %{{.*}} : tensor<4xf32>
// CHECK-NOT: scf.if %true
// CHECK: %[[S:.*]] = tenon.sine {{.*}} -> tensor<4xf32>
// CHECK: scf.if %{{.*}} -> (tensor<?xf32>)
// CHECK: tensor.cast {{.*}} : tensor<4xf32> to tensor<?xf32>
module attributes {tenon.specialize = [{n = 4}]} {
  func.func @control(%x: tensor<?xf32> {tenon.dims = ["n"]}, %y: tensor<?xf32> {tenon.dims = ["m"]}, %flag: tensor<i1>) -> tensor<?xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
      %s = tenon.add %a, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      scf.yield %s : tensor<?xf32>
    }
    %known = arith.cmpi eq, %n, %c4 : index
    %1 = scf.if %known -> (tensor<?xf32>) {
      %s = tenon.sine %0 : (tensor<?xf32>) -> tensor<?xf32>
      scf.yield %s : tensor<?xf32>
    } else {
      scf.yield %y : tensor<?xf32>
    }
    %open = tensor.extract %flag[] : tensor<i1>
    %2 = scf.if %open -> (tensor<?xf32>) {
      scf.yield %1 : tensor<?xf32>
    } else {
      scf.yield %y : tensor<?xf32>
    }
    return %2 : tensor<?xf32>
  }
}

// -----

// Calls take defaults from the function for all sizes: a variant has none, for
// they need not have its sizes.
// CHECK-LABEL: func.func @optional(
// CHECK-SAME: tenon.default_value = dense<1.000000e+00> : tensor<2xf32>
// CHECK-SAME: tenon.input_range = array<f32: 0.000000e+00, 1.000000e+00>
// CHECK-LABEL: func.func @optional.variant1(
// CHECK-NOT: tenon.default_value
// CHECK-SAME: tenon.input_range = array<f32: 0.000000e+00, 1.000000e+00>
module attributes {tenon.specialize = [{n = 3}]} {
  func.func @optional(%x: tensor<?xf32> {tenon.dims = ["n"], tenon.default_value = dense<1.0> : tensor<2xf32>, tenon.input_range = array<f32: 0.0, 1.0>}) -> tensor<?xf32> {
    return %x : tensor<?xf32>
  }
}
