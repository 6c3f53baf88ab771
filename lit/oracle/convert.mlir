// Conversions: saturation, NaN, wrap-around, rounding to nearest even, and
// bits.
// RUN: tenon-eval %s --all --digits=9 | FileCheck %s

// CHECK-LABEL: @convert_f32_i8{{$}}
// CHECK-NEXT: tensor<6xi8> [1, -1, 127, -128, 0, 127]
func.func @convert_f32_i8() -> tensor<6xi8> {
  %x = tenon.constant dense<[1.9, -1.9, 300.0, -300.0, 0x7FC00000, 0x7F800000]> : tensor<6xf32>
  %0 = tenon.convert %x to i8 : (tensor<6xf32>) -> tensor<6xi8>
  return %0 : tensor<6xi8>
}

// CHECK-LABEL: @convert_f32_ui8{{$}}
// CHECK-NEXT: tensor<4xui8> [0, 255, 255, 0]
func.func @convert_f32_ui8() -> tensor<4xui8> {
  %x = tenon.constant dense<[-1.0, 255.9, 256.0, 0x7FC00000]> : tensor<4xf32>
  %0 = tenon.convert %x to ui8 : (tensor<4xf32>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// CHECK-LABEL: @convert_f32_i64{{$}}
// CHECK-NEXT: tensor<2xi64> [9223372036854775807, -9223372036854775808]
func.func @convert_f32_i64() -> tensor<2xi64> {
  %x = tenon.constant dense<[1.0e30, 0xFF800000]> : tensor<2xf32>
  %0 = tenon.convert %x to i64 : (tensor<2xf32>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// CHECK-LABEL: @convert_f64_ui64{{$}}
// CHECK-NEXT: tensor<3xui64> [18446744073709551615, 0, 9223372036854775808]
func.func @convert_f64_ui64() -> tensor<3xui64> {
  %x = tenon.constant dense<[1.0e30, -5.0, 9.223372036854775808e18]> : tensor<3xf64>
  %0 = tenon.convert %x to ui64 : (tensor<3xf64>) -> tensor<3xui64>
  return %0 : tensor<3xui64>
}

// CHECK-LABEL: @convert_f32_i1{{$}}
// CHECK-NEXT: tensor<4xi1> [true, false, false, true]
func.func @convert_f32_i1() -> tensor<4xi1> {
  %x = tenon.constant dense<[0x7FC00000, 0.0, -0.0, 0.5]> : tensor<4xf32>
  %0 = tenon.convert %x to i1 : (tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: @convert_i1_f32{{$}}
// CHECK-NEXT: tensor<2xf32> [1, 0]
func.func @convert_i1_f32() -> tensor<2xf32> {
  %x = tenon.constant dense<[true, false]> : tensor<2xi1>
  %0 = tenon.convert %x to f32 : (tensor<2xi1>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @convert_i1_i32{{$}}
// CHECK-NEXT: tensor<2xi32> [1, 0]
func.func @convert_i1_i32() -> tensor<2xi32> {
  %x = tenon.constant dense<[true, false]> : tensor<2xi1>
  %0 = tenon.convert %x to i32 : (tensor<2xi1>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// CHECK-LABEL: @convert_i32_i1{{$}}
// CHECK-NEXT: tensor<2xi1> [true, false]
func.func @convert_i32_i1() -> tensor<2xi1> {
  %x = tenon.constant dense<[2, 0]> : tensor<2xi32>
  %0 = tenon.convert %x to i1 : (tensor<2xi32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// CHECK-LABEL: @convert_i32_i8{{$}}
// CHECK-NEXT: tensor<2xi8> [44, -1]
func.func @convert_i32_i8() -> tensor<2xi8> {
  %x = tenon.constant dense<[300, -1]> : tensor<2xi32>
  %0 = tenon.convert %x to i8 : (tensor<2xi32>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

// CHECK-LABEL: @convert_i32_ui8{{$}}
// CHECK-NEXT: tensor<2xui8> [44, 255]
func.func @convert_i32_ui8() -> tensor<2xui8> {
  %x = tenon.constant dense<[300, -1]> : tensor<2xi32>
  %0 = tenon.convert %x to ui8 : (tensor<2xi32>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}

// CHECK-LABEL: @convert_i8_ui32{{$}}
// CHECK-NEXT: tensor<1xui32> [4294967295]
func.func @convert_i8_ui32() -> tensor<1xui32> {
  %x = tenon.constant dense<[-1]> : tensor<1xi8>
  %0 = tenon.convert %x to ui32 : (tensor<1xi8>) -> tensor<1xui32>
  return %0 : tensor<1xui32>
}

// CHECK-LABEL: @convert_ui8_i8{{$}}
// CHECK-NEXT: tensor<1xi8> [-1]
func.func @convert_ui8_i8() -> tensor<1xi8> {
  %x = tenon.constant dense<[255]> : tensor<1xui8>
  %0 = tenon.convert %x to i8 : (tensor<1xui8>) -> tensor<1xi8>
  return %0 : tensor<1xi8>
}

// CHECK-LABEL: @convert_i32_f32{{$}}
// CHECK-NEXT: tensor<2xf32> [16777216, 16777220]
func.func @convert_i32_f32() -> tensor<2xf32> {
  %x = tenon.constant dense<[16777217, 16777219]> : tensor<2xi32>
  %0 = tenon.convert %x to f32 : (tensor<2xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @convert_ui64_f64{{$}}
// CHECK-NEXT: tensor<1xf64> [1.84467441e+19]
func.func @convert_ui64_f64() -> tensor<1xf64> {
  %x = tenon.constant dense<[18446744073709551615]> : tensor<1xui64>
  %0 = tenon.convert %x to f64 : (tensor<1xui64>) -> tensor<1xf64>
  return %0 : tensor<1xf64>
}

// CHECK-LABEL: @convert_f32_f16{{$}}
// CHECK-NEXT: tensor<4xf16> [65504, inf, 1, 1.00195312]
func.func @convert_f32_f16() -> tensor<4xf16> {
  %x = tenon.constant dense<[65519.0, 65520.0, 1.00048828125, 1.00146484375]> : tensor<4xf32>
  %0 = tenon.convert %x to f16 : (tensor<4xf32>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// CHECK-LABEL: @convert_f32_bf16{{$}}
// CHECK-NEXT: tensor<3xbf16> [1, 1.015625, inf]
func.func @convert_f32_bf16() -> tensor<3xbf16> {
  %x = tenon.constant dense<[1.00390625, 1.01171875, 3.4e38]> : tensor<3xf32>
  %0 = tenon.convert %x to bf16 : (tensor<3xf32>) -> tensor<3xbf16>
  return %0 : tensor<3xbf16>
}

// CHECK-LABEL: @convert_f32_f16_least{{$}}
// CHECK-NEXT: tensor<2xf16> [5.96046448e-08, 0]
func.func @convert_f32_f16_least() -> tensor<2xf16> {
  %x = tenon.constant dense<[5.9604644775390625e-8, 2.9802322387695312e-8]> : tensor<2xf32>
  %0 = tenon.convert %x to f16 : (tensor<2xf32>) -> tensor<2xf16>
  return %0 : tensor<2xf16>
}

// CHECK-LABEL: @bitcast_convert_f32_i32{{$}}
// CHECK-NEXT: tensor<2xi32> [1065353216, -2147483648]
func.func @bitcast_convert_f32_i32() -> tensor<2xi32> {
  %x = tenon.constant dense<[1.0, -0.0]> : tensor<2xf32>
  %0 = tenon.bitcast_convert %x to i32 : (tensor<2xf32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// CHECK-LABEL: @bitcast_convert_i32_f32{{$}}
// CHECK-NEXT: tensor<1xf32> [1]
func.func @bitcast_convert_i32_f32() -> tensor<1xf32> {
  %x = tenon.constant dense<[1065353216]> : tensor<1xi32>
  %0 = tenon.bitcast_convert %x to f32 : (tensor<1xi32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// CHECK-LABEL: @bitcast_convert_f16_ui16{{$}}
// CHECK-NEXT: tensor<2xui16> [15360, 49152]
func.func @bitcast_convert_f16_ui16() -> tensor<2xui16> {
  %x = tenon.constant dense<[1.0, -2.0]> : tensor<2xf16>
  %0 = tenon.bitcast_convert %x to ui16 : (tensor<2xf16>) -> tensor<2xui16>
  return %0 : tensor<2xui16>
}

// CHECK-LABEL: @bitcast_convert_i16_bf16{{$}}
// CHECK-NEXT: tensor<1xbf16> [1]
func.func @bitcast_convert_i16_bf16() -> tensor<1xbf16> {
  %x = tenon.constant dense<[16256]> : tensor<1xi16>
  %0 = tenon.bitcast_convert %x to bf16 : (tensor<1xi16>) -> tensor<1xbf16>
  return %0 : tensor<1xbf16>
}

// CHECK-LABEL: @bitcast_convert_ui8_i8{{$}}
// CHECK-NEXT: tensor<1xi8> [-1]
func.func @bitcast_convert_ui8_i8() -> tensor<1xi8> {
  %x = tenon.constant dense<[255]> : tensor<1xui8>
  %0 = tenon.bitcast_convert %x to i8 : (tensor<1xui8>) -> tensor<1xi8>
  return %0 : tensor<1xi8>
}
