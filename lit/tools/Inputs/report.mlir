// Three kernels with buffers between them: a product, a softmax of its rows, and
// a sum with the input.
tenon.weight @w : tensor<8x16xf32> {
  %0 = tenon.constant dense<0.25> : tensor<8x16xf32>
  tenon.yield %0 : tensor<8x16xf32>
}
func.func @main(%x: tensor<4x8xf32> {tenon.name = "x"}) -> (tensor<4x8xf32> {tenon.name = "y"}) {
  %w = tenon.get_weight @w : tensor<8x16xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32> loc("/layer/MatMul")
  %1 = tenon.softmax %0 over 1 : tensor<4x16xf32> loc("/layer/Softmax")
  %2 = tenon.reduce maximum %1 over [1] : (tensor<4x16xf32>) -> tensor<4xf32> loc("/layer/Max")
  %3 = tenon.broadcast_in_dim %2 dims [0] sizes [4, 8] : (tensor<4xf32>) -> tensor<4x8xf32> loc("/layer/Expand")
  %4 = tenon.add %3, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> loc("/layer/Add")
  return %4 : tensor<4x8xf32>
}
