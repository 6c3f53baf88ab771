// RUN: tenon-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @negate_twice(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: return %[[X]]
func.func @negate_twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tenon.negate %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tenon.negate %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @add_minus_zero(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: return %[[X]]
func.func @add_minus_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = tenon.constant dense<-0.0> : tensor<4xf32>
  %0 = tenon.add %x, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -0 + 0 is +0, so x + 0 is not x for every x.
// CHECK-LABEL: func.func @add_zero_stays(
// CHECK: tenon.add
func.func @add_zero_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = tenon.constant dense<0.0> : tensor<4xf32>
  %0 = tenon.add %x, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Integers have only one zero. The constant is moved to the right first.
// CHECK-LABEL: func.func @add_integer_zero(
// CHECK-SAME: %[[X:.*]]: tensor<4xi32>
// CHECK-NEXT: return %[[X]]
func.func @add_integer_zero(%x: tensor<4xi32>) -> tensor<4xi32> {
  %z = tenon.constant dense<0> : tensor<4xi32>
  %0 = tenon.add %z, %x : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func.func @subtract_zero(
// CHECK-SAME: %[[X:.*]]: tensor<4xf16>
// CHECK-NEXT: return %[[X]]
func.func @subtract_zero(%x: tensor<4xf16>) -> tensor<4xf16> {
  %z = tenon.constant dense<0.0> : tensor<4xf16>
  %0 = tenon.subtract %x, %z : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -0 - (-0) is +0.
// CHECK-LABEL: func.func @subtract_minus_zero_stays(
// CHECK: tenon.subtract
func.func @subtract_minus_zero_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = tenon.constant dense<-0.0> : tensor<4xf32>
  %0 = tenon.subtract %x, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @multiply_one(
// CHECK-SAME: %[[X:.*]]: tensor<4xbf16>
// CHECK-NEXT: return %[[X]]
func.func @multiply_one(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %one = tenon.constant dense<1.0> : tensor<4xbf16>
  %0 = tenon.multiply %x, %one : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// NaN and infinity times zero are NaN, so x * 0 is not folded.
// CHECK-LABEL: func.func @multiply_zero_stays(
// CHECK: tenon.multiply
func.func @multiply_zero_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = tenon.constant dense<0.0> : tensor<4xf32>
  %0 = tenon.multiply %x, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @divide_one(
// CHECK-SAME: %[[X:.*]]: tensor<4xui8>
// CHECK-NEXT: return %[[X]]
func.func @divide_one(%x: tensor<4xui8>) -> tensor<4xui8> {
  %one = tenon.constant dense<1> : tensor<4xui8>
  %0 = tenon.divide %x, %one : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// 1 / x is not x.
// CHECK-LABEL: func.func @divide_of_one_stays(
// CHECK: tenon.divide
func.func @divide_of_one_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = tenon.constant dense<1.0> : tensor<4xf32>
  %0 = tenon.divide %one, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @select_equal_sides(
// CHECK-SAME: %{{.*}}: tensor<4xi1>, %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: return %[[X]]
func.func @select_equal_sides(%p: tensor<4xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tenon.select %p, %x, %x : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @select_known_predicate(
// CHECK-SAME: %{{.*}}: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @select_known_predicate(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %p = tenon.constant dense<false> : tensor<4xi1>
  %0 = tenon.select %p, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @select_mixed_predicate_stays(
// CHECK: tenon.select
func.func @select_mixed_predicate_stays(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %p = tenon.constant dense<[true, false]> : tensor<2xi1>
  %0 = tenon.select %p, %x, %y : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @convert_to_itself(
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>
// CHECK-NEXT: return %[[X]]
func.func @convert_to_itself(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tenon.convert %x to f32 : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
