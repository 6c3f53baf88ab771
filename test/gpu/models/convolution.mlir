// Images with padding: taps outside of the input.
func.func @main(%x: tensor<1x12x12x8xf32> {tenon.name = "x"}, %w: tensor<3x3x8x40xf32> {tenon.name = "w"}) -> (tensor<1x12x12x40xf32> {tenon.name = "y"}) {
  %0 = tenon.convolution %x, %w strides [1, 1] padding [1, 1, 1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x12x12x8xf32>, tensor<3x3x8x40xf32>) -> tensor<1x12x12x40xf32>
  return %0 : tensor<1x12x12x40xf32>
}
