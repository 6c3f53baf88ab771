// RUN: tenon-opt %s --verify-roundtrip | FileCheck %s

// CHECK: tenon.weight @w : tensor<4x8xf32> from <"model.onnx", 1024, 128>
tenon.weight @w : tensor<4x8xf32> from #tenon.source<"model.onnx", 1024, 128>

// CHECK-LABEL: func.func @get_weight(
// CHECK: tenon.get_weight @w : tensor<4x8xf32>
func.func @get_weight() {
  %0 = tenon.get_weight @w : tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @bound(
// CHECK: tenon.bound %{{.*}} at_most %{{.*}}
func.func @bound(%n: index, %max: index) {
  %0 = tenon.bound %n at_most %max
  return
}

// CHECK-LABEL: func.func @fusion(
// CHECK: tenon.fusion  map ins(%{{.*}} : tensor<4xf32>) outs(%{{.*}} : tensor<4xf32>) {
func.func @fusion(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  %0 = tenon.fusion map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %1 = tenon.negate %a : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %1 : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @launch(
// CHECK: tenon.launch @kernel tasks %{{.*}} flops %{{.*}} bytes %{{.*}}(%{{.*}}, %{{.*}}) : memref<4xf32>, memref<4xf32>
func.func private @kernel(!llvm.ptr, memref<4xf32>, memref<4xf32>, index, index)
func.func @launch(%n: index, %f: index, %b: index, %x: memref<4xf32>, %y: memref<4xf32>) {
  tenon.launch @kernel tasks %n flops %f bytes %b (%x, %y) : memref<4xf32>, memref<4xf32>
  return
}

// One kernel accepts operands with static and with dynamic extents. In memory,
// integers are signless and a bool is one byte.
// CHECK-LABEL: func.func @launch_of_any_size(
// CHECK: tenon.launch @any_size tasks {{.*}} : memref<4xui8>
// CHECK: tenon.launch @any_size tasks {{.*}} : memref<?xi1>
func.func private @any_size(!llvm.ptr, memref<?xi8>, index, index)
func.func @launch_of_any_size(%n: index, %x: memref<4xui8>, %y: memref<?xi1>) {
  tenon.launch @any_size tasks %n flops %n bytes %n (%x) : memref<4xui8>
  tenon.launch @any_size tasks %n flops %n bytes %n (%y) : memref<?xi1>
  return
}

// CHECK-LABEL: func.func @fault(
// CHECK: tenon.fault "node \22g\22 (Gather)" found %{{.*}} in[%{{.*}}, %{{.*}}]
func.func @fault(%i: i64, %low: i64, %high: i64) {
  tenon.fault "node \22g\22 (Gather)" found %i in [%low, %high]
  return
}

// A recipe is a region over other weights.
// CHECK: tenon.weight @turned : tensor<8x4xf32> {
// CHECK: tenon.get_weight @w : tensor<4x8xf32>
tenon.weight @turned : tensor<8x4xf32> {
  %0 = tenon.get_weight @w : tensor<4x8xf32>
  %1 = tenon.transpose %0 [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  tenon.yield %1 : tensor<8x4xf32>
}
