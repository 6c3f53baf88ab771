// RUN: tenon-opt %s --tenon-dispatch-variants --split-input-file --verify-diagnostics

// A variant chooses among placed functions, each with its plan.
// expected-error@+1 {{expected a function with variants, and each variant, to have 'tenon.num_inputs' and a plan named 'general.plan'}}
func.func @general(%x: tensor<?xf32> {tenon.dims = ["n"]}) {
  return
}
func.func @general.variant1(%x: tensor<4xf32>) attributes {tenon.variant = #tenon.variant<1 of @general sizes {n = 4}>} {
  return
}

// -----

// expected-error@+1 {{expected a function with variants, and each variant, to have 'tenon.num_inputs' and a plan named 'planless.plan'}}
func.func @planless(%call: !llvm.ptr, %x: memref<?xf32> {tenon.dims = ["n"]}, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 1, tenon.num_outputs = 0} {
  return
}
func.func @planless.variant1() attributes {tenon.variant = #tenon.variant<1 of @planless sizes {n = 4}>} {
  return
}

// -----

// A list of dims that is too short was read past its end.
// expected-error@+1 {{'func.func' op expected 'tenon.dims' of argument 1 to have an entry for each extent of 'memref<?x?xf32>' (C1), got ["n"]}}
func.func @short(%call: !llvm.ptr, %x: memref<?x?xf32> {tenon.dims = ["n"]}, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 1, tenon.num_outputs = 0} {
  return
}
func.func @short.variant1() attributes {tenon.variant = #tenon.variant<1 of @short sizes {n = 4}>} {
  return
}
