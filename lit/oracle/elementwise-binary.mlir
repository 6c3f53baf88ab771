// Binary elementwise ops on values computed by hand: wrap-around, division by
// zero, shifts past the width, NaN.
// RUN: tenon-eval %s --all | FileCheck %s

// CHECK-LABEL: @add_float
// CHECK-NEXT: tensor<2xf32> [3.5, nan]
func.func @add_float() -> tensor<2xf32> {
  %a = tenon.constant dense<[1.5, 0x7F800000]> : tensor<2xf32>
  %b = tenon.constant dense<[2.0, 0xFF800000]> : tensor<2xf32>
  %0 = tenon.add %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @add_int
// CHECK-NEXT: tensor<2xi8> [-128, 127]
func.func @add_int() -> tensor<2xi8> {
  %a = tenon.constant dense<[127, -128]> : tensor<2xi8>
  %b = tenon.constant dense<[1, -1]> : tensor<2xi8>
  %0 = tenon.add %a, %b : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

// CHECK-LABEL: @add_unsigned
// CHECK-NEXT: tensor<1xui8> [1]
func.func @add_unsigned() -> tensor<1xui8> {
  %a = tenon.constant dense<[255]> : tensor<1xui8>
  %b = tenon.constant dense<[2]> : tensor<1xui8>
  %0 = tenon.add %a, %b : (tensor<1xui8>, tensor<1xui8>) -> tensor<1xui8>
  return %0 : tensor<1xui8>
}

// CHECK-LABEL: @add_bool
// CHECK-NEXT: tensor<3xi1> [true, false, true]
func.func @add_bool() -> tensor<3xi1> {
  %a = tenon.constant dense<[true, false, true]> : tensor<3xi1>
  %b = tenon.constant dense<[true, false, false]> : tensor<3xi1>
  %0 = tenon.add %a, %b : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: @subtract_unsigned
// CHECK-NEXT: tensor<2xui32> [4294967295, 4294967294]
func.func @subtract_unsigned() -> tensor<2xui32> {
  %a = tenon.constant dense<[0, 3]> : tensor<2xui32>
  %b = tenon.constant dense<[1, 5]> : tensor<2xui32>
  %0 = tenon.subtract %a, %b : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  return %0 : tensor<2xui32>
}

// CHECK-LABEL: @subtract_int
// CHECK-NEXT: tensor<1xi16> [32767]
func.func @subtract_int() -> tensor<1xi16> {
  %a = tenon.constant dense<[-32768]> : tensor<1xi16>
  %b = tenon.constant dense<[1]> : tensor<1xi16>
  %0 = tenon.subtract %a, %b : (tensor<1xi16>, tensor<1xi16>) -> tensor<1xi16>
  return %0 : tensor<1xi16>
}

// CHECK-LABEL: @multiply_float
// CHECK-NEXT: tensor<2xf32> [nan, nan]
func.func @multiply_float() -> tensor<2xf32> {
  %a = tenon.constant dense<[0.0, 0x7FC00000]> : tensor<2xf32>
  %b = tenon.constant dense<[0x7F800000, 0.0]> : tensor<2xf32>
  %0 = tenon.multiply %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @multiply_int
// CHECK-NEXT: tensor<1xi32> [0]
func.func @multiply_int() -> tensor<1xi32> {
  %a = tenon.constant dense<[65536]> : tensor<1xi32>
  %b = tenon.constant dense<[65536]> : tensor<1xi32>
  %0 = tenon.multiply %a, %b : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  return %0 : tensor<1xi32>
}

// CHECK-LABEL: @multiply_bool
// CHECK-NEXT: tensor<2xi1> [true, false]
func.func @multiply_bool() -> tensor<2xi1> {
  %a = tenon.constant dense<[true, true]> : tensor<2xi1>
  %b = tenon.constant dense<[true, false]> : tensor<2xi1>
  %0 = tenon.multiply %a, %b : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// CHECK-LABEL: @divide_float
// CHECK-NEXT: tensor<3xf32> [inf, nan, -inf]
func.func @divide_float() -> tensor<3xf32> {
  %a = tenon.constant dense<[1.0, 0.0, -1.0]> : tensor<3xf32>
  %b = tenon.constant dense<[0.0, 0.0, 0.0]> : tensor<3xf32>
  %0 = tenon.divide %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @divide_int
// CHECK-NEXT: tensor<4xi32> [-3, -3, -2147483648, -1]
func.func @divide_int() -> tensor<4xi32> {
  %a = tenon.constant dense<[-7, 7, -2147483648, 5]> : tensor<4xi32>
  %b = tenon.constant dense<[2, -2, -1, 0]> : tensor<4xi32>
  %0 = tenon.divide %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: @divide_long
// CHECK-NEXT: tensor<2xi64> [-9223372036854775808, -1]
func.func @divide_long() -> tensor<2xi64> {
  %a = tenon.constant dense<[-9223372036854775808, -9223372036854775808]> : tensor<2xi64>
  %b = tenon.constant dense<[-1, 0]> : tensor<2xi64>
  %0 = tenon.divide %a, %b : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// CHECK-LABEL: @divide_unsigned
// CHECK-NEXT: tensor<2xui8> [66, 255]
func.func @divide_unsigned() -> tensor<2xui8> {
  %a = tenon.constant dense<[200, 7]> : tensor<2xui8>
  %b = tenon.constant dense<[3, 0]> : tensor<2xui8>
  %0 = tenon.divide %a, %b : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}

// CHECK-LABEL: @remainder_float
// CHECK-NEXT: tensor<4xf32> [1.5, -1.5, nan, 2]
func.func @remainder_float() -> tensor<4xf32> {
  %a = tenon.constant dense<[5.5, -5.5, 1.0, 2.0]> : tensor<4xf32>
  %b = tenon.constant dense<[2.0, 2.0, 0.0, 0x7F800000]> : tensor<4xf32>
  %0 = tenon.remainder %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @remainder_int
// CHECK-NEXT: tensor<4xi8> [-1, 1, 0, 5]
func.func @remainder_int() -> tensor<4xi8> {
  %a = tenon.constant dense<[-7, 7, -128, 5]> : tensor<4xi8>
  %b = tenon.constant dense<[2, -2, -1, 0]> : tensor<4xi8>
  %0 = tenon.remainder %a, %b : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: @remainder_unsigned
// CHECK-NEXT: tensor<2xui8> [4, 7]
func.func @remainder_unsigned() -> tensor<2xui8> {
  %a = tenon.constant dense<[200, 7]> : tensor<2xui8>
  %b = tenon.constant dense<[7, 0]> : tensor<2xui8>
  %0 = tenon.remainder %a, %b : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}

// CHECK-LABEL: @power_float
// CHECK-NEXT: tensor<3xf32> [0.5, 1, -8]
func.func @power_float() -> tensor<3xf32> {
  %a = tenon.constant dense<[2.0, 0.0, -2.0]> : tensor<3xf32>
  %b = tenon.constant dense<[-1.0, 0.0, 3.0]> : tensor<3xf32>
  %0 = tenon.power %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @power_int
// CHECK-NEXT: tensor<8xi32> [1024, 1, -1, 1, 1, 0, 1, -1]
func.func @power_int() -> tensor<8xi32> {
  %a = tenon.constant dense<[2, 3, -1, -1, 1, 5, 0, 0]> : tensor<8xi32>
  %b = tenon.constant dense<[10, 0, -3, -4, -9, -1, 0, -1]> : tensor<8xi32>
  %0 = tenon.power %a, %b : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// CHECK-LABEL: @power_unsigned
// CHECK-NEXT: tensor<2xui8> [0, 243]
func.func @power_unsigned() -> tensor<2xui8> {
  %a = tenon.constant dense<[2, 3]> : tensor<2xui8>
  %b = tenon.constant dense<[8, 5]> : tensor<2xui8>
  %0 = tenon.power %a, %b : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}

// CHECK-LABEL: @maximum_float
// CHECK-NEXT: tensor<3xf32> [2, nan, 0]
func.func @maximum_float() -> tensor<3xf32> {
  %a = tenon.constant dense<[1.0, 0x7FC00000, -0.0]> : tensor<3xf32>
  %b = tenon.constant dense<[2.0, 1.0, 0.0]> : tensor<3xf32>
  %0 = tenon.maximum %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @maximum_int
// CHECK-NEXT: tensor<2xi8> [1, 3]
func.func @maximum_int() -> tensor<2xi8> {
  %a = tenon.constant dense<[-1, 3]> : tensor<2xi8>
  %b = tenon.constant dense<[1, 2]> : tensor<2xi8>
  %0 = tenon.maximum %a, %b : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

// CHECK-LABEL: @maximum_unsigned
// CHECK-NEXT: tensor<1xui8> [255]
func.func @maximum_unsigned() -> tensor<1xui8> {
  %a = tenon.constant dense<[255]> : tensor<1xui8>
  %b = tenon.constant dense<[1]> : tensor<1xui8>
  %0 = tenon.maximum %a, %b : (tensor<1xui8>, tensor<1xui8>) -> tensor<1xui8>
  return %0 : tensor<1xui8>
}

// CHECK-LABEL: @minimum_float
// CHECK-NEXT: tensor<3xf32> [1, nan, -0]
func.func @minimum_float() -> tensor<3xf32> {
  %a = tenon.constant dense<[1.0, 1.0, 0.0]> : tensor<3xf32>
  %b = tenon.constant dense<[2.0, 0x7FC00000, -0.0]> : tensor<3xf32>
  %0 = tenon.minimum %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @minimum_unsigned
// CHECK-NEXT: tensor<1xui8> [1]
func.func @minimum_unsigned() -> tensor<1xui8> {
  %a = tenon.constant dense<[255]> : tensor<1xui8>
  %b = tenon.constant dense<[1]> : tensor<1xui8>
  %0 = tenon.minimum %a, %b : (tensor<1xui8>, tensor<1xui8>) -> tensor<1xui8>
  return %0 : tensor<1xui8>
}

// CHECK-LABEL: @minimum_bool
// CHECK-NEXT: tensor<2xi1> [true, false]
func.func @minimum_bool() -> tensor<2xi1> {
  %a = tenon.constant dense<[true, false]> : tensor<2xi1>
  %b = tenon.constant dense<[true, true]> : tensor<2xi1>
  %0 = tenon.minimum %a, %b : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// CHECK-LABEL: @and_int
// CHECK-NEXT: tensor<2xi8> [8, 7]
func.func @and_int() -> tensor<2xi8> {
  %a = tenon.constant dense<[12, -1]> : tensor<2xi8>
  %b = tenon.constant dense<[10, 7]> : tensor<2xi8>
  %0 = tenon.and %a, %b : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

// CHECK-LABEL: @or_unsigned
// CHECK-NEXT: tensor<1xui8> [14]
func.func @or_unsigned() -> tensor<1xui8> {
  %a = tenon.constant dense<[12]> : tensor<1xui8>
  %b = tenon.constant dense<[10]> : tensor<1xui8>
  %0 = tenon.or %a, %b : (tensor<1xui8>, tensor<1xui8>) -> tensor<1xui8>
  return %0 : tensor<1xui8>
}

// CHECK-LABEL: @xor_bool
// CHECK-NEXT: tensor<2xi1> [false, true]
func.func @xor_bool() -> tensor<2xi1> {
  %a = tenon.constant dense<[true, true]> : tensor<2xi1>
  %b = tenon.constant dense<[true, false]> : tensor<2xi1>
  %0 = tenon.xor %a, %b : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// CHECK-LABEL: @shift_left
// CHECK-NEXT: tensor<4xi8> [-128, 0, 1, 0]
func.func @shift_left() -> tensor<4xi8> {
  %a = tenon.constant dense<[1, 1, 1, 1]> : tensor<4xi8>
  %b = tenon.constant dense<[7, 8, 0, -1]> : tensor<4xi8>
  %0 = tenon.shift_left %a, %b : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: @shift_right_logical
// CHECK-NEXT: tensor<3xi8> [1, 0, 15]
func.func @shift_right_logical() -> tensor<3xi8> {
  %a = tenon.constant dense<[-128, -128, -1]> : tensor<3xi8>
  %b = tenon.constant dense<[7, 8, 4]> : tensor<3xi8>
  %0 = tenon.shift_right_logical %a, %b : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
  return %0 : tensor<3xi8>
}

// CHECK-LABEL: @shift_right_arithmetic
// CHECK-NEXT: tensor<4xi8> [-1, -1, 0, -1]
func.func @shift_right_arithmetic() -> tensor<4xi8> {
  %a = tenon.constant dense<[-128, -128, 64, -1]> : tensor<4xi8>
  %b = tenon.constant dense<[7, 8, 9, -1]> : tensor<4xi8>
  %0 = tenon.shift_right_arithmetic %a, %b : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: @shift_right_arithmetic_unsigned
// CHECK-NEXT: tensor<1xui8> [192]
func.func @shift_right_arithmetic_unsigned() -> tensor<1xui8> {
  %a = tenon.constant dense<[128]> : tensor<1xui8>
  %b = tenon.constant dense<[1]> : tensor<1xui8>
  %0 = tenon.shift_right_arithmetic %a, %b : (tensor<1xui8>, tensor<1xui8>) -> tensor<1xui8>
  return %0 : tensor<1xui8>
}

// CHECK-LABEL: @atan2
// CHECK-NEXT: tensor<3xf64> [0.785398, 3.14159, -3.14159]
func.func @atan2() -> tensor<3xf64> {
  %a = tenon.constant dense<[1.0, 0.0, -0.0]> : tensor<3xf64>
  %b = tenon.constant dense<[1.0, -1.0, -1.0]> : tensor<3xf64>
  %0 = tenon.atan2 %a, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}

// CHECK-LABEL: @compare_eq
// CHECK-NEXT: tensor<3xi1> [false, true, false]
func.func @compare_eq() -> tensor<3xi1> {
  %a = tenon.constant dense<[1.0, -0.0, 0x7FC00000]> : tensor<3xf32>
  %b = tenon.constant dense<[2.0, 0.0, 0x7FC00000]> : tensor<3xf32>
  %0 = tenon.compare eq %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: @compare_ne
// CHECK-NEXT: tensor<3xi1> [true, false, true]
func.func @compare_ne() -> tensor<3xi1> {
  %a = tenon.constant dense<[1.0, -0.0, 0x7FC00000]> : tensor<3xf32>
  %b = tenon.constant dense<[2.0, 0.0, 0x7FC00000]> : tensor<3xf32>
  %0 = tenon.compare ne %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: @compare_lt
// CHECK-NEXT: tensor<3xi1> [true, false, false]
func.func @compare_lt() -> tensor<3xi1> {
  %a = tenon.constant dense<[1.0, -0.0, 0x7FC00000]> : tensor<3xf32>
  %b = tenon.constant dense<[2.0, 0.0, 0x7FC00000]> : tensor<3xf32>
  %0 = tenon.compare lt %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: @compare_le
// CHECK-NEXT: tensor<3xi1> [true, true, false]
func.func @compare_le() -> tensor<3xi1> {
  %a = tenon.constant dense<[1.0, -0.0, 0x7FC00000]> : tensor<3xf32>
  %b = tenon.constant dense<[2.0, 0.0, 0x7FC00000]> : tensor<3xf32>
  %0 = tenon.compare le %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: @compare_gt
// CHECK-NEXT: tensor<3xi1> [false, false, false]
func.func @compare_gt() -> tensor<3xi1> {
  %a = tenon.constant dense<[1.0, -0.0, 0x7FC00000]> : tensor<3xf32>
  %b = tenon.constant dense<[2.0, 0.0, 0x7FC00000]> : tensor<3xf32>
  %0 = tenon.compare gt %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: @compare_ge
// CHECK-NEXT: tensor<3xi1> [false, true, false]
func.func @compare_ge() -> tensor<3xi1> {
  %a = tenon.constant dense<[1.0, -0.0, 0x7FC00000]> : tensor<3xf32>
  %b = tenon.constant dense<[2.0, 0.0, 0x7FC00000]> : tensor<3xf32>
  %0 = tenon.compare ge %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: @compare_unsigned
// CHECK-NEXT: tensor<2xi1> [false, true]
func.func @compare_unsigned() -> tensor<2xi1> {
  %a = tenon.constant dense<[255, 1]> : tensor<2xui8>
  %b = tenon.constant dense<[1, 255]> : tensor<2xui8>
  %0 = tenon.compare lt %a, %b : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// CHECK-LABEL: @compare_int
// CHECK-NEXT: tensor<2xi1> [true, false]
func.func @compare_int() -> tensor<2xi1> {
  %a = tenon.constant dense<[-1, 1]> : tensor<2xi8>
  %b = tenon.constant dense<[1, -1]> : tensor<2xi8>
  %0 = tenon.compare lt %a, %b : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// CHECK-LABEL: @compare_bool
// CHECK-NEXT: tensor<2xi1> [true, false]
func.func @compare_bool() -> tensor<2xi1> {
  %a = tenon.constant dense<[true, false]> : tensor<2xi1>
  %b = tenon.constant dense<[false, true]> : tensor<2xi1>
  %0 = tenon.compare gt %a, %b : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// CHECK-LABEL: @select
// CHECK-NEXT: tensor<2xi16> [1, 4]
func.func @select() -> tensor<2xi16> {
  %p = tenon.constant dense<[true, false]> : tensor<2xi1>
  %a = tenon.constant dense<[1, 2]> : tensor<2xi16>
  %b = tenon.constant dense<[3, 4]> : tensor<2xi16>
  %0 = tenon.select %p, %a, %b : (tensor<2xi1>, tensor<2xi16>, tensor<2xi16>) -> tensor<2xi16>
  return %0 : tensor<2xi16>
}

// CHECK-LABEL: @clamp
// CHECK-NEXT: tensor<4xf32> [0, 0.5, 1, nan]
func.func @clamp() -> tensor<4xf32> {
  %l = tenon.constant dense<0.0> : tensor<4xf32>
  %h = tenon.constant dense<1.0> : tensor<4xf32>
  %x = tenon.constant dense<[-3.0, 0.5, 0x7F800000, 0x7FC00000]> : tensor<4xf32>
  %0 = tenon.clamp %l, %x, %h : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// If the low bound is above the high one, the result is the high one.
// CHECK-LABEL: @clamp_crossed
// CHECK-NEXT: tensor<1xui8> [10]
func.func @clamp_crossed() -> tensor<1xui8> {
  %l = tenon.constant dense<200> : tensor<1xui8>
  %h = tenon.constant dense<10> : tensor<1xui8>
  %0 = tenon.clamp %l, %l, %h : (tensor<1xui8>, tensor<1xui8>, tensor<1xui8>) -> tensor<1xui8>
  return %0 : tensor<1xui8>
}

// CHECK-LABEL: @check_range
// CHECK-NEXT: tensor<2xi64> [0, 3]
func.func @check_range() -> tensor<2xi64> {
  %x = tenon.constant dense<[0, 3]> : tensor<2xi64>
  %l = tenon.constant dense<0> : tensor<2xi64>
  %h = tenon.constant dense<4> : tensor<2xi64>
  %0 = tenon.check_range %x in [%l, %h) "site" : (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// An empty extent and rank 0 need no special case.
// CHECK-LABEL: @empty_and_scalar
// CHECK-NEXT: tensor<2x0xf32> {{\[}}[], []]
// CHECK-NEXT: tensor<f32> 3
func.func @empty_and_scalar() -> (tensor<2x0xf32>, tensor<f32>) {
  %x = tenon.constant dense<> : tensor<2x0xf32>
  %0 = tenon.add %x, %x : (tensor<2x0xf32>, tensor<2x0xf32>) -> tensor<2x0xf32>
  %y = tenon.constant dense<1.5> : tensor<f32>
  %1 = tenon.add %y, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<2x0xf32>, tensor<f32>
}
