// RUN: tenon-opt %s --tenon-form-fusions --split-input-file --verify-diagnostics

// The ops of a group become one fusion, whose last op needs all others.
func.func @unneeded(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error@+1 {{expected the last op of a group to need all its others, in one block}}
  %0 = tenon.negate %x {tenon.group = 0} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note@+1 {{the last op is here}}
  %1 = tenon.abs %x {tenon.group = 0} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @two_blocks(%x: tensor<4xf32>, %p: i1) -> tensor<4xf32> {
  // expected-error@+1 {{expected the last op of a group to need all its others, in one block}}
  %0 = tenon.negate %x {tenon.group = 0} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = scf.if %p -> tensor<4xf32> {
    // expected-note@+1 {{the last op is here}}
    %2 = tenon.abs %0 {tenon.group = 0} : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}
