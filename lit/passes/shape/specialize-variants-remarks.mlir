// Remarks name the variants of each function and those it does not have.
// RUN: tenon-opt %s --tenon-specialize-variants --remarks-filter=variants 2>&1 >/dev/null | FileCheck %s --implicit-check-not=remark:

// CHECK: remark: loc("f"): [Passed] variant | Category:variants | Function=f | Remark="function 'f' has variant 1 for batch=8"
// CHECK: remark: loc("g"): [Missed] no-variant | Category:variants | Function=g | Reason="no open extent of its inputs is named 'batch'", Remark="function 'g' has no variant for batch=8"
module attributes {tenon.specialize = [{batch = 8}]} {
  func.func @f(%x: tensor<?x4xf32> {tenon.dims = ["batch", 4]}) -> tensor<?x4xf32> {
    %0 = tenon.exponential %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
    return %0 : tensor<?x4xf32>
  } loc("f")
  func.func @g(%x: tensor<?x4xf32> {tenon.dims = ["seq", 4]}) -> tensor<?x4xf32> {
    %0 = tenon.exponential %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
    return %0 : tensor<?x4xf32>
  } loc("g")
}
