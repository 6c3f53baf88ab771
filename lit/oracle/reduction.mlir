// Reductions, arg reductions, prefix sums and windows on values computed by
// hand.
// RUN: tenon-eval %s --all | FileCheck %s

// CHECK-LABEL: @add_rows{{$}}
// CHECK-NEXT: tensor<2xf32> [6, 15]
func.func @add_rows() -> tensor<2xf32> {
  %x = tenon.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %0 = tenon.reduce add %x over [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @add_columns{{$}}
// CHECK-NEXT: tensor<3xf32> [5, 7, 9]
func.func @add_columns() -> tensor<3xf32> {
  %x = tenon.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %0 = tenon.reduce add %x over [0] : (tensor<2x3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @add_all{{$}}
// CHECK-NEXT: tensor<f32> 21
func.func @add_all() -> tensor<f32> {
  %x = tenon.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %0 = tenon.reduce add %x over [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @multiply{{$}}
// CHECK-NEXT: tensor<2xf32> [6, 120]
func.func @multiply() -> tensor<2xf32> {
  %x = tenon.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %0 = tenon.reduce multiply %x over [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @maximum{{$}}
// CHECK-NEXT: tensor<f32> nan
func.func @maximum() -> tensor<f32> {
  %x = tenon.constant dense<[1.0, 0x7FC00000, 3.0]> : tensor<3xf32>
  %0 = tenon.reduce maximum %x over [0] : (tensor<3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @minimum{{$}}
// CHECK-NEXT: tensor<f32> -2
func.func @minimum() -> tensor<f32> {
  %x = tenon.constant dense<[1.0, -2.0, 3.0]> : tensor<3xf32>
  %0 = tenon.reduce minimum %x over [0] : (tensor<3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @maximum_unsigned{{$}}
// CHECK-NEXT: tensor<ui8> 255
func.func @maximum_unsigned() -> tensor<ui8> {
  %x = tenon.constant dense<[1, 255]> : tensor<2xui8>
  %0 = tenon.reduce maximum %x over [0] : (tensor<2xui8>) -> tensor<ui8>
  return %0 : tensor<ui8>
}

// CHECK-LABEL: @add_wraps{{$}}
// CHECK-NEXT: tensor<i8> -56
func.func @add_wraps() -> tensor<i8> {
  %x = tenon.constant dense<[100, 100]> : tensor<2xi8>
  %0 = tenon.reduce add %x over [0] : (tensor<2xi8>) -> tensor<i8>
  return %0 : tensor<i8>
}

// CHECK-LABEL: @and_bool{{$}}
// CHECK-NEXT: tensor<2xi1> [true, false]
func.func @and_bool() -> tensor<2xi1> {
  %x = tenon.constant dense<[[true, true], [true, false]]> : tensor<2x2xi1>
  %0 = tenon.reduce and %x over [1] : (tensor<2x2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// CHECK-LABEL: @or_int{{$}}
// CHECK-NEXT: tensor<i32> 5
func.func @or_int() -> tensor<i32> {
  %x = tenon.constant dense<[1, 4]> : tensor<2xi32>
  %0 = tenon.reduce or %x over [0] : (tensor<2xi32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// CHECK-LABEL: @empty_add_f32{{$}}
// CHECK-NEXT: tensor<f32> 0
func.func @empty_add_f32() -> tensor<f32> {
  %x = tenon.constant dense<> : tensor<0xf32>
  %0 = tenon.reduce add %x over [0] : (tensor<0xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @empty_multiply_f32{{$}}
// CHECK-NEXT: tensor<f32> 1
func.func @empty_multiply_f32() -> tensor<f32> {
  %x = tenon.constant dense<> : tensor<0xf32>
  %0 = tenon.reduce multiply %x over [0] : (tensor<0xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @empty_maximum_f32{{$}}
// CHECK-NEXT: tensor<f32> -inf
func.func @empty_maximum_f32() -> tensor<f32> {
  %x = tenon.constant dense<> : tensor<0xf32>
  %0 = tenon.reduce maximum %x over [0] : (tensor<0xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @empty_minimum_f32{{$}}
// CHECK-NEXT: tensor<f32> inf
func.func @empty_minimum_f32() -> tensor<f32> {
  %x = tenon.constant dense<> : tensor<0xf32>
  %0 = tenon.reduce minimum %x over [0] : (tensor<0xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @empty_maximum_i8{{$}}
// CHECK-NEXT: tensor<i8> -128
func.func @empty_maximum_i8() -> tensor<i8> {
  %x = tenon.constant dense<> : tensor<0xi8>
  %0 = tenon.reduce maximum %x over [0] : (tensor<0xi8>) -> tensor<i8>
  return %0 : tensor<i8>
}

// CHECK-LABEL: @empty_minimum_i8{{$}}
// CHECK-NEXT: tensor<i8> 127
func.func @empty_minimum_i8() -> tensor<i8> {
  %x = tenon.constant dense<> : tensor<0xi8>
  %0 = tenon.reduce minimum %x over [0] : (tensor<0xi8>) -> tensor<i8>
  return %0 : tensor<i8>
}

// CHECK-LABEL: @empty_maximum_ui8{{$}}
// CHECK-NEXT: tensor<ui8> 0
func.func @empty_maximum_ui8() -> tensor<ui8> {
  %x = tenon.constant dense<> : tensor<0xui8>
  %0 = tenon.reduce maximum %x over [0] : (tensor<0xui8>) -> tensor<ui8>
  return %0 : tensor<ui8>
}

// CHECK-LABEL: @empty_minimum_ui8{{$}}
// CHECK-NEXT: tensor<ui8> 255
func.func @empty_minimum_ui8() -> tensor<ui8> {
  %x = tenon.constant dense<> : tensor<0xui8>
  %0 = tenon.reduce minimum %x over [0] : (tensor<0xui8>) -> tensor<ui8>
  return %0 : tensor<ui8>
}

// CHECK-LABEL: @empty_and_i1{{$}}
// CHECK-NEXT: tensor<i1> true
func.func @empty_and_i1() -> tensor<i1> {
  %x = tenon.constant dense<> : tensor<0xi1>
  %0 = tenon.reduce and %x over [0] : (tensor<0xi1>) -> tensor<i1>
  return %0 : tensor<i1>
}

// CHECK-LABEL: @empty_or_i1{{$}}
// CHECK-NEXT: tensor<i1> false
func.func @empty_or_i1() -> tensor<i1> {
  %x = tenon.constant dense<> : tensor<0xi1>
  %0 = tenon.reduce or %x over [0] : (tensor<0xi1>) -> tensor<i1>
  return %0 : tensor<i1>
}

// CHECK-LABEL: @empty_and_i16{{$}}
// CHECK-NEXT: tensor<i16> -1
func.func @empty_and_i16() -> tensor<i16> {
  %x = tenon.constant dense<> : tensor<0xi16>
  %0 = tenon.reduce and %x over [0] : (tensor<0xi16>) -> tensor<i16>
  return %0 : tensor<i16>
}

// CHECK-LABEL: @empty_or_i16{{$}}
// CHECK-NEXT: tensor<i16> 0
func.func @empty_or_i16() -> tensor<i16> {
  %x = tenon.constant dense<> : tensor<0xi16>
  %0 = tenon.reduce or %x over [0] : (tensor<0xi16>) -> tensor<i16>
  return %0 : tensor<i16>
}

// CHECK-LABEL: @argmax{{$}}
// CHECK-NEXT: tensor<2xi64> [1, 1]
func.func @argmax() -> tensor<2xi64> {
  %x = tenon.constant dense<[[1.0, 3.0, 3.0], [2.0, 0x7FC00000, 9.0]]> : tensor<2x3xf32>
  %0 = tenon.arg_reduce maximum %x over 1 : (tensor<2x3xf32>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// CHECK-LABEL: @argmax_last{{$}}
// CHECK-NEXT: tensor<2xi64> [2, 1]
func.func @argmax_last() -> tensor<2xi64> {
  %x = tenon.constant dense<[[1.0, 3.0, 3.0], [2.0, 0x7FC00000, 9.0]]> : tensor<2x3xf32>
  %0 = tenon.arg_reduce maximum %x over 1 last : (tensor<2x3xf32>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// CHECK-LABEL: @argmax_last_nan{{$}}
// CHECK-NEXT: tensor<i64> 1
func.func @argmax_last_nan() -> tensor<i64> {
  %x = tenon.constant dense<[0x7FC00000, 0x7FC00000]> : tensor<2xf32>
  %0 = tenon.arg_reduce maximum %x over 0 last : (tensor<2xf32>) -> tensor<i64>
  return %0 : tensor<i64>
}

// CHECK-LABEL: @argmin{{$}}
// CHECK-NEXT: tensor<2xi32> [1, 0]
func.func @argmin() -> tensor<2xi32> {
  %x = tenon.constant dense<[[5, 1], [0, 1]]> : tensor<2x2xi8>
  %0 = tenon.arg_reduce minimum %x over 0 : (tensor<2x2xi8>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// CHECK-LABEL: @cumulative{{$}}
// CHECK-NEXT: tensor<3xf32> [1, 3, 6]
func.func @cumulative() -> tensor<3xf32> {
  %x = tenon.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %0 = tenon.cumulative add %x over 0 : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @cumulative_exclusive{{$}}
// CHECK-NEXT: tensor<3xf32> [0, 1, 3]
func.func @cumulative_exclusive() -> tensor<3xf32> {
  %x = tenon.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %0 = tenon.cumulative add %x over 0 exclusive : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @cumulative_reverse{{$}}
// CHECK-NEXT: tensor<3xf32> [6, 5, 3]
func.func @cumulative_reverse() -> tensor<3xf32> {
  %x = tenon.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %0 = tenon.cumulative add %x over 0 reverse : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @cumulative_both{{$}}
// CHECK-NEXT: tensor<3xf32> [6, 3, 1]
func.func @cumulative_both() -> tensor<3xf32> {
  %x = tenon.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %0 = tenon.cumulative multiply %x over 0 exclusive reverse : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @cumulative_first_dim{{$}}
// CHECK-NEXT: tensor<2x2xi8> {{\[}}[1, 5], [3, 5]]
func.func @cumulative_first_dim() -> tensor<2x2xi8> {
  %x = tenon.constant dense<[[1, 5], [3, 2]]> : tensor<2x2xi8>
  %0 = tenon.cumulative maximum %x over 0 : tensor<2x2xi8>
  return %0 : tensor<2x2xi8>
}

// CHECK-LABEL: @window_max{{$}}
// CHECK-NEXT: tensor<2xf32> [4, 3]
func.func @window_max() -> tensor<2xf32> {
  %x = tenon.constant dense<[1.0, 4.0, 2.0, 3.0]> : tensor<4xf32>
  %0 = tenon.reduce_window maximum %x window [2] strides [2] dilations [1] padding [0, 0] : (tensor<4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @window_padded{{$}}
// CHECK-NEXT: tensor<2xi32> [1, 5]
func.func @window_padded() -> tensor<2xi32> {
  %x = tenon.constant dense<[1, 2, 3]> : tensor<3xi32>
  %0 = tenon.reduce_window add %x window [2] strides [2] dilations [1] padding [1, 0] : (tensor<3xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// CHECK-LABEL: @window_cut{{$}}
// CHECK-NEXT: tensor<1xi32> [5]
func.func @window_cut() -> tensor<1xi32> {
  %x = tenon.constant dense<[1, 2, 3]> : tensor<3xi32>
  %0 = tenon.reduce_window add %x window [2] strides [2] dilations [1] padding [-1, 0] : (tensor<3xi32>) -> tensor<1xi32>
  return %0 : tensor<1xi32>
}

// CHECK-LABEL: @window_outside{{$}}
// CHECK-NEXT: tensor<2xi8> [-128, 2]
func.func @window_outside() -> tensor<2xi8> {
  %x = tenon.constant dense<[1, 2]> : tensor<2xi8>
  %0 = tenon.reduce_window maximum %x window [2] strides [2] dilations [1] padding [2, 0] : (tensor<2xi8>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

// CHECK-LABEL: @window_dilated{{$}}
// CHECK-NEXT: tensor<2xi32> [4, 6]
func.func @window_dilated() -> tensor<2xi32> {
  %x = tenon.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %0 = tenon.reduce_window add %x window [2] strides [1] dilations [2] padding [0, 0] : (tensor<4xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// CHECK-LABEL: @window_two_dims{{$}}
// CHECK-NEXT: tensor<1x2xi32> {{\[}}[2, 1]]
func.func @window_two_dims() -> tensor<1x2xi32> {
  %x = tenon.constant dense<[[4, 3], [2, 1]]> : tensor<2x2xi32>
  %0 = tenon.reduce_window minimum %x window [2, 1] strides [1, 1] dilations [1, 1] padding [0, 0, 0, 0] : (tensor<2x2xi32>) -> tensor<1x2xi32>
  return %0 : tensor<1x2xi32>
}

// CHECK-LABEL: @arg_window{{$}}
// CHECK-NEXT: tensor<1x2xi64> {{\[}}[1, 2]]
func.func @arg_window() -> tensor<1x2xi64> {
  %x = tenon.constant dense<[[1.0, 7.0, 7.0, 2.0]]> : tensor<1x4xf32>
  %0 = tenon.arg_reduce_window maximum %x window [1, 2] strides [1, 2] dilations [1, 1] padding [0, 0, 0, 0] : (tensor<1x4xf32>) -> tensor<1x2xi64>
  return %0 : tensor<1x2xi64>
}

// CHECK-LABEL: @arg_window_padded{{$}}
// CHECK-NEXT: tensor<2xi64> [0, 1]
func.func @arg_window_padded() -> tensor<2xi64> {
  %x = tenon.constant dense<[-5.0, -6.0]> : tensor<2xf32>
  %0 = tenon.arg_reduce_window maximum %x window [2] strides [2] dilations [1] padding [1, 1] : (tensor<2xf32>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}
