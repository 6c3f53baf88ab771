// RUN: tenon-opt %s --tenon-lower-device-fusions --verify-diagnostics --split-input-file

func.func @no_plan(%call: !llvm.ptr, %x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error@+1 {{expected a plan: tenon-plan-device-kernels comes first}}
  tenon.fusion map ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) attributes {tenon.on_device} {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.negate %t : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  }
  return
}

// -----

// Plans for CPUs have one task.
func.func @plan_of_a_cpu(%call: !llvm.ptr, %x: memref<8x4xf32>, %u: memref<1x4xf32>, %at: index) {
  // expected-error@+1 {{expected the plan of a device's kernel, got #tenon.general}}
  tenon.fusion scatter ins(%x, %u, %at : memref<8x4xf32>, memref<1x4xf32>, index) outs(%x : memref<8x4xf32>) attributes {tenon.on_device, tenon.plan = #tenon.general} {
  ^bb0(%old: tensor<8x4xf32>, %new: tensor<1x4xf32>, %i: index):
    %0 = tenon.dynamic_update_slice %old, %new at [%i, 0] : (tensor<8x4xf32>, tensor<1x4xf32>, index) -> tensor<8x4xf32>
    tenon.yield %0 : tensor<8x4xf32>
  }
  return
}
