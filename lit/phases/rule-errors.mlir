// A pipeline fails if the rule of a phase does not hold after it.
// RUN: tenon-opt %s --tenon-from-placed-to-tiled --verify-diagnostics

func.func @tensors(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{still there after phase planned: tenon.negate}}
  %0 = tenon.negate %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
