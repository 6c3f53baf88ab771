// RUN: tenon-opt %s --split-input-file --verify-diagnostics

// A name that is not declared, wherever it stands.
// expected-error@+1 {{'builtin.module' op has an unknown attribute 'tenon.unknown' on the op}}
module attributes {tenon.unknown = 1} {
}

// -----

// expected-error@+1 {{'func.func' op has an unknown attribute 'tenon.unknown' on argument 0}}
func.func @unknown_of_argument(%x: tensor<4xf32> {tenon.unknown}) {
  return
}

// -----

// expected-error@+1 {{'func.func' op has an unknown attribute 'tenon.unknown' on result 0}}
func.func private @unknown_of_result() -> (tensor<4xf32> {tenon.unknown})

// -----

// A place where the attribute says nothing.
// expected-error@+1 {{'builtin.module' op expected 'tenon.dims' on an argument of a function, got it on the op}}
module attributes {tenon.dims = [4]} {
}

// -----

// expected-error@+1 {{'func.func' op expected 'tenon.ranges' on a module, got it on the op}}
func.func private @ranges_of_function() attributes {tenon.ranges = {}}

// -----

// expected-error@+1 {{'func.func' op expected 'tenon.dims' on an argument of a function, got it on result 0}}
func.func private @dims_of_result() -> (tensor<4xf32> {tenon.dims = [4]})

// -----

// expected-error@+1 {{'func.func' op expected 'tenon.num_inputs' on a function, got it on argument 0}}
func.func private @num_inputs_of_argument(tensor<4xf32> {tenon.num_inputs = 1})

// -----

func.func @launch_number_of_return() {
  // expected-error@+1 {{'func.return' op expected 'tenon.launch_number' on a tenon.launch, got it on the op}}
  return {tenon.launch_number = 0}
}

// -----

// Another kind of attribute.
// expected-error@+1 {{'func.func' op expected 'tenon.name' on argument 0 to be a string, got 4}}
func.func private @name_kind(tensor<4xf32> {tenon.name = 4})

// -----

// expected-error@+1 {{'func.func' op expected 'tenon.dims' on argument 0 to be an array of names and i64 numbers, none negative, got [4.000000e+00]}}
func.func private @dims_kind(tensor<4xf32> {tenon.dims = [4.0]})

// -----

// expected-error@+1 {{'func.func' op expected 'tenon.dims' on argument 0 to be an array of names and i64 numbers, none negative, got [-1]}}
func.func private @dims_negative(tensor<?xf32> {tenon.dims = [-1]})

// -----

// expected-error@+1 {{'builtin.module' op expected 'tenon.ranges' on the op to be a dictionary of array<i64: least, most, multiple> with 0 <= least <= most and 1 <= multiple, got {n = array<i64: 1, 8>}}}
module attributes {tenon.ranges = {n = array<i64: 1, 8>}} {
}

// -----

// expected-error@+1 {{'builtin.module' op expected 'tenon.pad' on the op to be a dictionary of i64 numbers, none negative, got {seq = "8"}}}
module attributes {tenon.pad = {seq = "8"}} {
}

// -----

// expected-error@+1 {{'builtin.module' op expected 'tenon.specialize' on the op to be an array of dictionaries of i64 numbers, none negative, got [{n = -1 : i64}]}}
module attributes {tenon.specialize = [{n = -1}]} {
}

// -----

// expected-error@+1 {{'func.func' op expected 'tenon.variant' on the op to be a #tenon.variant, got 1}}
func.func private @variant_kind() attributes {tenon.variant = 1}

// -----

// expected-error@+1 {{'func.func' op expected 'tenon.arena_bytes' on the op to be an i64 that is not negative, got -64}}
func.func private @arena_bytes_negative() attributes {tenon.arena_bytes = -64}

// -----

// expected-error@+1 {{'func.func' op expected 'tenon.uses_state' on the op to be a unit attribute, got true}}
func.func private @uses_state_kind() attributes {tenon.uses_state = true}

// -----

// expected-error@+1 {{'builtin.module' op expected 'tenon.launches' on the op to be an array of [@kernel, location], got [@kernel]}}
module attributes {tenon.launches = [@kernel]} {
}

// -----

// expected-error@+1 {{'builtin.module' op expected 'tenon.sites' on the op to be an array of strings, got [1]}}
module attributes {tenon.sites = [1]} {
}

// -----

// expected-error@+1 {{'builtin.module' op expected 'tenon.ranges' on the op to be a dictionary of array<i64: least, most, multiple> with 0 <= least <= most and 1 <= multiple, got {n = array<i64: 8, 4, 1>}}}
module attributes {tenon.ranges = {n = array<i64: 8, 4, 1>}} {
}

// -----

// expected-error@+1 {{expected a positive number of 32 bits and a size, got number 0 and 1 sizes}}
func.func private @variant_number() attributes {tenon.variant = #tenon.variant<0 of @f sizes {n = 1}>}

// -----

// expected-error@+1 {{'func.func' op expected 'tenon.dims' of argument 0 to have an entry for each extent of 'tensor<?x4xf32>' (C1), got ["n"]}}
func.func private @dims_c1(tensor<?x4xf32> {tenon.dims = ["n"]})

// -----

// expected-error@+1 {{'func.func' op expected 'tenon.dims' of argument 0 to have an entry for each extent of 'index' (C1), got []}}
func.func private @dims_c1_of_index(index {tenon.dims = []})

// -----

// expected-error@+1 {{'func.func' op expected 'tenon.dims' of argument 0 to have the numbers of 'tensor<?x4xf32>' (C2), got [8, 4]}}
func.func private @dims_c2(tensor<?x4xf32> {tenon.dims = [8, 4]})

// -----

// expected-error@+1 {{'builtin.module' op expected positive multiples in 'tenon.pad' (C1), got 0 of "seq"}}
module @pad_c1 attributes {tenon.pad = {seq = 0}} {
}

// -----

// expected-error@+1 {{'func.func' op expected a variant of another function (C1), got @missing}}
func.func private @variant_c1() attributes {tenon.variant = #tenon.variant<1 of @missing sizes {n = 1}>}

// -----

// expected-error@+1 {{'func.func' op expected a variant of another function (C1), got @itself}}
func.func private @itself() attributes {tenon.variant = #tenon.variant<1 of @itself sizes {n = 1}>}

// -----

func.func private @general(tensor<?xf32> {tenon.dims = ["n"]})
// expected-error@+1 {{'func.func' op expected an extent named "m" in an input of @general (C2)}}
func.func private @variant_c2() attributes {tenon.variant = #tenon.variant<1 of @general sizes {m = 1}>}

// -----

func.func @group_c1() {
  // expected-error@+1 {{'func.return' op expected tensors as results where 'tenon.group' is (C1)}}
  return {tenon.group = 0}
}

// -----

// expected-error@+1 {{'func.func' op expected both 'tenon.num_inputs' and 'tenon.num_outputs' (C1)}}
func.func private @num_inputs_c1() attributes {tenon.num_inputs = 0}

// -----

// expected-error@+1 {{'func.func' op expected the call, 2 inputs, 0 outputs, arena, weights, state and extents as arguments (C2), got 6 arguments}}
func.func private @num_inputs_c2(!llvm.ptr, memref<4xf32>, memref<?xi8>, memref<?xi8>, memref<?xi8>, memref<?xi64>) attributes {tenon.num_inputs = 2, tenon.num_outputs = 0}

// -----

// expected-error@+1 {{'func.func' op expected a pointer, memrefs, three memref<?xi8> and a memref<?xi64> as arguments (C3), got '!llvm.ptr', 'tensor<4xf32>', }}
func.func private @num_inputs_c3(!llvm.ptr, tensor<4xf32>, memref<?xi8>, memref<?xi8>, memref<?xi8>, memref<?xi64>) attributes {tenon.num_inputs = 1, tenon.num_outputs = 0}

// -----

// expected-error@+1 {{'func.func' op expected an output in memory (C1), got 'tenon.output' on argument 0 of type 'tensor<4xf32>'}}
func.func private @output_c1(tensor<4xf32> {tenon.output})

// -----

// expected-error@+1 {{'func.func' op expected 'tenon.output' where 'tenon.bounded' is (C1), got argument 0 without it}}
func.func private @bounded_c1(memref<4xf32> {tenon.bounded})

// -----

// expected-error@+1 {{'func.func' op expected 'tenon.default_value' of argument 0 to fit 'tensor<?xf32>' (C1), got 'tensor<f32>'}}
func.func private @default_value_c1(tensor<?xf32> {tenon.default_value = dense<1.0> : tensor<f32>})

// -----

// expected-error@+1 {{'func.func' op expected 'tenon.default_value' of argument 0 to fit 'tensor<4xf32>' (C1), got 'tensor<3xf32>'}}
func.func private @default_value_c1_extent(tensor<4xf32> {tenon.default_value = dense<1.0> : tensor<3xf32>})

// -----

// expected-error@+1 {{'func.func' op expected 'tenon.default_value' of argument 0 to fit 'tensor<i64>' (C1), got 'tensor<i32>'}}
func.func private @default_value_c1_element(tensor<i64> {tenon.default_value = dense<1> : tensor<i32>})

// -----

// expected-error@+1 {{'func.func' op expected 'tenon.default_value' of argument 0 to be inside 'tenon.input_range' (C2), got dense<[1, 65]> : tensor<2xi64>}}
func.func private @default_value_c2(tensor<2xi64> {tenon.default_value = dense<[1, 65]> : tensor<2xi64>, tenon.input_range = array<i64: 1, 64>})

// -----

// NaN is in no range.
// expected-error@+1 {{'func.func' op expected 'tenon.default_value' of argument 0 to be inside 'tenon.input_range' (C2), got dense<0x7FC00000> : tensor<f32>}}
func.func private @default_value_c2_nan(tensor<f32> {tenon.default_value = dense<0x7FC00000> : tensor<f32>, tenon.input_range = array<f32: 0.0, 1.0>})

// -----

// expected-error@+1 {{'func.func' op expected 'tenon.default_value' of argument 0 to have at most 1048576 bytes (C3), got 1048580}}
func.func private @default_value_c3(tensor<262145xf32> {tenon.default_value = dense<1.0> : tensor<262145xf32>})

// -----

// expected-error@+1 {{'func.func' op expected 'tenon.default_value' on argument 0 to be a tensor of elements, got 1}}
func.func private @default_value_kind(tensor<f32> {tenon.default_value = 1 : i64})

// -----

// expected-error@+1 {{'func.func' op expected 'tenon.input_range' of argument 0 to have the elements of 'tensor<i32>' (C1), got array<i64: 1, 64>}}
func.func private @input_range_c1(tensor<i32> {tenon.input_range = array<i64: 1, 64>})

// -----

// expected-error@+1 {{'func.func' op expected 'tenon.input_range' on argument 0 to be an array of two i64, f32 or f64 numbers, the least first (C2), got array<i64: 2, 1>}}
func.func private @input_range_c2(tensor<i64> {tenon.input_range = array<i64: 2, 1>})

// -----

// expected-error@+1 {{'func.func' op expected 'tenon.input_range' on a}}
func.func private @input_range_of_result() -> (tensor<i64> {tenon.input_range = array<i64: 1, 2>})
