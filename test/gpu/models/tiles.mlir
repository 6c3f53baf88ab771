// A product in tiles of shared memory, with remainders and an epilogue.
func.func @main(%x: tensor<70x40xf32> {tenon.name = "x"}, %w: tensor<40x90xf32> {tenon.name = "w"}, %b: tensor<90xf32> {tenon.name = "b"})
    -> (tensor<70x90xf32> {tenon.name = "y"}) {
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<70x40xf32>, tensor<40x90xf32>) -> tensor<70x90xf32>
  %1 = tenon.broadcast_in_dim %b dims [1] sizes [70, 90] : (tensor<90xf32>) -> tensor<70x90xf32>
  %2 = tenon.add %0, %1 : (tensor<70x90xf32>, tensor<70x90xf32>) -> tensor<70x90xf32>
  %zero = tenon.constant dense<0.0> : tensor<70x90xf32>
  %3 = tenon.maximum %2, %zero : (tensor<70x90xf32>, tensor<70x90xf32>) -> tensor<70x90xf32>
  return %3 : tensor<70x90xf32>
}
