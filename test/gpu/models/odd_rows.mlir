// Rows of lengths that are no whole quads, one of them known only at run time,
// and the place of a maximum.
func.func @main(%x: tensor<9x77xf32> {tenon.name = "x"}, %o: tensor<5x?xf32> {tenon.name = "o"})
    -> (tensor<9x77xf32> {tenon.name = "softmax"}, tensor<5xf32> {tenon.name = "sums"}, tensor<9xi64> {tenon.name = "places"}) {
  %0 = tenon.softmax %x over 1 : tensor<9x77xf32>
  %1 = tenon.reduce add %o over [1] : (tensor<5x?xf32>) -> tensor<5xf32>
  %2 = tenon.arg_reduce maximum %x over 1 : (tensor<9x77xf32>) -> tensor<9xi64>
  return %0, %1, %2 : tensor<9x77xf32>, tensor<5xf32>, tensor<9xi64>
}
