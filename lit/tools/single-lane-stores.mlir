// The remainder is a single bf16: two bytes are
// written, not the four of the f32 it is rounded from.
// RUN: tenon compile -q %s -mcpu=x86-64-v4 -S -emit-llvm -o - | FileCheck %s
// CHECK: store <16 x i16>
// CHECK: store i16
// CHECK-NOT: @llvm.masked.store{{.*}}<i1 true, i1 false,
func.func @main(%x: tensor<17xf32> {tenon.name = "x", tenon.dims = [17]}) -> (tensor<17xbf16> {tenon.name = "y"}) {
  %0 = tenon.convert %x to bf16 : (tensor<17xf32>) -> tensor<17xbf16>
  return %0 : tensor<17xbf16>
}
