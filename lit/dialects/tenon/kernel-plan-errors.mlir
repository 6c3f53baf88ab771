// RUN: tenon-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{expected rows to be at least 1, got 0}}
func.func @tile_sizes() attributes {plan = #tenon.tile<rows = 0, vectors = 3, block_rows = 64, block_columns = 192, shared_rows = 64>} { return }

// -----

// expected-error@+1 {{expected shared_rows to be whole tiles of 8 rows, got 60}}
func.func @tile_shared() attributes {plan = #tenon.tile<rows = 8, vectors = 3, block_rows = 64, block_columns = 192, shared_rows = 60>} { return }

// -----

// expected-error@+1 {{expected piece to be at least 0, got -1}}
func.func @tile_piece() attributes {plan = #tenon.tile<rows = 8, vectors = 3, block_rows = 64, block_columns = 192, shared_rows = 64, piece = -1>} { return }

// -----

// expected-error@+1 {{expected halves in panels of weights alone}}
func.func @tile_halves() attributes {plan = #tenon.tile<rows = 8, vectors = 3, block_rows = 64, block_columns = 192, shared_rows = 64, pack = true, halves = true>} { return }

// -----

// expected-error@+1 {{expected at most three parts and an order below three, got 4, 3 and 2}}
func.func @amx_parts() attributes {plan = #tenon.amx<lhs_parts = 4, rhs_parts = 3, order = 2, depth = 128, block_rows = 128, block_columns = 384>} { return }

// -----

// expected-error@+1 {{expected whole tiles, got blocks of 100 rows and 384 columns and a depth of 128}}
func.func @amx_tiles() attributes {plan = #tenon.amx<lhs_parts = 3, rhs_parts = 3, order = 2, depth = 128, block_rows = 100, block_columns = 384>} { return }

// -----

// expected-error@+1 {{expected a plan for one tile of 16 rows, got blocks of 32}}
func.func @amx_one_tile() attributes {plan = #tenon.amx<lhs_parts = 3, rhs_parts = 1, order = 2, depth = 128, block_rows = 224, block_columns = 384, one_tile = <lhs_parts = 3, rhs_parts = 1, order = 2, depth = 128, block_rows = 32, block_columns = 384>>} { return }

// -----

// expected-error@+1 {{expected task_rows to be whole tiles of 4 rows, got 63}}
func.func @attention_rows() attributes {plan = #tenon.attention<task_rows = 63, score_rows = 6, value_rows = 4, sums = 24>} { return }

// -----

// expected-error@+1 {{expected channels to be at least 1, got 0}}
func.func @depthwise_sizes() attributes {plan = #tenon.depthwise<columns = 8, channels = 0, rows = 4>} { return }

// -----

func.func @fusion_kind(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error@+1 {{'tenon.fusion' op expected a plan for the kind map, got #tenon.depthwise<columns = 8, channels = 32, rows = 4>}}
  %0 = tenon.fusion map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) attributes {tenon.plan = #tenon.depthwise<columns = 8, channels = 32, rows = 4>} {
  ^bb0(%a: tensor<4xf32>):
    %1 = tenon.negate %a : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %1 : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// expected-error@+1 {{expected rows to be at least 1, got 0}}
func.func @update_rows() attributes {plan = #tenon.update<rows = 0>} { return }

// -----

// expected-error@+1 {{expected columns to be at least 0, got -1}}
func.func @update_columns() attributes {plan = #tenon.update<rows = 1, columns = -1>} { return }

// -----

func.func @update_elsewhere(%x: memref<4xf32>, %u: memref<2xf32>, %y: memref<4xf32>) {
  // expected-error@+1 {{'tenon.fusion' op expected an update whose operand and output are one buffer, for the plan #tenon.update<rows = 1>}}
  tenon.fusion scatter ins(%x, %u : memref<4xf32>, memref<2xf32>) outs(%y : memref<4xf32>) attributes {tenon.plan = #tenon.update<rows = 1>} {
  ^bb0(%a: tensor<4xf32>, %b: tensor<2xf32>):
    %0 = tenon.dynamic_update_slice %a, %b at [1] : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  }
  return
}

// -----

// expected-error@+1 {{expected 64 or 128 rows and columns, got 96 and 64}}
module attributes {example.plan = #tenon.block_tile<rows = 96, columns = 64, depth = 8>} {}

// -----

// expected-error@+1 {{expected a depth of at most 64 in steps of 16, got 8}}
module attributes {example.plan = #tenon.block_tile<rows = 64, columns = 64, depth = 8>} {}

// -----

// expected-error@+1 {{expected 1, 2, 4 or 8 thread_rows, got 3}}
module attributes {example.plan = #tenon.block_attention<rows = 24, thread_rows = 3>} {}

// -----

// expected-error@+1 {{expected rows of 2, 4, 8 or 16 groups of 8 rows, got 24}}
module attributes {example.plan = #tenon.block_attention<rows = 24, thread_rows = 8>} {}

// -----

// expected-error@+1 {{expected 1 to 8 rows, got 9}}
module attributes {example.plan = #tenon.few_rows<rows = 9, parts = 8>} {}

// -----

// expected-error@+1 {{expected 4 to 32 parts in steps of 4, got 6}}
module attributes {example.plan = #tenon.few_rows<rows = 1, parts = 6>} {}

// -----

// expected-error@+1 {{expected tasks to be at least 1, got 0}}
module attributes {example.plan = #tenon.device_update<tasks = 0>} {}

// -----

func.func @block_of_floats(%x: memref<900xf32>, %y: memref<900xf32>) {
  // expected-error@+1 {{'tenon.fusion' op expected a plan for the kind scan, got #tenon.block}}
  tenon.fusion scan ins(%x : memref<900xf32>) outs(%y : memref<900xf32>) attributes {tenon.plan = #tenon.block} {
  ^bb0(%a: tensor<900xf32>):
    %0 = tenon.cumulative add %a over 0 : tensor<900xf32>
    tenon.yield %0 : tensor<900xf32>
  }
  return
}

// -----

// expected-error@+1 {{expected 1, 2, 4, 8 or 16 threads, got 12}}
module attributes {example.plan = #tenon.warp_rows<threads = 12>} {}

// -----

// expected-error@+1 {{expected 2, 4, 8 or 16 lanes, got 6}}
module attributes {example.plan = #tenon.wide_map<lanes = 6>} {}

// -----

func.func @few_threads(%x: memref<4x32xf32>, %y: memref<4xf32>) {
  // expected-error@+1 {{expected rows of a known width of at most 16 for the plan #tenon.warp_rows<threads = 4>}}
  tenon.fusion rows ins(%x : memref<4x32xf32>) outs(%y : memref<4xf32>) attributes {tenon.plan = #tenon.warp_rows<threads = 4>} {
  ^bb0(%a: tensor<4x32xf32>):
    %0 = tenon.reduce add %a over [1] : (tensor<4x32xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  }
  return
}

// -----

func.func @held_rows(%x: memref<4x?xf32>, %y: memref<4xf32>) {
  // expected-error@+1 {{expected rows of a known width of at most 8192 for the plan #tenon.warp_rows<threads = 16, held = true>}}
  tenon.fusion rows ins(%x : memref<4x?xf32>) outs(%y : memref<4xf32>) attributes {tenon.plan = #tenon.warp_rows<threads = 16, held = true>} {
  ^bb0(%a: tensor<4x?xf32>):
    %0 = tenon.reduce add %a over [1] : (tensor<4x?xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  }
  return
}

// -----

// expected-error@+1 {{expected vectors to be at least 1, got 0}}
module attributes {example.plan = #tenon.few_outputs<vectors = 0, rows = 1>} {}
