// RUN: tenon-opt %s --verify-roundtrip --split-input-file | FileCheck %s

// CHECK: module attributes {tenon.machine = #tenon.machine<vector_bytes = 32, registers = 16, caches = [32768, 524288], line = 64, stack = 262144>}
module attributes {tenon.machine = #tenon.machine<vector_bytes = 32, registers = 16, caches = [32768, 524288], line = 64, stack = 262144>} {}

// -----

// The fields stand in any order; those that a machine lacks are left out.
// CHECK: module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144, tiles = 3, byte_tiles = true, tile_stack = 655360, pairs = true>}
module attributes {tenon.machine = #tenon.machine<tiles = 3, tile_stack = 655360, pairs = true, byte_tiles = true, vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {}

// -----

// CHECK: module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288], line = 64, stack = 262144, quads = true, reads_ahead = true, costly_broadcasts = true>}
module attributes {tenon.machine = #tenon.machine<costly_broadcasts = true, reads_ahead = true, quads = true, vector_bytes = 64, registers = 32, caches = [32768, 524288], line = 64, stack = 262144>} {}
