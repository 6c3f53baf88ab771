// x scaled by [1, 2, 3, 4], a weight computed at compile time.
tenon.weight @counted : tensor<4xf32> {
  %0 = tenon.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  tenon.yield %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32> {tenon.name = "x", tenon.dims = [4]}) -> (tensor<4xf32> {tenon.name = "y"}) {
  %w = tenon.get_weight @counted : tensor<4xf32>
  %0 = tenon.multiply %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
