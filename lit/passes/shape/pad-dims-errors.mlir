// RUN: tenon-opt %s --tenon-pad-dims --split-input-file --verify-diagnostics

module attributes {tenon.pad = {seq = 8}} {
  func.func @prefixes(%x: tensor<?xf32> {tenon.dims = ["seq"]}) -> tensor<?xf32> {
    // expected-error @below {{unsupported: tenon.cumulative along the padded dimension 'seq': there is no mask for it}}
    %0 = tenon.cumulative add %x over 0 : tensor<?xf32>
    return %0 : tensor<?xf32>
  }
}

// -----

module attributes {tenon.pad = {seq = 8}} {
  func.func @statistics(%x: tensor<?xf32> {tenon.dims = ["seq"]}, %s: tensor<?xf32> {tenon.dims = ["seq"]}) -> tensor<?xf32> {
    // expected-error @below {{tenon.layer_norm along the padded dimension 'seq': its statistics would count the padding}}
    %0 = tenon.layer_norm %x, %s, %s axis 0 epsilon 1.0e-5 : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
}

// -----

module attributes {tenon.pad = {seq = 8}} {
  func.func @flattened(%x: tensor<2x?xf32> {tenon.dims = [2, "seq"]}) -> tensor<?xf32> {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %n = tensor.dim %x, %c1 : tensor<2x?xf32>
    %all = arith.muli %n, %c2 : index
    // expected-error @below {{tenon.reshape along the padded dimension 'seq': an extent is computed from its size}}
    %0 = tenon.reshape %x sizes [%all] : (tensor<2x?xf32>, index) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
}

// -----

module attributes {tenon.pad = {seq = 8}} {
  func.func @greatest(%x: tensor<?xi32> {tenon.dims = ["seq"]}) -> tensor<i32> {
    // expected-error @below {{tenon.reduce along the padded dimension 'seq': there is no mask for it}}
    %0 = tenon.reduce maximum %x over [0] : (tensor<?xi32>) -> tensor<i32>
    return %0 : tensor<i32>
  }
}

// -----

module attributes {tenon.pad = {seq = 8}} {
  func.func @joined(%x: tensor<?xf32> {tenon.dims = ["seq"]}) -> tensor<?xf32> {
    // expected-error @below {{tenon.concatenate along the padded dimension 'seq': padding would stand between its operands}}
    %0 = tenon.concatenate %x, %x dim 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
}

// -----

// The size is used as a value, whose users cannot exclude the padding.
module attributes {tenon.pad = {seq = 8}} {
  func.func @mean(%x: tensor<?xf32> {tenon.dims = ["seq"]}) -> tensor<f32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %i = arith.index_cast %n : index to i64
    %f = arith.sitofp %i : i64 to f32
    // expected-error @below {{tensor.from_elements along the padded dimension 'seq': there is no mask for it}}
    %count = tensor.from_elements %f : tensor<f32>
    %s = tenon.reduce add %x over [0] : (tensor<?xf32>) -> tensor<f32>
    %0 = tenon.divide %s, %count : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}

// -----

// A tensor of another run-time size is not combined with the padded extent.
module attributes {tenon.pad = {seq = 8}} {
  func.func @written_down(%x: tensor<?xf32> {tenon.dims = ["seq"]}) -> tensor<3xf32> {
    // expected-error @below {{tenon.broadcast_in_dim along the padded dimension 'seq': it meets a size of its own}}
    %0 = tenon.broadcast_in_dim %x dims [0] sizes [3] : (tensor<?xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}

// -----

module attributes {tenon.pad = {seq = 8}} {
  func.func @table(%x: tensor<?xf32> {tenon.dims = ["seq"]}, %t: tensor<3xf32>) -> tensor<?xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    // expected-error @below {{tenon.broadcast_in_dim along the padded dimension 'seq': it meets a size of its own}}
    %0 = tenon.broadcast_in_dim %t dims [0] sizes [%n] : (tensor<3xf32>, index) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
}

// -----

module attributes {tenon.pad = {seq = 8}} {
  func.func @other_operand(%x: tensor<?xf32> {tenon.dims = ["seq"]}, %t: tensor<3xf32>) -> tensor<3xf32> {
    // expected-error @below {{tenon.add along the padded dimension 'seq': an operand has a size of its own}}
    %0 = tenon.add %x, %t : (tensor<?xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}

// -----

module attributes {tenon.pad = {seq = 8}} {
  func.func @other_batch(%x: tensor<?x2x2xf32> {tenon.dims = ["seq", 2, 2]}, %t: tensor<3x2x2xf32>) -> tensor<3x2x2xf32> {
    // expected-error @below {{tenon.dot_general along the padded dimension 'seq': its operands are not padded alike}}
    %0 = tenon.dot_general %x, %t batch [0] x [0] contract [2] x [1] : (tensor<?x2x2xf32>, tensor<3x2x2xf32>) -> tensor<3x2x2xf32>
    return %0 : tensor<3x2x2xf32>
  }
}

// -----

module attributes {tenon.pad = {seq = 8}} {
  func.func @cast(%x: tensor<?xf32> {tenon.dims = ["seq"]}) -> tensor<3xf32> {
    // expected-error @below {{tensor.cast along the padded dimension 'seq': it has a size of its own}}
    %0 = tensor.cast %x : tensor<?xf32> to tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}

// -----

module attributes {tenon.pad = {seq = 8}} {
  func.func @compared(%x: tensor<?xf32> {tenon.dims = ["seq"]}, %y: tensor<?xf32> {tenon.dims = ["other"]}) -> tensor<?xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %m = tensor.dim %y, %c0 : tensor<?xf32>
    // expected-error @below {{tenon.check_size along the padded dimension 'seq': it is compared with a size of its own}}
    tenon.check_size %m in [%n, %n] "node \22a\22 (Add)"
    return %x : tensor<?xf32>
  }
}

// -----

// Three more rows are before the padded extent than the reshape keeps.
module attributes {tenon.pad = {seq = 8}} {
  func.func @longer(%x: tensor<?xf32> {tenon.dims = ["seq"]}, %t: tensor<?xf32> {tenon.dims = ["n"]}, %k: index) -> tensor<?x?x?xf32> {
    %c0 = arith.constant 0 : index
    %s = tensor.dim %x, %c0 : tensor<?xf32>
    %n = tensor.dim %t, %c0 : tensor<?xf32>
    %zero = tenon.constant dense<0.0> : tensor<f32>
    %longer = tenon.pad %t, %zero low [3] high [0] interior [0] : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
    %m = tensor.dim %longer, %c0 : tensor<?xf32>
    %0 = tenon.broadcast_in_dim %x dims [1] sizes [%m, %s] : (tensor<?xf32>, index, index) -> tensor<?x?xf32>
    // expected-error @below {{tenon.reshape along the padded dimension 'seq': it does not keep the extent}}
    %1 = tenon.reshape %0 sizes [%n, %s, %k] : (tensor<?x?xf32>, index, index, index) -> tensor<?x?x?xf32>
    return %1 : tensor<?x?x?xf32>
  }
}
