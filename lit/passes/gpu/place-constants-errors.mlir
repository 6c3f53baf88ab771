// RUN: tenon-opt %s --tenon-place-constants --verify-diagnostics

memref.global "private" constant @table : memref<4xf32> = dense<1.0>
// expected-error@+1 {{expected a plan of the function}}
func.func @no_plan(%call: !llvm.ptr, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>, %extents: memref<?xi64>)
    attributes {tenon.num_inputs = 0, tenon.num_outputs = 0} {
  %0 = memref.get_global @table : memref<4xf32>
  return
}
