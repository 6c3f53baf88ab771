// RUN: tenon-opt %s --split-input-file --verify-roundtrip | FileCheck %s

// The attributes of an imported model: facts from its file, and sizes that the
// user requests for named extents.
// CHECK: module attributes {tenon.pad = {seq = 8 : i64}, tenon.producer = "p", tenon.ranges = {batch = array<i64: 8, 32, 8>}, tenon.source = "m.onnx", tenon.specialize = [{batch = 8 : i64}]}
// CHECK: func.func @named(%{{.*}}: tensor<?x4xf32> {tenon.dims = ["batch", 4], tenon.name = "x"}, %{{.*}}: tensor<?xf32> {tenon.dims = [""]}) -> (tensor<?x4xf32> {tenon.name = "y"})
// CHECK: tenon.negate %{{.*}} {tenon.group = 3 : i64}
module attributes {tenon.producer = "p", tenon.source = "m.onnx", tenon.ranges = {batch = array<i64: 8, 32, 8>}, tenon.pad = {seq = 8}, tenon.specialize = [{batch = 8}]} {
  func.func @named(%x: tensor<?x4xf32> {tenon.name = "x", tenon.dims = ["batch", 4]}, %unnamed: tensor<?xf32> {tenon.dims = [""]}) -> (tensor<?x4xf32> {tenon.name = "y"}) {
    %0 = tenon.negate %x {tenon.group = 3} : (tensor<?x4xf32>) -> tensor<?x4xf32>
    return %0 : tensor<?x4xf32>
  }
}

// -----

// Inputs that a call may leave out, and bounds of elements.
// CHECK: func.func @optional(%{{.*}}: tensor<f32> {tenon.default_value = dense<5.000000e-01> : tensor<f32>, tenon.input_range = array<f32: 0.000000e+00, 1.000000e+00>},
// CHECK-SAME: tensor<?xi64> {tenon.default_value = dense<> : tensor<0xi64>, tenon.dims = ["eos"], tenon.input_range = array<i64: -1, 9223372036854775807>},
// CHECK-SAME: memref<?xi1> {tenon.default_value = dense<[true, false]> : tensor<2xi1>},
// CHECK-SAME: tensor<4xf64> {tenon.input_range = array<f64: 0xFFF0000000000000, 1.000000e+00>})
func.func @optional(%scalar: tensor<f32> {tenon.default_value = dense<0.5> : tensor<f32>, tenon.input_range = array<f32: 0.0, 1.0>},
                    %list: tensor<?xi64> {tenon.dims = ["eos"], tenon.default_value = dense<> : tensor<0xi64>, tenon.input_range = array<i64: -1, 9223372036854775807>},
                    %placed: memref<?xi1> {tenon.default_value = dense<[true, false]> : tensor<2xi1>},
                    %bounded: tensor<4xf64> {tenon.input_range = array<f64: 0xFFF0000000000000, 1.0>}) {
  return
}

// -----

// A name may stand for an extent that a variant has fixed.
// CHECK: func.func @fixed(%{{.*}}: tensor<8x4xf32> {tenon.dims = ["batch", 4]})
// CHECK-SAME: tenon.variant = #tenon.variant<1 of @open sizes {batch = 8 : i64}>
func.func @open(%x: tensor<?x4xf32> {tenon.dims = ["batch", 4]}) {
  return
}
func.func @fixed(%x: tensor<8x4xf32> {tenon.dims = ["batch", 4]}) attributes {tenon.variant = #tenon.variant<1 of @open sizes {batch = 8}>} {
  return
}

// -----

// A placed function says what its arguments are, and how much memory it needs.
// CHECK: module attributes {tenon.state_bytes = 64 : i64, tenon.weight_bytes = 128 : i64}
// CHECK: func.func @placed(
// CHECK-SAME: memref<?xf32> {tenon.bounded, tenon.output}
// CHECK-SAME: attributes {tenon.arena_bytes = 64 : i64, tenon.num_inputs = 1 : i64, tenon.num_outputs = 1 : i64, tenon.uses_state}
module attributes {tenon.weight_bytes = 128, tenon.state_bytes = 64} {
  func.func @placed(%call: !llvm.ptr, %x: memref<?xf32>, %y: memref<?xf32> {tenon.output, tenon.bounded}, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>, %extents: memref<?xi64>)
      attributes {tenon.num_inputs = 1, tenon.num_outputs = 1, tenon.arena_bytes = 64, tenon.uses_state} {
    return
  }
}

// -----

// The tables of a module whose launches are numbered.
// CHECK: #[[NODE:.*]] = loc("node")
// CHECK: module attributes {tenon.launches = {{\[\[}}@kernel, #[[NODE]]]], tenon.sites = ["node \22g\22 (Gather)"]}
// CHECK: tenon.launch @kernel {{.*}} {tenon.launch_number = 0 : i64}
module attributes {tenon.launches = [[@kernel, loc("node")]], tenon.sites = ["node \22g\22 (Gather)"]} {
  func.func private @kernel(!llvm.ptr, memref<4xf32>, index, index)
  func.func @launches(%call: !llvm.ptr, %x: memref<4xf32>, %n: index) {
    tenon.launch @kernel tasks %n flops %n bytes %n (%x) {tenon.launch_number = 0} : memref<4xf32>
    return
  }
}
