// A step of decoding: attention joins earlier keys and values with new ones and
// returns both. Keys of a step are known only at run time.
func.func @main(%q: tensor<2x3x1x16xf32> {tenon.name = "q"}, %old: tensor<2x3x?x16xf32> {tenon.name = "old", tenon.dims = [2, 3, "past", 16]},
                %k: tensor<2x3x1x16xf32> {tenon.name = "k"}, %before: tensor<2x3x?x16xf32> {tenon.name = "before", tenon.dims = [2, 3, "past", 16]},
                %v: tensor<2x3x1x16xf32> {tenon.name = "v"})
    -> (tensor<2x3x1x16xf32> {tenon.name = "y"}, tensor<2x3x?x16xf32> {tenon.name = "keys"}, tensor<2x3x?x16xf32> {tenon.name = "values"}) {
  %keys = tenon.concatenate %old, %k dim 2 : (tensor<2x3x?x16xf32>, tensor<2x3x1x16xf32>) -> tensor<2x3x?x16xf32>
  %values = tenon.concatenate %before, %v dim 2 : (tensor<2x3x?x16xf32>, tensor<2x3x1x16xf32>) -> tensor<2x3x?x16xf32>
  %0 = tenon.attention %q, %keys, %values order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 0.25
     : (tensor<2x3x1x16xf32>, tensor<2x3x?x16xf32>, tensor<2x3x?x16xf32>) -> tensor<2x3x1x16xf32>
  return %0, %keys, %values : tensor<2x3x1x16xf32>, tensor<2x3x?x16xf32>, tensor<2x3x?x16xf32>
}
