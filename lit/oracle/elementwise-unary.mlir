// Unary elementwise ops on values computed by hand, including the limits of
// each type.
// RUN: tenon-eval %s --all | FileCheck %s

// CHECK-LABEL: @abs_float
// CHECK-NEXT: tensor<4xf32> [1.5, 0, nan, inf]
func.func @abs_float() -> tensor<4xf32> {
  %x = tenon.constant dense<[-1.5, -0.0, 0x7FC00000, 0xFF800000]> : tensor<4xf32>
  %0 = tenon.abs %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @abs_int
// CHECK-NEXT: tensor<3xi8> [-128, 1, 127]
func.func @abs_int() -> tensor<3xi8> {
  %x = tenon.constant dense<[-128, -1, 127]> : tensor<3xi8>
  %0 = tenon.abs %x : (tensor<3xi8>) -> tensor<3xi8>
  return %0 : tensor<3xi8>
}

// CHECK-LABEL: @abs_unsigned
// CHECK-NEXT: tensor<2xui8> [255, 0]
func.func @abs_unsigned() -> tensor<2xui8> {
  %x = tenon.constant dense<[255, 0]> : tensor<2xui8>
  %0 = tenon.abs %x : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}

// CHECK-LABEL: @negate_float
// CHECK-NEXT: tensor<3xf32> [-0, -2, -inf]
func.func @negate_float() -> tensor<3xf32> {
  %x = tenon.constant dense<[0.0, 2.0, 0x7F800000]> : tensor<3xf32>
  %0 = tenon.negate %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @negate_int
// CHECK-NEXT: tensor<2xi32> [-2147483648, -5]
func.func @negate_int() -> tensor<2xi32> {
  %x = tenon.constant dense<[-2147483648, 5]> : tensor<2xi32>
  %0 = tenon.negate %x : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// CHECK-LABEL: @negate_unsigned
// CHECK-NEXT: tensor<2xui16> [65535, 0]
func.func @negate_unsigned() -> tensor<2xui16> {
  %x = tenon.constant dense<[1, 0]> : tensor<2xui16>
  %0 = tenon.negate %x : (tensor<2xui16>) -> tensor<2xui16>
  return %0 : tensor<2xui16>
}

// CHECK-LABEL: @sign_float
// CHECK-NEXT: tensor<5xf32> [-1, -0, 0, 1, nan]
func.func @sign_float() -> tensor<5xf32> {
  %x = tenon.constant dense<[-3.0, -0.0, 0.0, 0.25, 0x7FC00000]> : tensor<5xf32>
  %0 = tenon.sign %x : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// CHECK-LABEL: @sign_int
// CHECK-NEXT: tensor<3xi64> [-1, 0, 1]
func.func @sign_int() -> tensor<3xi64> {
  %x = tenon.constant dense<[-7, 0, 9]> : tensor<3xi64>
  %0 = tenon.sign %x : (tensor<3xi64>) -> tensor<3xi64>
  return %0 : tensor<3xi64>
}

// CHECK-LABEL: @sign_unsigned
// CHECK-NEXT: tensor<2xui8> [1, 0]
func.func @sign_unsigned() -> tensor<2xui8> {
  %x = tenon.constant dense<[200, 0]> : tensor<2xui8>
  %0 = tenon.sign %x : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}

// CHECK-LABEL: @ceil
// CHECK-NEXT: tensor<3xf32> [-0, 2, 2]
func.func @ceil() -> tensor<3xf32> {
  %x = tenon.constant dense<[-0.5, 1.25, 2.0]> : tensor<3xf32>
  %0 = tenon.ceil %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @floor
// CHECK-NEXT: tensor<3xf32> [-1, 1, -inf]
func.func @floor() -> tensor<3xf32> {
  %x = tenon.constant dense<[-0.5, 1.75, 0xFF800000]> : tensor<3xf32>
  %0 = tenon.floor %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @round_nearest_even
// CHECK-NEXT: tensor<4xf32> [0, 2, 2, -0]
func.func @round_nearest_even() -> tensor<4xf32> {
  %x = tenon.constant dense<[0.5, 1.5, 2.5, -0.5]> : tensor<4xf32>
  %0 = tenon.round_nearest_even %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @round_nearest_afz
// CHECK-NEXT: tensor<4xf32> [1, 2, 3, -1]
func.func @round_nearest_afz() -> tensor<4xf32> {
  %x = tenon.constant dense<[0.5, 1.5, 2.5, -0.5]> : tensor<4xf32>
  %0 = tenon.round_nearest_afz %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @sqrt
// CHECK-NEXT: tensor<4xf32> [2, nan, -0, inf]
func.func @sqrt() -> tensor<4xf32> {
  %x = tenon.constant dense<[4.0, -1.0, -0.0, 0x7F800000]> : tensor<4xf32>
  %0 = tenon.sqrt %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @rsqrt
// CHECK-NEXT: tensor<4xf32> [0.5, inf, -inf, 0]
func.func @rsqrt() -> tensor<4xf32> {
  %x = tenon.constant dense<[4.0, 0.0, -0.0, 0x7F800000]> : tensor<4xf32>
  %0 = tenon.rsqrt %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @cbrt
// CHECK-NEXT: tensor<2xf32> [-2, 3]
func.func @cbrt() -> tensor<2xf32> {
  %x = tenon.constant dense<[-8.0, 27.0]> : tensor<2xf32>
  %0 = tenon.cbrt %x : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @exponential
// CHECK-NEXT: tensor<4xf32> [1, 2.71828, 0, inf]
func.func @exponential() -> tensor<4xf32> {
  %x = tenon.constant dense<[0.0, 1.0, 0xFF800000, 0x7F800000]> : tensor<4xf32>
  %0 = tenon.exponential %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @exponential_flushed
// CHECK-NEXT: tensor<3xf32> [1, 0.367879, 0]
func.func @exponential_flushed() -> tensor<3xf32> {
  %x = tenon.constant dense<[0.0, -1.0, 0xFF800000]> : tensor<3xf32>
  %0 = tenon.exponential_flushed %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @exponential_minus_one
// CHECK-NEXT: tensor<3xf64> [0, 1e-09, -1]
func.func @exponential_minus_one() -> tensor<3xf64> {
  %x = tenon.constant dense<[0.0, 1.0e-9, 0xFFF0000000000000]> : tensor<3xf64>
  %0 = tenon.exponential_minus_one %x : (tensor<3xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}

// CHECK-LABEL: @log
// CHECK-NEXT: tensor<3xf32> [0, -inf, nan]
func.func @log() -> tensor<3xf32> {
  %x = tenon.constant dense<[1.0, 0.0, -1.0]> : tensor<3xf32>
  %0 = tenon.log %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @log_plus_one
// CHECK-NEXT: tensor<3xf64> [0, 1e-09, -inf]
func.func @log_plus_one() -> tensor<3xf64> {
  %x = tenon.constant dense<[0.0, 1.0e-9, -1.0]> : tensor<3xf64>
  %0 = tenon.log_plus_one %x : (tensor<3xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}

// CHECK-LABEL: @sine
// CHECK-NEXT: tensor<2xf64> [0, 1]
func.func @sine() -> tensor<2xf64> {
  %x = tenon.constant dense<[0.0, 1.5707963267948966]> : tensor<2xf64>
  %0 = tenon.sine %x : (tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// CHECK-LABEL: @cosine
// CHECK-NEXT: tensor<2xf64> [1, -1]
func.func @cosine() -> tensor<2xf64> {
  %x = tenon.constant dense<[0.0, 3.141592653589793]> : tensor<2xf64>
  %0 = tenon.cosine %x : (tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// CHECK-LABEL: @tan
// CHECK-NEXT: tensor<2xf64> [0, 1.55741]
func.func @tan() -> tensor<2xf64> {
  %x = tenon.constant dense<[0.0, 1.0]> : tensor<2xf64>
  %0 = tenon.tan %x : (tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// CHECK-LABEL: @asin
// CHECK-NEXT: tensor<2xf64> [1.5708, nan]
func.func @asin() -> tensor<2xf64> {
  %x = tenon.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %0 = tenon.asin %x : (tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// CHECK-LABEL: @acos
// CHECK-NEXT: tensor<2xf64> [0, 3.14159]
func.func @acos() -> tensor<2xf64> {
  %x = tenon.constant dense<[1.0, -1.0]> : tensor<2xf64>
  %0 = tenon.acos %x : (tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// CHECK-LABEL: @atan
// CHECK-NEXT: tensor<2xf64> [0.785398, 1.5708]
func.func @atan() -> tensor<2xf64> {
  %x = tenon.constant dense<[1.0, 0x7FF0000000000000]> : tensor<2xf64>
  %0 = tenon.atan %x : (tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// CHECK-LABEL: @sinh
// CHECK-NEXT: tensor<2xf64> [0, 1.1752]
func.func @sinh() -> tensor<2xf64> {
  %x = tenon.constant dense<[0.0, 1.0]> : tensor<2xf64>
  %0 = tenon.sinh %x : (tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// CHECK-LABEL: @cosh
// CHECK-NEXT: tensor<2xf64> [1, 1.54308]
func.func @cosh() -> tensor<2xf64> {
  %x = tenon.constant dense<[0.0, 1.0]> : tensor<2xf64>
  %0 = tenon.cosh %x : (tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// CHECK-LABEL: @tanh
// CHECK-NEXT: tensor<3xf64> [0, 0.761594, 1]
func.func @tanh() -> tensor<3xf64> {
  %x = tenon.constant dense<[0.0, 1.0, 1000.0]> : tensor<3xf64>
  %0 = tenon.tanh %x : (tensor<3xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}

// CHECK-LABEL: @asinh
// CHECK-NEXT: tensor<2xf64> [0, 0.881374]
func.func @asinh() -> tensor<2xf64> {
  %x = tenon.constant dense<[0.0, 1.0]> : tensor<2xf64>
  %0 = tenon.asinh %x : (tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// CHECK-LABEL: @acosh
// CHECK-NEXT: tensor<3xf64> [0, 1.31696, nan]
func.func @acosh() -> tensor<3xf64> {
  %x = tenon.constant dense<[1.0, 2.0, 0.5]> : tensor<3xf64>
  %0 = tenon.acosh %x : (tensor<3xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}

// CHECK-LABEL: @atanh
// CHECK-NEXT: tensor<3xf64> [0, 0.549306, inf]
func.func @atanh() -> tensor<3xf64> {
  %x = tenon.constant dense<[0.0, 0.5, 1.0]> : tensor<3xf64>
  %0 = tenon.atanh %x : (tensor<3xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}

// CHECK-LABEL: @logistic
// CHECK-NEXT: tensor<4xf32> [0.5, 0.731059, 0, 1]
func.func @logistic() -> tensor<4xf32> {
  %x = tenon.constant dense<[0.0, 1.0, 0xFF800000, 0x7F800000]> : tensor<4xf32>
  %0 = tenon.logistic %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @erf
// CHECK-NEXT: tensor<3xf32> [0, 0.842701, 1]
func.func @erf() -> tensor<3xf32> {
  %x = tenon.constant dense<[0.0, 1.0, 0x7F800000]> : tensor<3xf32>
  %0 = tenon.erf %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @not_int
// CHECK-NEXT: tensor<3xi8> [-1, 0, -6]
func.func @not_int() -> tensor<3xi8> {
  %x = tenon.constant dense<[0, -1, 5]> : tensor<3xi8>
  %0 = tenon.not %x : (tensor<3xi8>) -> tensor<3xi8>
  return %0 : tensor<3xi8>
}

// CHECK-LABEL: @not_unsigned
// CHECK-NEXT: tensor<2xui8> [255, 250]
func.func @not_unsigned() -> tensor<2xui8> {
  %x = tenon.constant dense<[0, 5]> : tensor<2xui8>
  %0 = tenon.not %x : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}

// CHECK-LABEL: @not_bool
// CHECK-NEXT: tensor<2xi1> [false, true]
func.func @not_bool() -> tensor<2xi1> {
  %x = tenon.constant dense<[true, false]> : tensor<2xi1>
  %0 = tenon.not %x : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// CHECK-LABEL: @is_nan
// CHECK-NEXT: tensor<3xi1> [true, false, false]
func.func @is_nan() -> tensor<3xi1> {
  %x = tenon.constant dense<[0x7FC00000, 0x7F800000, 0.0]> : tensor<3xf32>
  %0 = tenon.is_nan %x : (tensor<3xf32>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}
