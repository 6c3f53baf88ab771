func.func @main(%q: tensor<2x3x70x16xf32> {tenon.name = "q"}, %k: tensor<2x3x90x16xf32> {tenon.name = "k"}, %v: tensor<2x3x90x16xf32> {tenon.name = "v"})
    -> (tensor<2x3x70x16xf32> {tenon.name = "y"}) {
  %0 = tenon.attention %q, %k, %v order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 0.25 : (tensor<2x3x70x16xf32>, tensor<2x3x90x16xf32>, tensor<2x3x90x16xf32>) -> tensor<2x3x70x16xf32>
  return %0 : tensor<2x3x70x16xf32>
}
