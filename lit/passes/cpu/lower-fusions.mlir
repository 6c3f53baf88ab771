// RUN: tenon-opt %s --tenon-lower-fusions | FileCheck %s

// Two fusions with equal regions and types share one kernel, a loop over vectors.
// CHECK-LABEL: func.func @pair(
// CHECK: tenon.launch @[[KERNEL:[^ ]+]] tasks
// CHECK: tenon.launch @[[KERNEL]] tasks
// CHECK: func.func private @[[KERNEL]](
// CHECK: vector<8xf32>
// CHECK-NOT: func.func
func.func @pair(%call: !llvm.ptr, %x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>) {
  tenon.fusion map ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%t: tensor<64xf32>):
    %0 = tenon.negate %t : (tensor<64xf32>) -> tensor<64xf32>
    tenon.yield %0 : tensor<64xf32>
  }
  tenon.fusion map ins(%y : memref<64xf32>) outs(%z : memref<64xf32>) {
  ^bb0(%t: tensor<64xf32>):
    %0 = tenon.negate %t : (tensor<64xf32>) -> tensor<64xf32>
    tenon.yield %0 : tensor<64xf32>
  }
  return
}
