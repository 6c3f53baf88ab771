// RUN: tenon-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @plans(
func.func @plans() attributes {
  // CHECK-DAG: general = #tenon.general
  general = #tenon.general,
  // CHECK-DAG: block = #tenon.block
  block = #tenon.block,
  // CHECK-DAG: device_update = #tenon.device_update<tasks = 1024>
  device_update = #tenon.device_update<tasks = 1024>,
  // CHECK-DAG: tile = #tenon.tile<rows = 8, vectors = 3, block_rows = 64, block_columns = 192, shared_rows = 64, piece = 128>
  tile = #tenon.tile<rows = 8, vectors = 3, block_rows = 64, block_columns = 192, shared_rows = 64, piece = 128>,
  // CHECK-DAG: amx = #tenon.amx<lhs_parts = 3, rhs_parts = 1, order = 2, depth = 128, block_rows = 128, block_columns = 384, tasks = 2, taps = 3, few_rows = <rows = 4, vectors = 1, block_rows = 4, block_columns = 16, shared_rows = 4>, one_tile = <lhs_parts = 3, rhs_parts = 1, order = 2, depth = 128, block_rows = 16, block_columns = 384>>
  amx = #tenon.amx<lhs_parts = 3, rhs_parts = 1, order = 2, depth = 128, block_rows = 128, block_columns = 384, tasks = 2, taps = 3, few_rows = <rows = 4, vectors = 1, block_rows = 4, block_columns = 16, shared_rows = 4>, one_tile = <lhs_parts = 3, rhs_parts = 1, order = 2, depth = 128, block_rows = 16, block_columns = 384>>,
  // CHECK-DAG: attention = #tenon.attention<task_rows = 64, score_rows = 6, value_rows = 4, sums = 24, overlapped = true>
  attention = #tenon.attention<task_rows = 64, score_rows = 6, value_rows = 4, sums = 24, overlapped = true>,
  // CHECK-DAG: depthwise = #tenon.depthwise<columns = 8, channels = 32, rows = 4>
  depthwise = #tenon.depthwise<columns = 8, channels = 32, rows = 4>
} {
  return
}

// CHECK-LABEL: func.func @fusion(
// CHECK: attributes {tenon.plan = #tenon.general}
func.func @fusion(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  %0 = tenon.fusion map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) attributes {tenon.plan = #tenon.general} {
  ^bb0(%a: tensor<4xf32>):
    %1 = tenon.negate %a : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %1 : tensor<4xf32>
  } -> tensor<4xf32>
  return
}
