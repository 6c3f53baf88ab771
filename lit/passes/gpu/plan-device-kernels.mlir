// RUN: tenon-opt %s --tenon-plan-device-kernels --split-input-file | FileCheck %s

// A thread of a map computes neighbouring elements. Where each comes from the
// elements with its own number, rows do not matter. Otherwise rows are whole
// vectors, and come from whole vectors or from single elements. An element of
// 8 bytes has half as many neighbours.
// CHECK-LABEL: func.func @map(
// CHECK: tenon.fusion map {{.*}} attributes {tenon.on_device, tenon.plan = #tenon.wide_map<lanes = 4, flat = true>}
// CHECK: tenon.plan = #tenon.wide_map<lanes = 4>
// CHECK: tenon.plan = #tenon.general
// CHECK: tenon.plan = #tenon.wide_map<lanes = 2, flat = true>
// CHECK: tenon.plan = #tenon.general
func.func @map(%call: !llvm.ptr, %x: memref<5x7xf32>, %y: memref<5x7xf32>, %row: memref<8xf32>, %z: memref<5x8xf32>, %odd: memref<7xf32>,
               %n: memref<5x7xi64>, %longer: memref<5x9xf32>) {
  tenon.fusion map ins(%x : memref<5x7xf32>) outs(%y : memref<5x7xf32>) attributes {tenon.on_device} {
  ^bb0(%t: tensor<5x7xf32>):
    %0 = tenon.negate %t : (tensor<5x7xf32>) -> tensor<5x7xf32>
    tenon.yield %0 : tensor<5x7xf32>
  }
  tenon.fusion map ins(%row : memref<8xf32>) outs(%z : memref<5x8xf32>) attributes {tenon.on_device} {
  ^bb0(%t: tensor<8xf32>):
    %0 = tenon.broadcast_in_dim %t dims [1] sizes [5, 8] : (tensor<8xf32>) -> tensor<5x8xf32>
    tenon.yield %0 : tensor<5x8xf32>
  }
  tenon.fusion map ins(%odd : memref<7xf32>) outs(%y : memref<5x7xf32>) attributes {tenon.on_device} {
  ^bb0(%t: tensor<7xf32>):
    %0 = tenon.broadcast_in_dim %t dims [1] sizes [5, 7] : (tensor<7xf32>) -> tensor<5x7xf32>
    tenon.yield %0 : tensor<5x7xf32>
  }
  tenon.fusion map ins(%n : memref<5x7xi64>) outs(%y : memref<5x7xf32>) attributes {tenon.on_device} {
  ^bb0(%t: tensor<5x7xi64>):
    %0 = tenon.convert %t to f32 : (tensor<5x7xi64>) -> tensor<5x7xf32>
    tenon.yield %0 : tensor<5x7xf32>
  }
  tenon.fusion map ins(%longer : memref<5x9xf32>) outs(%z : memref<5x8xf32>) attributes {tenon.on_device} {
  ^bb0(%t: tensor<5x9xf32>):
    %0 = tenon.slice %t offsets [0, 1] sizes [5, 8] strides [1, 1] : (tensor<5x9xf32>) -> tensor<5x8xf32>
    tenon.yield %0 : tensor<5x8xf32>
  }
  return
}

// -----

// Each element of an update is a thread's. Updates of places that may repeat
// have at most as many threads as the result has elements.
// CHECK-LABEL: func.func @update(
// CHECK: tenon.fusion scatter {{.*}} attributes {tenon.on_device, tenon.plan = #tenon.device_update<tasks = 32>}
// CHECK: tenon.fusion scatter {{.*}} attributes {tenon.on_device, tenon.plan = #tenon.device_update<tasks = 16384>}
// CHECK: tenon.fusion scatter {{.*}} attributes {tenon.on_device, tenon.plan = #tenon.device_update<tasks = 4>}
func.func @update(%call: !llvm.ptr, %x: memref<8x4xf32>, %u: memref<1x4xf32>, %at: index, %places: memref<90x1xi64>, %many: memref<90x4xf32>,
                  %open: memref<?x4xf32>) {
  tenon.fusion scatter ins(%x, %places, %many : memref<8x4xf32>, memref<90x1xi64>, memref<90x4xf32>) outs(%x : memref<8x4xf32>) attributes {tenon.on_device} {
  ^bb0(%old: tensor<8x4xf32>, %p: tensor<90x1xi64>, %new: tensor<90x4xf32>):
    %0 = tenon.scatter add %old, %p, %new window_dims [1] inserted [0] batching [] x [] map [0] vector_dim 1
       : (tensor<8x4xf32>, tensor<90x1xi64>, tensor<90x4xf32>) -> tensor<8x4xf32>
    tenon.yield %0 : tensor<8x4xf32>
  }
  tenon.fusion scatter ins(%open, %places, %many : memref<?x4xf32>, memref<90x1xi64>, memref<90x4xf32>) outs(%open : memref<?x4xf32>) attributes {tenon.on_device} {
  ^bb0(%old: tensor<?x4xf32>, %p: tensor<90x1xi64>, %new: tensor<90x4xf32>):
    %0 = tenon.scatter add %old, %p, %new window_dims [1] inserted [0] batching [] x [] map [0] vector_dim 1
       : (tensor<?x4xf32>, tensor<90x1xi64>, tensor<90x4xf32>) -> tensor<?x4xf32>
    tenon.yield %0 : tensor<?x4xf32>
  }
  tenon.fusion scatter ins(%x, %u, %at : memref<8x4xf32>, memref<1x4xf32>, index) outs(%x : memref<8x4xf32>) attributes {tenon.on_device} {
  ^bb0(%old: tensor<8x4xf32>, %new: tensor<1x4xf32>, %i: index):
    %0 = tenon.dynamic_update_slice %old, %new at [%i, 0] : (tensor<8x4xf32>, tensor<1x4xf32>, index) -> tensor<8x4xf32>
    tenon.yield %0 : tensor<8x4xf32>
  }
  return
}

// -----

// The host's kernels are planned for a CPU, by another pass.
// CHECK-LABEL: func.func @host(
// CHECK-NOT: tenon.plan
func.func @host(%call: !llvm.ptr, %x: memref<4xf32>, %y: memref<4xf32>) {
  tenon.fusion map ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.negate %t : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  }
  return
}

// -----

// A contraction of a tile or more is computed in tiles, one of few rows by
// blocks of its sums, and one with a short sum element by element.
// CHECK-LABEL: func.func @contraction(
// CHECK: tenon.plan = #tenon.block_tile<rows = 128, columns = 128, depth = 8>
// CHECK: tenon.plan = #tenon.few_rows<rows = 6, parts = 4>
// CHECK: tenon.plan = #tenon.general
func.func @contraction(%call: !llvm.ptr, %x: memref<256x64xf32>, %w: memref<64x200xf32>, %y: memref<256x200xf32>, %few: memref<12x64xf32>,
                       %z: memref<12x200xf32>, %short: memref<12x4xf32>, %v: memref<4x200xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<256x64xf32>, memref<64x200xf32>) outs(%y : memref<256x200xf32>) attributes {tenon.on_device} {
  ^bb0(%a: tensor<256x64xf32>, %b: tensor<64x200xf32>):
    %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<256x64xf32>, tensor<64x200xf32>) -> tensor<256x200xf32>
    tenon.yield %0 : tensor<256x200xf32>
  }
  tenon.fusion contraction ins(%few, %w : memref<12x64xf32>, memref<64x200xf32>) outs(%z : memref<12x200xf32>) attributes {tenon.on_device} {
  ^bb0(%a: tensor<12x64xf32>, %b: tensor<64x200xf32>):
    %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<12x64xf32>, tensor<64x200xf32>) -> tensor<12x200xf32>
    tenon.yield %0 : tensor<12x200xf32>
  }
  tenon.fusion contraction ins(%short, %v : memref<12x4xf32>, memref<4x200xf32>) outs(%z : memref<12x200xf32>) attributes {tenon.on_device} {
  ^bb0(%a: tensor<12x4xf32>, %b: tensor<4x200xf32>):
    %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<12x4xf32>, tensor<4x200xf32>) -> tensor<12x200xf32>
    tenon.yield %0 : tensor<12x200xf32>
  }
  return
}

// -----

// If the number of rows is known only at run time, the plan has both kernels.
// CHECK-LABEL: func.func @open(
// CHECK: tenon.plan = #tenon.block_tile<rows = 64, columns = 64, depth = 16, few_rows = <rows = 8, parts = 8>>
func.func @open(%call: !llvm.ptr, %x: memref<?x768xf32>, %w: memref<768x64xf32>, %y: memref<?x64xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<?x768xf32>, memref<768x64xf32>) outs(%y : memref<?x64xf32>) attributes {tenon.on_device} {
  ^bb0(%a: tensor<?x768xf32>, %b: tensor<768x64xf32>):
    %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<?x768xf32>, tensor<768x64xf32>) -> tensor<?x64xf32>
    tenon.yield %0 : tensor<?x64xf32>
  }
  return
}

// -----

// Rows of attention share keys in a block of threads. Deep rows have more sums,
// so a thread has fewer of them. Computed keys have the general plan.
// CHECK-LABEL: func.func @attention(
// CHECK: tenon.plan = #tenon.block_attention<rows = 64, thread_rows = 8>
// CHECK: tenon.plan = #tenon.block_attention<rows = 8, thread_rows = 1>
// CHECK: tenon.plan = #tenon.block_attention<rows = 32, thread_rows = 4>
// CHECK: tenon.plan = #tenon.general
func.func @attention(%call: !llvm.ptr, %q: memref<2x65x64xf32>, %one: memref<2x1x64xf32>, %k: memref<2x70x64xf32>, %deep: memref<2x70x128xf32>,
                     %y: memref<2x65x64xf32>, %z: memref<2x1x64xf32>, %d: memref<2x70x128xf32>) {
  tenon.fusion attention ins(%q, %k : memref<2x65x64xf32>, memref<2x70x64xf32>) outs(%y : memref<2x65x64xf32>) attributes {tenon.on_device} {
  ^bb0(%a: tensor<2x65x64xf32>, %b: tensor<2x70x64xf32>):
    %0 = tenon.attention %a, %b, %b order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.25e-01
       : (tensor<2x65x64xf32>, tensor<2x70x64xf32>, tensor<2x70x64xf32>) -> tensor<2x65x64xf32>
    tenon.yield %0 : tensor<2x65x64xf32>
  }
  tenon.fusion attention ins(%one, %k : memref<2x1x64xf32>, memref<2x70x64xf32>) outs(%z : memref<2x1x64xf32>) attributes {tenon.on_device} {
  ^bb0(%a: tensor<2x1x64xf32>, %b: tensor<2x70x64xf32>):
    %0 = tenon.attention %a, %b, %b order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.25e-01
       : (tensor<2x1x64xf32>, tensor<2x70x64xf32>, tensor<2x70x64xf32>) -> tensor<2x1x64xf32>
    tenon.yield %0 : tensor<2x1x64xf32>
  }
  tenon.fusion attention ins(%deep : memref<2x70x128xf32>) outs(%d : memref<2x70x128xf32>) attributes {tenon.on_device} {
  ^bb0(%a: tensor<2x70x128xf32>):
    %0 = tenon.attention %a, %a, %a order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.25e-01
       : (tensor<2x70x128xf32>, tensor<2x70x128xf32>, tensor<2x70x128xf32>) -> tensor<2x70x128xf32>
    tenon.yield %0 : tensor<2x70x128xf32>
  }
  tenon.fusion attention ins(%deep : memref<2x70x128xf32>) outs(%d : memref<2x70x128xf32>) attributes {tenon.on_device} {
  ^bb0(%a: tensor<2x70x128xf32>):
    %n = tenon.negate %a : (tensor<2x70x128xf32>) -> tensor<2x70x128xf32>
    %0 = tenon.attention %a, %n, %a order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.25e-01
       : (tensor<2x70x128xf32>, tensor<2x70x128xf32>, tensor<2x70x128xf32>) -> tensor<2x70x128xf32>
    tenon.yield %0 : tensor<2x70x128xf32>
  }
  return
}

// -----

// A block sorts a row, unless rows are short.
// CHECK-LABEL: func.func @sort(
// CHECK: tenon.plan = #tenon.block
// CHECK: tenon.plan = #tenon.general
func.func @sort(%call: !llvm.ptr, %x: memref<3x?xf32>, %y: memref<3x?xi64>, %a: memref<3x9xf32>, %b: memref<3x9xi64>) {
  tenon.fusion sort ins(%x : memref<3x?xf32>) outs(%x, %y : memref<3x?xf32>, memref<3x?xi64>) attributes {tenon.on_device} {
  ^bb0(%t: tensor<3x?xf32>):
    %0, %1 = tenon.sort %t dim 1 : (tensor<3x?xf32>) -> (tensor<3x?xf32>, tensor<3x?xi64>)
    tenon.yield %0, %1 : tensor<3x?xf32>, tensor<3x?xi64>
  }
  tenon.fusion sort ins(%a : memref<3x9xf32>) outs(%a, %b : memref<3x9xf32>, memref<3x9xi64>) attributes {tenon.on_device} {
  ^bb0(%t: tensor<3x9xf32>):
    %0, %1 = tenon.sort %t dim 1 : (tensor<3x9xf32>) -> (tensor<3x9xf32>, tensor<3x9xi64>)
    tenon.yield %0, %1 : tensor<3x9xf32>, tensor<3x9xi64>
  }
  return
}

// -----

// Prefixes of integers are combined in any order, those of floats one after
// another. Many rows are enough threads.
// CHECK-LABEL: func.func @scan(
// CHECK: tenon.plan = #tenon.block
// CHECK: tenon.plan = #tenon.general
// CHECK: tenon.plan = #tenon.general
func.func @scan(%call: !llvm.ptr, %x: memref<3x900xi32>, %y: memref<3x900xf32>, %z: memref<5000x900xi32>) {
  tenon.fusion scan ins(%x : memref<3x900xi32>) outs(%x : memref<3x900xi32>) attributes {tenon.on_device} {
  ^bb0(%t: tensor<3x900xi32>):
    %0 = tenon.cumulative add %t over 1 : tensor<3x900xi32>
    tenon.yield %0 : tensor<3x900xi32>
  }
  tenon.fusion scan ins(%y : memref<3x900xf32>) outs(%y : memref<3x900xf32>) attributes {tenon.on_device} {
  ^bb0(%t: tensor<3x900xf32>):
    %0 = tenon.cumulative add %t over 1 : tensor<3x900xf32>
    tenon.yield %0 : tensor<3x900xf32>
  }
  tenon.fusion scan ins(%z : memref<5000x900xi32>) outs(%z : memref<5000x900xi32>) attributes {tenon.on_device} {
  ^bb0(%t: tensor<5000x900xi32>):
    %0 = tenon.cumulative add %t over 1 : tensor<5000x900xi32>
    tenon.yield %0 : tensor<5000x900xi32>
  }
  return
}

// -----

// Threads of a warp share a row. Narrow rows have fewer lanes, so fewer threads.
// What several reductions or a result read stays in registers if it fits; a sum
// alone reads its row once. Columns that a reshape takes from anywhere have the
// general plan.
// CHECK-LABEL: func.func @rows(
// CHECK: tenon.plan = #tenon.warp_rows<threads = 16, held = true>
// CHECK: tenon.plan = #tenon.warp_rows<threads = 16>
// CHECK: tenon.plan = #tenon.warp_rows<threads = 16>
// CHECK: tenon.plan = #tenon.warp_rows<threads = 4, held = true>
// CHECK: tenon.plan = #tenon.general
func.func @rows(%call: !llvm.ptr, %x: memref<8x1024xf32>, %y: memref<8x1024xf32>, %sums: memref<8xf32>, %open: memref<8x?xf32>,
                %few: memref<8x10xf32>, %columns: memref<10x8xf32>) {
  tenon.fusion rows ins(%x : memref<8x1024xf32>) outs(%y : memref<8x1024xf32>) attributes {tenon.on_device} {
  ^bb0(%a: tensor<8x1024xf32>):
    %0 = tenon.reduce maximum %a over [1] : (tensor<8x1024xf32>) -> tensor<8xf32>
    %1 = tenon.broadcast_in_dim %0 dims [0] sizes [8, 1024] : (tensor<8xf32>) -> tensor<8x1024xf32>
    %2 = tenon.subtract %a, %1 : (tensor<8x1024xf32>, tensor<8x1024xf32>) -> tensor<8x1024xf32>
    tenon.yield %2 : tensor<8x1024xf32>
  }
  tenon.fusion rows ins(%x : memref<8x1024xf32>) outs(%sums : memref<8xf32>) attributes {tenon.on_device} {
  ^bb0(%a: tensor<8x1024xf32>):
    %0 = tenon.reduce add %a over [1] : (tensor<8x1024xf32>) -> tensor<8xf32>
    tenon.yield %0 : tensor<8xf32>
  }
  tenon.fusion rows ins(%open : memref<8x?xf32>) outs(%open : memref<8x?xf32>) attributes {tenon.on_device} {
  ^bb0(%a: tensor<8x?xf32>):
    %0 = tenon.reduce add %a over [1] : (tensor<8x?xf32>) -> tensor<8xf32>
    %1 = tenon.negate %a : (tensor<8x?xf32>) -> tensor<8x?xf32>
    tenon.yield %1 : tensor<8x?xf32>
  }
  tenon.fusion rows ins(%few : memref<8x10xf32>) outs(%few : memref<8x10xf32>) attributes {tenon.on_device} {
  ^bb0(%a: tensor<8x10xf32>):
    %0 = tenon.reduce maximum %a over [1] : (tensor<8x10xf32>) -> tensor<8xf32>
    %1 = tenon.broadcast_in_dim %0 dims [0] sizes [8, 10] : (tensor<8xf32>) -> tensor<8x10xf32>
    %2 = tenon.subtract %a, %1 : (tensor<8x10xf32>, tensor<8x10xf32>) -> tensor<8x10xf32>
    tenon.yield %2 : tensor<8x10xf32>
  }
  tenon.fusion rows ins(%columns : memref<10x8xf32>) outs(%sums : memref<8xf32>) attributes {tenon.on_device} {
  ^bb0(%a: tensor<10x8xf32>):
    %0 = tenon.reshape %a sizes [8, 10] : (tensor<10x8xf32>) -> tensor<8x10xf32>
    %1 = tenon.reduce add %0 over [1] : (tensor<8x10xf32>) -> tensor<8xf32>
    tenon.yield %1 : tensor<8xf32>
  }
  return
}
