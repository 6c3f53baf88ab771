// RUN: rm -rf %t && mkdir %t
// RUN: tenon compile -q -c %s -o %t/m.o --device=nvptx:sm_75,nvptx:sm_80,nvptx:sm_90
// RUN: %ptx %t/m.o sm_75 > %t/75.ptx && %ptx %t/m.o sm_80 > %t/80.ptx && %ptx %t/m.o sm_90 > %t/90.ptx
// RUN: FileCheck %s --input-file=%t/75.ptx -DARCH=sm_75
// RUN: FileCheck %s --input-file=%t/80.ptx -DARCH=sm_80
// RUN: FileCheck %s --input-file=%t/90.ptx -DARCH=sm_90
// REQUIRES: tenon

// The kernels are the only functions of the text: they call none, and use no
// local memory.
// CHECK: .target [[ARCH]]
// CHECK: .address_size 64
// CHECK-NOT: .func
// CHECK-NOT: .extern
// CHECK-NOT: .local
// CHECK-NOT: call

// A product and a sum of the model stay two operations, each with its rounding.
// CHECK: .visible .entry [[MAP:[a-z0-9_]+]]_entry(
// CHECK: .maxntid 256
// CHECK-NOT: fma
// CHECK: mul.rn.f32
// CHECK-NOT: fma
// CHECK: add.rn.f32
// CHECK-NOT: .local
// CHECK-NOT: call
// CHECK: ret;

// The sums of a product are fused multiply-adds.
// CHECK: .visible .entry [[PRODUCT:[a-z0-9_]+]]_entry(
// CHECK: fma.rn.f32
// CHECK-NOT: .local
// CHECK-NOT: call
// CHECK: ret;
// CHECK-NOT: .entry
func.func @main(%x: tensor<64x64xf32> {tenon.name = "x"}, %y: tensor<64x64xf32> {tenon.name = "y"})
    -> (tensor<64x64xf32> {tenon.name = "sum"}, tensor<64x64xf32> {tenon.name = "product"}) {
  %0 = tenon.multiply %x, %y : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = tenon.add %0, %y : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = tenon.dot_general %x, %y batch [] x [] contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1, %2 : tensor<64x64xf32>, tensor<64x64xf32>
}
