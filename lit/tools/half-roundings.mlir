// A scalar f16 that comes of f64 is rounded to f32 first, as everywhere: one rounding for both would need a function that libc lacks.
// RUN: tenon compile -q -mcpu=x86-64-v3 %s -c -o %t.o
// RUN: llvm-nm %t.o | FileCheck %s
// CHECK-NOT: __truncdfhf2
// RUN: tenon verify -q %s
func.func @main(%x: tensor<f16> {tenon.dims = [], tenon.name = "x"}) -> (tensor<f16> {tenon.name = "y"}) {
  %0 = tenon.acosh %x : (tensor<f16>) -> tensor<f16>
  %1 = tenon.tanh %0 : (tensor<f16>) -> tensor<f16>
  return %1 : tensor<f16>
}
