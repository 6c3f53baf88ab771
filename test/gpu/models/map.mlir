// Elements with a row that is broadcast, and a conversion: rows are no whole
// quads.
func.func @main(%x: tensor<100x37xf32> {tenon.name = "x"}, %row: tensor<37xf32> {tenon.name = "row"}, %n: tensor<100x37xi64> {tenon.name = "n"})
    -> (tensor<100x37xf32> {tenon.name = "y"}, tensor<100x37xf32> {tenon.name = "z"}) {
  %0 = tenon.broadcast_in_dim %row dims [1] sizes [100, 37] : (tensor<37xf32>) -> tensor<100x37xf32>
  %1 = tenon.multiply %x, %0 : (tensor<100x37xf32>, tensor<100x37xf32>) -> tensor<100x37xf32>
  %2 = tenon.exponential %1 : (tensor<100x37xf32>) -> tensor<100x37xf32>
  %3 = tenon.convert %n to f32 : (tensor<100x37xi64>) -> tensor<100x37xf32>
  %4 = tenon.subtract %2, %3 : (tensor<100x37xf32>, tensor<100x37xf32>) -> tensor<100x37xf32>
  %5 = tenon.tanh %4 : (tensor<100x37xf32>) -> tensor<100x37xf32>
  return %5, %1 : tensor<100x37xf32>, tensor<100x37xf32>
}
