// 1 + 2^-30 - 1: the sum is zero in f32.
func.func @cancel(%x: tensor<1x3xf32>) -> tensor<1x1xf32> {
  %w = tenon.constant dense<[[1.0], [9.31322575e-10], [-1.0]]> : tensor<3x1xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<1x3xf32>, tensor<3x1xf32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}
