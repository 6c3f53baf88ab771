// If the last dimension is summed, the elements of
// neighbouring sums are far apart and are loaded one by one.
// Tiles have one vector: more would only make the code larger.
// RUN: tenon-opt %s --tenon-to-tiled | FileCheck %s

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
