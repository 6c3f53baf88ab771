// RUN: tenon-opt %s --tenon-specialize-variants --split-input-file --verify-diagnostics

// These sizes would violate a check.
module attributes {tenon.specialize = [{n = 9}]} {
  func.func @check(%x: tensor<?xf32> {tenon.dims = ["n"]}) -> tensor<?xf32> {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    // expected-error @below {{unsupported: the model does not take the sizes n=9: here: extent 0: got 9, expected 0 to 8}}
    tenon.check_size %n in [%c0, %c8] "here: extent 0"
    return %x : tensor<?xf32>
  }
}

// -----

// Impossible extents.
module attributes {tenon.specialize = [{n = 5}]} {
  func.func @slice(%x: tensor<?xf32> {tenon.dims = ["n"]}, %table: tensor<4xf32>) -> tensor<?xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    // expected-error @below {{unsupported: the model does not take the sizes n=5: 'tenon.slice' op expected a box within extent 4 (C2), got elements 0 to 4}}
    %0 = tenon.slice %table offsets [0] sizes [%n] strides [1] : (tensor<4xf32>, index) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
}
