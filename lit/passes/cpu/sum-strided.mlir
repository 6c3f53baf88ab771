// Where the last dimension is summed, neighbouring sums are of elements far
// apart, which are loaded one by one: of more than one vector the code would
// grow and gain nothing.
// RUN: tenon-opt %s --tenon-to-planned --tenon-lower-fusions \
// RUN: | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {
// CHECK-LABEL: func.func private @map.reduce.0
// CHECK-NOT: vector<128xf32>
// CHECK: vector<16xf32>
// CHECK-NOT: vector<128xf32>
func.func @main(%x: tensor<2x7x256x49xf32>) -> tensor<2x256xf32> {
  %0 = tenon.reduce add %x over [1, 3] : (tensor<2x7x256x49xf32>) -> tensor<2x256xf32>
  return %0 : tensor<2x256xf32>
}
}
