// RUN: tenon-opt %s --tenon-lower-device-fusions --verify-diagnostics

func.func @no_plan(%call: !llvm.ptr, %x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error@+1 {{expected a plan: tenon-plan-device-kernels comes first}}
  tenon.fusion map ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) attributes {tenon.on_device} {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.negate %t : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  }
  return
}
