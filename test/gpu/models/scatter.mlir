// Sums in the order of the updates: many have the same place.
func.func @main(%x: tensor<40x30xf32> {tenon.name = "x"}, %i: tensor<500x1xi64> {tenon.name = "i"}, %u: tensor<500x30xf32> {tenon.name = "u"})
    -> (tensor<40x30xf32> {tenon.name = "y"}, tensor<500x30xf32> {tenon.name = "z"}) {
  %0 = tenon.scatter add %x, %i, %u window_dims [1] inserted [0] batching [] x [] map [0] vector_dim 1 : (tensor<40x30xf32>, tensor<500x1xi64>, tensor<500x30xf32>) -> tensor<40x30xf32>
  %1 = tenon.gather %0, %i offset_dims [1] collapsed [0] batching [] x [] map [0] vector_dim 1 slice_sizes [1, 30] : (tensor<40x30xf32>, tensor<500x1xi64>) -> tensor<500x30xf32>
  return %0, %1 : tensor<40x30xf32>, tensor<500x30xf32>
}
