// RUN: tenon-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{expected vectors of 16, 32 or 64 bytes, got 48}}
module attributes {tenon.machine = #tenon.machine<vector_bytes = 48, registers = 16, caches = [32768, 524288], line = 64, stack = 262144>} {}

// -----

// expected-error@+1 {{expected 16 or 32 vector registers, got 8}}
module attributes {tenon.machine = #tenon.machine<vector_bytes = 32, registers = 8, caches = [32768, 524288], line = 64, stack = 262144>} {}

// -----

// expected-error@+1 {{expected at least two caches, smaller ones first, got [524288, 32768]}}
module attributes {tenon.machine = #tenon.machine<vector_bytes = 32, registers = 16, caches = [524288, 32768], line = 64, stack = 262144>} {}

// -----

// expected-error@+1 {{expected a line to be a power of two that holds a vector, got 32}}
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288], line = 32, stack = 262144>} {}

// -----

// expected-error@+1 {{expected some stack, got 0}}
module attributes {tenon.machine = #tenon.machine<vector_bytes = 32, registers = 16, caches = [32768, 524288], line = 64, stack = 0>} {}

// -----

// expected-error@+1 {{expected at most three parts for tiles, got 4}}
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288], line = 64, stack = 262144, tiles = 4, tile_stack = 655360>} {}

// -----

// expected-error@+1 {{expected tile_stack beside tiles and nowhere else, got 0}}
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288], line = 64, stack = 262144, tiles = 3>} {}

// -----

// expected-error@+1 {{expected tile_stack beside tiles and nowhere else, got 0}}
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288], line = 64, stack = 262144, byte_tiles = true>} {}

// -----

// expected-error@+1 {{expected tiles and pairs beside vectors of 64 bytes, got 32}}
module attributes {tenon.machine = #tenon.machine<vector_bytes = 32, registers = 16, caches = [32768, 524288], line = 64, stack = 262144, pairs = true>} {}

// -----

// expected-error@+1 {{expected quads beside vectors of 32 or 64 bytes, got 16}}
module attributes {tenon.machine = #tenon.machine<vector_bytes = 16, registers = 16, caches = [32768, 524288], line = 64, stack = 262144, quads = true>} {}

// -----

// expected-error@+1 {{expected costly broadcasts beside vectors of 64 bytes, got 32}}
module attributes {tenon.machine = #tenon.machine<vector_bytes = 32, registers = 16, caches = [32768, 524288], line = 64, stack = 262144, costly_broadcasts = true>} {}
