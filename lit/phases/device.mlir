// A version for devices. An extent is the sum of a large input: the plan, the
// offsets of buffers and the extent of the run come from three kernels of the
// host. The device computes what has that extent, in the arena and in the
// output, and nothing is transferred.
// RUN: tenon-opt %s --tenon-to-planned=device=true | FileCheck %s

// CHECK-LABEL: func.func private @main.plan(
// CHECK: tenon.fusion rows
// CHECK-NOT: tenon.on_device
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[^:]*]]: memref<4096xi64>
// CHECK: %[[HOST_X:.*]] = tenon.host_memory %[[X]]
// CHECK: %[[STACK:.*]] = memref.alloca
// CHECK: tenon.fusion rows ins(%[[HOST_X]] : memref<4096xi64>) outs(%[[STACK]] : memref<i64>) attributes {tenon.plan
// CHECK: tenon.fusion rows ins(%[[HOST_X]] : memref<4096xi64>) outs(%[[SUM:.*]] : memref<i64>) attributes {tenon.plan
// CHECK: memref.load %[[SUM]][]
// CHECK: tenon.fusion map {{.*}} attributes {tenon.on_device, tenon.plan = #tenon.wide_map<
// CHECK: tenon.fusion sort {{.*}} attributes {tenon.on_device, tenon.plan = #tenon.block}
// CHECK-NOT: tenon.transfer
func.func @main(%x: tensor<4096xi64> {tenon.name = "x"}) -> (tensor<?xf32> {tenon.name = "y"}) {
  %sum = tenon.reduce add %x over [0] : (tensor<4096xi64>) -> tensor<i64>
  %element = tensor.extract %sum[] : tensor<i64>
  %n = arith.index_cast %element : i64 to index
  %one = tenon.constant dense<1.5> : tensor<f32>
  %row = tenon.broadcast_in_dim %one dims [] sizes [%n] : (tensor<f32>, index) -> tensor<?xf32>
  %sorted, %places = tenon.sort %row dim 0 : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xi64>)
  return %sorted : tensor<?xf32>
}
