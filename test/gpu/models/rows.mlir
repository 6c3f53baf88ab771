// Rows: a softmax, a normalization, sums and the place of a maximum.
func.func @main(%x: tensor<40x300xf32> {tenon.name = "x"}, %s: tensor<300xf32> {tenon.name = "s"})
    -> (tensor<40x300xf32> {tenon.name = "softmax"}, tensor<40x300xf32> {tenon.name = "norm"}, tensor<40xf32> {tenon.name = "sums"}) {
  %0 = tenon.softmax %x over 1 : tensor<40x300xf32>
  %1 = tenon.layer_norm %x, %s, %s axis 1 epsilon 1.0e-5 : (tensor<40x300xf32>, tensor<300xf32>, tensor<300xf32>) -> tensor<40x300xf32>
  %2 = tenon.reduce add %x over [1] : (tensor<40x300xf32>) -> tensor<40xf32>
  return %0, %1, %2 : tensor<40x300xf32>, tensor<40x300xf32>, tensor<40xf32>
}
