// RUN: tenon-opt %s --tenon-plan-device-kernels --split-input-file | FileCheck %s

// A kernel of the device computes one element or one row a thread.
// CHECK-LABEL: func.func @general(
// CHECK: tenon.fusion map {{.*}} attributes {tenon.on_device, tenon.plan = #tenon.general}
func.func @general(%call: !llvm.ptr, %x: memref<4xf32>, %y: memref<4xf32>) {
  tenon.fusion map ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) attributes {tenon.on_device} {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.negate %t : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  }
  return
}

// -----

// Part of a buffer is updated in place.
// CHECK-LABEL: func.func @update(
// CHECK: tenon.fusion scatter {{.*}} attributes {tenon.on_device, tenon.plan = #tenon.update<
func.func @update(%call: !llvm.ptr, %x: memref<8x4xf32>, %u: memref<1x4xf32>, %at: index) {
  tenon.fusion scatter ins(%x, %u, %at : memref<8x4xf32>, memref<1x4xf32>, index) outs(%x : memref<8x4xf32>) attributes {tenon.on_device} {
  ^bb0(%old: tensor<8x4xf32>, %new: tensor<1x4xf32>, %i: index):
    %0 = tenon.dynamic_update_slice %old, %new at [%i, 0] : (tensor<8x4xf32>, tensor<1x4xf32>, index) -> tensor<8x4xf32>
    tenon.yield %0 : tensor<8x4xf32>
  }
  return
}

// -----

// The host's kernels are planned for a CPU, by another pass.
// CHECK-LABEL: func.func @host(
// CHECK-NOT: tenon.plan
func.func @host(%call: !llvm.ptr, %x: memref<4xf32>, %y: memref<4xf32>) {
  tenon.fusion map ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.negate %t : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  }
  return
}

// -----

// A contraction of a tile or more is computed in tiles, a smaller one element by
// element.
// CHECK-LABEL: func.func @contraction(
// CHECK: tenon.plan = #tenon.block_tile<rows = 128, columns = 128, depth = 8>
// CHECK: tenon.plan = #tenon.general
func.func @contraction(%call: !llvm.ptr, %x: memref<256x64xf32>, %w: memref<64x200xf32>, %y: memref<256x200xf32>, %few: memref<8x64xf32>,
                       %z: memref<8x200xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<256x64xf32>, memref<64x200xf32>) outs(%y : memref<256x200xf32>) attributes {tenon.on_device} {
  ^bb0(%a: tensor<256x64xf32>, %b: tensor<64x200xf32>):
    %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<256x64xf32>, tensor<64x200xf32>) -> tensor<256x200xf32>
    tenon.yield %0 : tensor<256x200xf32>
  }
  tenon.fusion contraction ins(%few, %w : memref<8x64xf32>, memref<64x200xf32>) outs(%z : memref<8x200xf32>) attributes {tenon.on_device} {
  ^bb0(%a: tensor<8x64xf32>, %b: tensor<64x200xf32>):
    %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<8x64xf32>, tensor<64x200xf32>) -> tensor<8x200xf32>
    tenon.yield %0 : tensor<8x200xf32>
  }
  return
}
