// Sums over rows that lie far apart, and windows.
func.func @main(%x: tensor<1x60x50x3xf32> {tenon.name = "x"}) -> (tensor<50x3xf32> {tenon.name = "sums"}, tensor<1x29x24x3xf32> {tenon.name = "pool"}) {
  %0 = tenon.reshape %x sizes [60, 50, 3] : (tensor<1x60x50x3xf32>) -> tensor<60x50x3xf32>
  %1 = tenon.reduce add %0 over [0] : (tensor<60x50x3xf32>) -> tensor<50x3xf32>
  %2 = tenon.reduce_window maximum %x window [1, 3, 3, 1] strides [1, 2, 2, 1] dilations [1, 1, 1, 1] padding [0, 0, 0, 0, 0, 0, 0, 0] : (tensor<1x60x50x3xf32>) -> tensor<1x29x24x3xf32>
  return %1, %2 : tensor<50x3xf32>, tensor<1x29x24x3xf32>
}
