// RUN: rm -rf %t && mkdir %t
// RUN: tenon compile -q -c %s -o %t/m.o --device=nvptx:sm_80
// RUN: %ptx %t/m.o sm_80 | FileCheck %s
// REQUIRES: tenon

// Where memory is aligned a map accesses 16 bytes at once. Its indices fit into
// 32 bits, and known extents divide by multiplication.
// CHECK: .entry
// CHECK-NOT: {{div|rem}}.
// CHECK: ld.global.b32
// CHECK: st.global.b32
// CHECK-NOT: {{div|rem}}.
// CHECK: mul.hi.u{{16|32}}
// CHECK-NOT: {{div|rem}}.
// CHECK: ld.global.v4.b32
// CHECK: ld.global.v4.b32
// CHECK-NOT: {{div|rem}}.
// CHECK: st.global.v4.b32
// CHECK: ret;
func.func @main(%x: tensor<12x197x60xf32> {tenon.name = "x"}, %bias: tensor<197x60xf32> {tenon.name = "bias"})
    -> (tensor<12x197x60xf32> {tenon.name = "y"}) {
  %0 = tenon.broadcast_in_dim %bias dims [1, 2] sizes [12, 197, 60] : (tensor<197x60xf32>) -> tensor<12x197x60xf32>
  %1 = tenon.add %x, %0 : (tensor<12x197x60xf32>, tensor<12x197x60xf32>) -> tensor<12x197x60xf32>
  return %1 : tensor<12x197x60xf32>
}
