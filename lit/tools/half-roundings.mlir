// A scalar f64 is converted to f16 through f32 on every target: one rounding
// would need a function that libc lacks.
// RUN: tenon compile -q -mcpu=x86-64-v3 %s -c -o %t.o
// RUN: llvm-nm %t.o | FileCheck %s
// CHECK-NOT: __truncdfhf2
// RUN: tenon verify -q %s
func.func @main(%x: tensor<f16> {tenon.dims = [], tenon.name = "x"}) -> (tensor<f16> {tenon.name = "y"}) {
  %0 = tenon.acosh %x : (tensor<f16>) -> tensor<f16>
  %1 = tenon.tanh %0 : (tensor<f16>) -> tensor<f16>
  return %1 : tensor<f16>
}
