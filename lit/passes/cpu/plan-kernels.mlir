// RUN: tenon-opt %s --tenon-plan-kernels --split-input-file | FileCheck %s
// RUN: sed 's/vector_bytes = 64, registers = 32/vector_bytes = 16, registers = 16/; s/, tiles = 3, byte_tiles = true, tile_stack = 655360, pairs = true//' %s \
// RUN: | tenon-opt --tenon-plan-kernels --split-input-file | FileCheck %s --check-prefix=NARROW
// RUN: sed 's/32768, 524288,/16384, 65536,/' %s \
// RUN: | tenon-opt --tenon-plan-kernels --split-input-file | FileCheck %s --check-prefix=SMALL

// A product in registers: 24 of 32 hold sums. With sixteen registers of sixteen
// bytes at most twelve do; with small caches tasks have fewer columns and share
// them among more rows.
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144, tiles = 3, byte_tiles = true, tile_stack = 655360, pairs = true>} {
// CHECK-LABEL: func.func @tile(
// CHECK: tenon.plan = #tenon.tile<rows = 8, vectors = 3, block_rows = 8, block_columns = 96, shared_rows = 8>
// NARROW-LABEL: func.func @tile(
// NARROW: tenon.plan = #tenon.tile<rows = 4, vectors = 2, block_rows = 12, block_columns = 96, shared_rows = 12>
// SMALL-LABEL: func.func @tile(
// SMALL: tenon.plan = #tenon.tile<rows = 8, vectors = 3, block_rows = 32, block_columns = 48, shared_rows = 32>
func.func @tile(%x: memref<64x192xf32>, %w: memref<192x96xf32>, %y: memref<64x96xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<64x192xf32>, memref<192x96xf32>) outs(%y : memref<64x96xf32>) {
  ^bb0(%a: tensor<64x192xf32>, %b: tensor<192x96xf32>):
    %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<64x192xf32>, tensor<192x96xf32>) -> tensor<64x96xf32>
    tenon.yield %0 : tensor<64x96xf32>
  }
  return
}

// A weight in panels goes through AMX tiles where there are such; open rows may
// be few.
// CHECK-LABEL: func.func @amx(
// CHECK: tenon.plan = #tenon.amx<lhs_parts = 3, rhs_parts = 3, order = 2, depth = 128, block_rows = 224, block_columns = {{[0-9]+}}, tasks = {{[0-9]+}}, few_rows = <rows = {{.*}}>>
// NARROW-LABEL: func.func @amx(
// NARROW: tenon.plan = #tenon.tile<
// SMALL-LABEL: func.func @amx(
// SMALL: tenon.plan = #tenon.amx<{{.*}}depth = 64,
func.func @amx(%x: memref<?x512xf32>, %w: memref<16x512x16xf32>, %y: memref<?x256xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<?x512xf32>, memref<16x512x16xf32>) outs(%y : memref<?x256xf32>) {
  ^bb0(%a: tensor<?x512xf32>, %p: tensor<16x512x16xf32>):
    %b = tenon.unpack %p dim 1 extent 256 : (tensor<16x512x16xf32>) -> tensor<512x256xf32>
    %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<?x512xf32>, tensor<512x256xf32>) -> tensor<?x256xf32>
    tenon.yield %0 : tensor<?x256xf32>
  }
  return
}

// Integers with scales are one part. A piece is whole groups of the sum: one of
// 128, or four of 32.
// CHECK-LABEL: func.func @amx_scaled_bytes(
// CHECK: tenon.plan = #tenon.amx<lhs_parts = 3, rhs_parts = 1, order = 2, depth = 128,
// NARROW-LABEL: func.func @amx_scaled_bytes(
// NARROW: tenon.plan = #tenon.tile<
// SMALL-LABEL: func.func @amx_scaled_bytes(
// SMALL: tenon.plan = #tenon.tile<
func.func @amx_scaled_bytes(%x: memref<128x512xf32>, %w: memref<4x512x64xi8>, %s: memref<4x4x64xf32>, %y: memref<128x256xf32>) {
  tenon.fusion contraction ins(%x, %w, %s : memref<128x512xf32>, memref<4x512x64xi8>, memref<4x4x64xf32>) outs(%y : memref<128x256xf32>) {
  ^bb0(%a: tensor<128x512xf32>, %q: tensor<4x512x64xi8>, %scales: tensor<4x4x64xf32>):
    %p = tenon.dequantize %q scales %scales group 128 : (tensor<4x512x64xi8>, tensor<4x4x64xf32>) -> tensor<4x512x64xf32>
    %b = tenon.unpack %p dim 1 extent 256 : (tensor<4x512x64xf32>) -> tensor<512x256xf32>
    %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<128x512xf32>, tensor<512x256xf32>) -> tensor<128x256xf32>
    tenon.yield %0 : tensor<128x256xf32>
  }
  return
}

// CHECK-LABEL: func.func @amx_scaled_nibbles(
// CHECK: tenon.plan = #tenon.amx<lhs_parts = 3, rhs_parts = 1, order = 2, depth = 128,
// SMALL-LABEL: func.func @amx_scaled_nibbles(
// SMALL: tenon.plan = #tenon.amx<{{.*}}depth = 64,
func.func @amx_scaled_nibbles(%x: memref<128x512xf32>, %w: memref<4x64x64xi32>, %s: memref<4x16x64xbf16>, %y: memref<128x256xf32>) {
  tenon.fusion contraction ins(%x, %w, %s : memref<128x512xf32>, memref<4x64x64xi32>, memref<4x16x64xbf16>) outs(%y : memref<128x256xf32>) {
  ^bb0(%a: tensor<128x512xf32>, %q: tensor<4x64x64xi32>, %scales: tensor<4x16x64xbf16>):
    %p = tenon.dequantize %q scales %scales group 32 : (tensor<4x64x64xi32>, tensor<4x16x64xbf16>) -> tensor<4x512x64xf32>
    %b = tenon.unpack %p dim 1 extent 256 : (tensor<4x512x64xf32>) -> tensor<512x256xf32>
    %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<128x512xf32>, tensor<512x256xf32>) -> tensor<128x256xf32>
    tenon.yield %0 : tensor<128x256xf32>
  }
  return
}

// So do windows: a piece has two taps of 64 features.
// CHECK-LABEL: func.func @amx_window(
// CHECK: tenon.plan = #tenon.amx<lhs_parts = 3, rhs_parts = 3, order = 2, depth = 64, block_rows = 208, block_columns = {{[0-9]+}}, tasks = {{[0-9]+}}, taps = 2>
// NARROW-LABEL: func.func @amx_window(
// NARROW: tenon.plan = #tenon.tile<
func.func @amx_window(%x: memref<1x14x14x64xf32>, %w: memref<8x3x3x64x16xf32>, %y: memref<1x14x14x128xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<1x14x14x64xf32>, memref<8x3x3x64x16xf32>) outs(%y : memref<1x14x14x128xf32>) {
  ^bb0(%a: tensor<1x14x14x64xf32>, %p: tensor<8x3x3x64x16xf32>):
    %b = tenon.unpack %p dim 3 extent 128 : (tensor<8x3x3x64x16xf32>) -> tensor<3x3x64x128xf32>
    %0 = tenon.convolution %a, %b strides [1, 1] padding [1, 1, 1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x14x14x64xf32>, tensor<3x3x64x128xf32>) -> tensor<1x14x14x128xf32>
    tenon.yield %0 : tensor<1x14x14x128xf32>
  }
  return
}

// One part is only joined to pairs, so runs of one tile have a plan, too.
// CHECK-LABEL: func.func @amx_one_tile(
// CHECK: tenon.plan = #tenon.amx<{{.*}}block_rows = 224, {{.*}}few_rows = <rows = {{.*}}>, one_tile = <{{.*}}block_rows = 16, {{.*}}>>
// NARROW-LABEL: func.func @amx_one_tile(
// NARROW: tenon.plan = #tenon.tile<
// SMALL-LABEL: func.func @amx_one_tile(
// SMALL: tenon.plan = #tenon.tile<
func.func @amx_one_tile(%x: memref<?x512xf32>, %w: memref<4x512x64xi8>, %s: memref<4x4x64xf32>, %y: memref<?x256xf32>) {
  tenon.fusion contraction ins(%x, %w, %s : memref<?x512xf32>, memref<4x512x64xi8>, memref<4x4x64xf32>) outs(%y : memref<?x256xf32>) {
  ^bb0(%a: tensor<?x512xf32>, %q: tensor<4x512x64xi8>, %scales: tensor<4x4x64xf32>):
    %p = tenon.dequantize %q scales %scales group 128 : (tensor<4x512x64xi8>, tensor<4x4x64xf32>) -> tensor<4x512x64xf32>
    %b = tenon.unpack %p dim 1 extent 256 : (tensor<4x512x64xf32>) -> tensor<512x256xf32>
    %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<?x512xf32>, tensor<512x256xf32>) -> tensor<?x256xf32>
    tenon.yield %0 : tensor<?x256xf32>
  }
  return
}

// Operands of few columns would take longer to split than to multiply.
// CHECK-LABEL: func.func @amx_narrow(
// CHECK: tenon.plan = #tenon.tile<
func.func @amx_narrow(%x: memref<128x256xf32>, %w: memref<3x256x16xf32>, %y: memref<128x48xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<128x256xf32>, memref<3x256x16xf32>) outs(%y : memref<128x48xf32>) {
  ^bb0(%a: tensor<128x256xf32>, %p: tensor<3x256x16xf32>):
    %b = tenon.unpack %p dim 1 extent 48 : (tensor<3x256x16xf32>) -> tensor<256x48xf32>
    %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<128x256xf32>, tensor<256x48xf32>) -> tensor<128x48xf32>
    tenon.yield %0 : tensor<128x48xf32>
  }
  return
}

// Bytes are not split, so they need fewer rows and columns.
// CHECK-LABEL: func.func @amx_bytes(
// CHECK: tenon.plan = #tenon.amx<lhs_parts = 1, rhs_parts = 1, order = 2, depth = 32, block_rows = 16, block_columns = 64, {{.*}}lhs_in_place = true, rhs_in_place = true>
// NARROW-LABEL: func.func @amx_bytes(
// NARROW: tenon.plan = #tenon.tile<
func.func @amx_bytes(%x: memref<16x128xui8>, %q: memref<3x32x16xi32>, %y: memref<16x48xi32>) {
  tenon.fusion contraction ins(%x, %q : memref<16x128xui8>, memref<3x32x16xi32>) outs(%y : memref<16x48xi32>) {
  ^bb0(%a: tensor<16x128xui8>, %c: tensor<3x32x16xi32>):
    %p = tenon.unquad %c : (tensor<3x32x16xi32>) -> tensor<3x128x16xi8>
    %b = tenon.unpack %p dim 1 extent 48 : (tensor<3x128x16xi8>) -> tensor<128x48xi8>
    %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] products quads : (tensor<16x128xui8>, tensor<128x48xi8>) -> tensor<16x48xi32>
    tenon.yield %0 : tensor<16x48xi32>
  }
  return
}

// Many rows of attention leave registers for the next tile's powers, if there
// are 32. AMX multiplies queries and keys.
// CHECK-LABEL: func.func @attention(
// CHECK: tenon.plan = #tenon.attention<task_rows = 128, score_rows = 4, value_rows = 4, sums = 24, overlapped = true, tiles = true>
// NARROW-LABEL: func.func @attention(
// NARROW: tenon.plan = #tenon.attention<task_rows = {{[0-9]+}}, score_rows = {{[0-9]+}}, value_rows = {{[0-9]+}}, sums = 12>
func.func @attention(%q: memref<12x128x64xf32>, %k: memref<12x?x64xf32>, %v: memref<12x?x64xf32>, %y: memref<12x128x64xf32>) {
  tenon.fusion attention ins(%q, %k, %v : memref<12x128x64xf32>, memref<12x?x64xf32>, memref<12x?x64xf32>) outs(%y : memref<12x128x64xf32>) {
  ^bb0(%a: tensor<12x128x64xf32>, %b: tensor<12x?x64xf32>, %c: tensor<12x?x64xf32>):
    %0 = tenon.attention %a, %b, %c order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 0.125 : (tensor<12x128x64xf32>, tensor<12x?x64xf32>, tensor<12x?x64xf32>) -> tensor<12x128x64xf32>
    tenon.yield %0 : tensor<12x128x64xf32>
  }
  return
}

// Keys and values that one row alone reads are not packed.
// CHECK-LABEL: func.func @decode(
// CHECK: tenon.plan = #tenon.attention<task_rows = 1, {{.*}}keys_in_place = true, values_in_place = true>
func.func @decode(%q: memref<12x1x64xf32>, %k: memref<12x?x64xf32>, %v: memref<12x?x64xf32>, %y: memref<12x1x64xf32>) {
  tenon.fusion attention ins(%q, %k, %v : memref<12x1x64xf32>, memref<12x?x64xf32>, memref<12x?x64xf32>) outs(%y : memref<12x1x64xf32>) {
  ^bb0(%a: tensor<12x1x64xf32>, %b: tensor<12x?x64xf32>, %c: tensor<12x?x64xf32>):
    %0 = tenon.attention %a, %b, %c order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 0.125 : (tensor<12x1x64xf32>, tensor<12x?x64xf32>, tensor<12x?x64xf32>) -> tensor<12x1x64xf32>
    tenon.yield %0 : tensor<12x1x64xf32>
  }
  return
}

// Nor are those of a cache, also as bf16, slices, or found by a table.
// CHECK-LABEL: func.func @decode_cached(
// CHECK: tenon.plan = #tenon.attention<task_rows = 1, {{.*}}keys_in_place = true, values_in_place = true>
func.func @decode_cached(%q: memref<2x12x1x64xf32>, %k: memref<9x12x?x64xbf16>, %v: memref<9x12x?x64xbf16>, %n: memref<2xi64>, %t: memref<2x?xi64>, %p: index, %y: memref<2x12x1x64xf32>) {
  tenon.fusion attention ins(%q, %k, %v, %n, %t, %p : memref<2x12x1x64xf32>, memref<9x12x?x64xbf16>, memref<9x12x?x64xbf16>, memref<2xi64>, memref<2x?xi64>, index) outs(%y : memref<2x12x1x64xf32>) {
  ^bb0(%a: tensor<2x12x1x64xf32>, %b: tensor<9x12x?x64xbf16>, %c: tensor<9x12x?x64xbf16>, %d: tensor<2xi64>, %e: tensor<2x?xi64>, %f: index):
    %0 = tenon.slice %b offsets [1, 0, 0, 0] sizes [8, 12, %f, 64] strides [1, 1, 1, 1] : (tensor<9x12x?x64xbf16>, index) -> tensor<8x12x?x64xbf16>
    %1 = tenon.slice %c offsets [1, 0, 0, 0] sizes [8, 12, %f, 64] strides [1, 1, 1, 1] : (tensor<9x12x?x64xbf16>, index) -> tensor<8x12x?x64xbf16>
    %2 = tenon.attention %a, %0, %1 lengths %d table %e order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 0.125 : (tensor<2x12x1x64xf32>, tensor<8x12x?x64xbf16>, tensor<8x12x?x64xbf16>, tensor<2xi64>, tensor<2x?xi64>) -> tensor<2x12x1x64xf32>
    tenon.yield %2 : tensor<2x12x1x64xf32>
  }
  return
}

// Rows that a table names are copied only if the elements of each are
// contiguous and a block fits the stack.
// CHECK-LABEL: func.func @table_of_columns(
// CHECK: tenon.plan = #tenon.general
func.func @table_of_columns(%q: memref<2x4x1x8xf32>, %k: memref<9x4x8x?xf32>, %t: memref<2x?xi64>, %y: memref<2x4x1x8xf32>) {
  tenon.fusion attention ins(%q, %k, %t : memref<2x4x1x8xf32>, memref<9x4x8x?xf32>, memref<2x?xi64>) outs(%y : memref<2x4x1x8xf32>) {
  ^bb0(%a: tensor<2x4x1x8xf32>, %b: tensor<9x4x8x?xf32>, %c: tensor<2x?xi64>):
    %0 = tenon.attention %a, %b, %b table %c order [0, 1, 2, 3] x [0, 1, 3, 2] x [0, 1, 3, 2] to [0, 1, 2, 3] scale 0.125 : (tensor<2x4x1x8xf32>, tensor<9x4x8x?xf32>, tensor<9x4x8x?xf32>, tensor<2x?xi64>) -> tensor<2x4x1x8xf32>
    tenon.yield %0 : tensor<2x4x1x8xf32>
  }
  return
}

// CHECK-LABEL: func.func @table_of_long_rows(
// CHECK: tenon.plan = #tenon.general
func.func @table_of_long_rows(%q: memref<2x4x1x512xf32>, %k: memref<9x4x?x512xf32>, %t: memref<2x?xi64>, %y: memref<2x4x1x512xf32>) {
  tenon.fusion attention ins(%q, %k, %t : memref<2x4x1x512xf32>, memref<9x4x?x512xf32>, memref<2x?xi64>) outs(%y : memref<2x4x1x512xf32>) {
  ^bb0(%a: tensor<2x4x1x512xf32>, %b: tensor<9x4x?x512xf32>, %c: tensor<2x?xi64>):
    %0 = tenon.attention %a, %b, %b table %c order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 0.125 : (tensor<2x4x1x512xf32>, tensor<9x4x?x512xf32>, tensor<9x4x?x512xf32>, tensor<2x?xi64>) -> tensor<2x4x1x512xf32>
    tenon.yield %0 : tensor<2x4x1x512xf32>
  }
  return
}

// A depth that only the run knows has no tile.
// CHECK-LABEL: func.func @open_depth(
// CHECK: tenon.plan = #tenon.general
func.func @open_depth(%q: memref<2x4x?xf32>, %k: memref<2x4x?xf32>, %v: memref<2x4x?xf32>, %y: memref<2x4x?xf32>) {
  tenon.fusion attention ins(%q, %k, %v : memref<2x4x?xf32>, memref<2x4x?xf32>, memref<2x4x?xf32>) outs(%y : memref<2x4x?xf32>) {
  ^bb0(%a: tensor<2x4x?xf32>, %b: tensor<2x4x?xf32>, %c: tensor<2x4x?xf32>):
    %0 = tenon.attention %a, %b, %c order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 0.125 : (tensor<2x4x?xf32>, tensor<2x4x?xf32>, tensor<2x4x?xf32>) -> tensor<2x4x?xf32>
    tenon.yield %0 : tensor<2x4x?xf32>
  }
  return
}

// Groups of one channel: lanes lie along channels.
// CHECK-LABEL: func.func @depthwise(
// CHECK: tenon.plan = #tenon.depthwise<columns = 7, channels = 32, rows = {{[0-9]+}}>
// NARROW-LABEL: func.func @depthwise(
// NARROW: tenon.plan = #tenon.depthwise<columns = 7, channels = 32,
func.func @depthwise(%x: memref<1x14x14x32xf32>, %w: memref<3x3x1x32xf32>, %y: memref<1x14x14x32xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<1x14x14x32xf32>, memref<3x3x1x32xf32>) outs(%y : memref<1x14x14x32xf32>) {
  ^bb0(%a: tensor<1x14x14x32xf32>, %b: tensor<3x3x1x32xf32>):
    %0 = tenon.convolution %a, %b strides [1, 1] padding [1, 1, 1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 32 : (tensor<1x14x14x32xf32>, tensor<3x3x1x32xf32>) -> tensor<1x14x14x32xf32>
    tenon.yield %0 : tensor<1x14x14x32xf32>
  }
  return
}

// Each phase of a transposed convolution is a nest with a tile.
// CHECK-LABEL: func.func @transposed(
// CHECK: tenon.plan = [#tenon.tile<{{.*}}>, #tenon.tile<{{.*}}>]
func.func @transposed(%x: memref<1x8x16xf32>, %w: memref<4x16x32xf32>, %y: memref<1x16x32xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<1x8x16xf32>, memref<4x16x32xf32>) outs(%y : memref<1x16x32xf32>) {
  ^bb0(%a: tensor<1x8x16xf32>, %b: tensor<4x16x32xf32>):
    %0 = tenon.convolution %a, %b strides [1] padding [2, 2] lhs_dilation [2] rhs_dilation [1] groups 1 : (tensor<1x8x16xf32>, tensor<4x16x32xf32>) -> tensor<1x16x32xf32>
    tenon.yield %0 : tensor<1x16x32xf32>
  }
  return
}

// Other kinds need no tile.
// CHECK-LABEL: func.func @map(
// CHECK: tenon.plan = #tenon.general
func.func @map(%x: memref<64xf32>, %y: memref<64xf32>) {
  tenon.fusion map ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%a: tensor<64xf32>):
    %0 = tenon.negate %a : (tensor<64xf32>) -> tensor<64xf32>
    tenon.yield %0 : tensor<64xf32>
  }
  return
}

// An update in place: tasks are rows of the update, or pieces of rows where updates may repeat. Otherwise the operand is copied first.
// CHECK-LABEL: func.func @updates(
// CHECK: tenon.plan = #tenon.update<rows = 256>
// CHECK: tenon.plan = #tenon.update<rows = 1, columns = 256>
// CHECK: tenon.plan = #tenon.general
func.func @updates(%s: memref<12x128x64xf32>, %u: memref<12x?x64xf32>, %i: memref<?x1xi64>, %y: memref<12x128x64xf32>) {
  tenon.fusion scatter ins(%s, %u : memref<12x128x64xf32>, memref<12x?x64xf32>) outs(%s : memref<12x128x64xf32>) {
  ^bb0(%a: tensor<12x128x64xf32>, %b: tensor<12x?x64xf32>):
    %0 = tenon.dynamic_update_slice %a, %b at [0, 3, 0] : (tensor<12x128x64xf32>, tensor<12x?x64xf32>) -> tensor<12x128x64xf32>
    tenon.yield %0 : tensor<12x128x64xf32>
  }
  tenon.fusion scatter ins(%s, %i, %u : memref<12x128x64xf32>, memref<?x1xi64>, memref<12x?x64xf32>) outs(%s : memref<12x128x64xf32>) {
  ^bb0(%a: tensor<12x128x64xf32>, %j: tensor<?x1xi64>, %b: tensor<12x?x64xf32>):
    %0 = tenon.scatter set %a, %j, %b window_dims [0, 2] inserted [1] batching [] x [] map [1] vector_dim 1 : (tensor<12x128x64xf32>, tensor<?x1xi64>, tensor<12x?x64xf32>) -> tensor<12x128x64xf32>
    tenon.yield %0 : tensor<12x128x64xf32>
  }
  tenon.fusion scatter ins(%s, %u : memref<12x128x64xf32>, memref<12x?x64xf32>) outs(%y : memref<12x128x64xf32>) {
  ^bb0(%a: tensor<12x128x64xf32>, %b: tensor<12x?x64xf32>):
    %0 = tenon.dynamic_update_slice %a, %b at [0, 3, 0] : (tensor<12x128x64xf32>, tensor<12x?x64xf32>) -> tensor<12x128x64xf32>
    tenon.yield %0 : tensor<12x128x64xf32>
  }
  return
}
}
