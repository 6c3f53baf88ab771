// Functions that copy a sign: also from zeros, in f16 and from f64
// narrowed to f16, on every CPU, and with no library other than libc.
// RUN: tenon compile -q %s -o %t.so && tenon run -q %t.so --print-max=44 --input=1x4xf16=-0,0,-0.5,0.5 --input=1x4xf64=-0,0,-0.5,0.5 | FileCheck %s
// RUN: tenon compile -q %s -mcpu=x86-64-v3 -o %t.v3.so && tenon run -q %t.v3.so --print-max=44 --input=1x4xf16=-0,0,-0.5,0.5 --input=1x4xf64=-0,0,-0.5,0.5 | FileCheck %s
// RUN: tenon compile -q %s -mcpu=x86-64-v3 -O0 -o %t.o0.so && tenon run -q %t.o0.so --print-max=44 --input=1x4xf16=-0,0,-0.5,0.5 --input=1x4xf64=-0,0,-0.5,0.5 | FileCheck %s

// CHECK: narrow  f16[11,4]
// CHECK-COUNT-11: {{-0 0 -[0-9.]+ [0-9.]+}}
// CHECK: wide  f16[5,4]
// CHECK-COUNT-5: {{-0 0 -[0-9.]+ [0-9.]+}}

func.func @main(%x: tensor<1x4xf16> {tenon.name = "x", tenon.dims = [1, 4]}, %d: tensor<1x4xf64> {tenon.name = "d", tenon.dims = [1, 4]})
    -> (tensor<11x4xf16> {tenon.name = "narrow"}, tensor<5x4xf16> {tenon.name = "wide"}) {
  %0 = tenon.tanh %x : (tensor<1x4xf16>) -> tensor<1x4xf16>
  %1 = tenon.asin %x : (tensor<1x4xf16>) -> tensor<1x4xf16>
  %2 = tenon.atan %x : (tensor<1x4xf16>) -> tensor<1x4xf16>
  %3 = tenon.sinh %x : (tensor<1x4xf16>) -> tensor<1x4xf16>
  %4 = tenon.asinh %x : (tensor<1x4xf16>) -> tensor<1x4xf16>
  %5 = tenon.atanh %x : (tensor<1x4xf16>) -> tensor<1x4xf16>
  %6 = tenon.cbrt %x : (tensor<1x4xf16>) -> tensor<1x4xf16>
  %7 = tenon.tan %x : (tensor<1x4xf16>) -> tensor<1x4xf16>
  %8 = tenon.sine %x : (tensor<1x4xf16>) -> tensor<1x4xf16>
  %9 = tenon.log_plus_one %x : (tensor<1x4xf16>) -> tensor<1x4xf16>
  %10 = tenon.erf %x : (tensor<1x4xf16>) -> tensor<1x4xf16>
  %narrow = tenon.concatenate %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 dim 0 : (tensor<1x4xf16>, tensor<1x4xf16>, tensor<1x4xf16>, tensor<1x4xf16>, tensor<1x4xf16>, tensor<1x4xf16>, tensor<1x4xf16>, tensor<1x4xf16>, tensor<1x4xf16>, tensor<1x4xf16>, tensor<1x4xf16>) -> tensor<11x4xf16>
  %d0 = tenon.tanh %d : (tensor<1x4xf64>) -> tensor<1x4xf64>
  %n0 = tenon.convert %d0 to f16 : (tensor<1x4xf64>) -> tensor<1x4xf16>
  %d1 = tenon.atan %d : (tensor<1x4xf64>) -> tensor<1x4xf64>
  %n1 = tenon.convert %d1 to f16 : (tensor<1x4xf64>) -> tensor<1x4xf16>
  %d2 = tenon.round_nearest_afz %d : (tensor<1x4xf64>) -> tensor<1x4xf64>
  %n2 = tenon.convert %d2 to f16 : (tensor<1x4xf64>) -> tensor<1x4xf16>
  %d3 = tenon.cbrt %d : (tensor<1x4xf64>) -> tensor<1x4xf64>
  %n3 = tenon.convert %d3 to f16 : (tensor<1x4xf64>) -> tensor<1x4xf16>
  %d4 = tenon.sinh %d : (tensor<1x4xf64>) -> tensor<1x4xf64>
  %n4 = tenon.convert %d4 to f16 : (tensor<1x4xf64>) -> tensor<1x4xf16>
  %wide = tenon.concatenate %n0, %n1, %n2, %n3, %n4 dim 0 : (tensor<1x4xf16>, tensor<1x4xf16>, tensor<1x4xf16>, tensor<1x4xf16>, tensor<1x4xf16>) -> tensor<5x4xf16>
  return %narrow, %wide : tensor<11x4xf16>, tensor<5x4xf16>
}
