// RUN: tenon-opt %s --tenon-make-entries --split-input-file --verify-diagnostics

// expected-error@+1 {{expected a plan named 'planless.plan' of type '(!llvm.ptr, memref<4xf32>, memref<?xi64>) -> index'}}
func.func @planless(%call: !llvm.ptr, %x: memref<4xf32>, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 1, tenon.num_outputs = 0} {
  return
}

// -----

func.func private @other.plan(%call: !llvm.ptr)
// expected-error@+1 {{expected a plan named 'other.plan' of type '(!llvm.ptr, memref<?xi64>) -> index'}}
func.func @other(%call: !llvm.ptr, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 0, tenon.num_outputs = 0} {
  return
}

// -----

// expected-error@+1 {{expected memrefs as inputs of a function that gets entries}}
func.func @number(%call: !llvm.ptr, %n: i1, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 1, tenon.num_outputs = 0} {
  return
}
