// Two functions for any number of rows. They share a weight, and a state that
// one writes and both read.
tenon.weight @w : tensor<16x24xf32> {
  %0 = tenon.constant dense<[-0.90, -0.02, 0.85, -0.28, 0.60, -0.53, 0.35, -0.78, 0.10, 0.97, -0.15, 0.72, -0.40, 0.47, -0.65, 0.23]> : tensor<16xf32>
  %1 = tenon.constant dense<[-0.97, -0.05, 0.86, -0.22, 0.70, -0.39, 0.53, -0.55, 0.36, -0.72, 0.20, -0.89, 0.03, 0.95, -0.14, 0.78, -0.30, 0.61, -0.47, 0.45, -0.64, 0.28, -0.80, 0.11]> : tensor<24xf32>
  %2 = tenon.broadcast_in_dim %0 dims [0] sizes [16, 24] : (tensor<16xf32>) -> tensor<16x24xf32>
  %3 = tenon.broadcast_in_dim %1 dims [1] sizes [16, 24] : (tensor<24xf32>) -> tensor<16x24xf32>
  %4 = tenon.multiply %2, %3 : (tensor<16x24xf32>, tensor<16x24xf32>) -> tensor<16x24xf32>
  tenon.yield %4 : tensor<16x24xf32>
}
tenon.state @total : tensor<24xf32>

// y = softmax(x w) + total; then total becomes the sum of y's rows.
func.func @step(%x: tensor<?x16xf32> {tenon.name = "x", tenon.dims = ["batch", 16]})
    -> (tensor<?x24xf32> {tenon.name = "y"}) {
  %c0 = arith.constant 0 : index
  %batch = tensor.dim %x, %c0 : tensor<?x16xf32>
  %w = tenon.get_weight @w : tensor<16x24xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<?x16xf32>, tensor<16x24xf32>) -> tensor<?x24xf32>
  %1 = tenon.softmax %0 over 1 : tensor<?x24xf32>
  %total = tenon.state_read @total : tensor<24xf32>
  %rows = tenon.broadcast_in_dim %total dims [1] sizes [%batch, 24] : (tensor<24xf32>, index) -> tensor<?x24xf32>
  %y = tenon.add %1, %rows : (tensor<?x24xf32>, tensor<?x24xf32>) -> tensor<?x24xf32>
  %sum = tenon.reduce add %y over [0] : (tensor<?x24xf32>) -> tensor<24xf32>
  tenon.state_write @total, %sum : tensor<24xf32>
  return %y : tensor<?x24xf32>
}

// z = softmax(exp(x w) + total) w.
func.func @look(%x: tensor<?x16xf32> {tenon.name = "x", tenon.dims = ["batch", 16]})
    -> (tensor<?x16xf32> {tenon.name = "z"}) {
  %c0 = arith.constant 0 : index
  %batch = tensor.dim %x, %c0 : tensor<?x16xf32>
  %w = tenon.get_weight @w : tensor<16x24xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<?x16xf32>, tensor<16x24xf32>) -> tensor<?x24xf32>
  %1 = tenon.exponential %0 : (tensor<?x24xf32>) -> tensor<?x24xf32>
  %total = tenon.state_read @total : tensor<24xf32>
  %rows = tenon.broadcast_in_dim %total dims [1] sizes [%batch, 24] : (tensor<24xf32>, index) -> tensor<?x24xf32>
  %2 = tenon.add %1, %rows : (tensor<?x24xf32>, tensor<?x24xf32>) -> tensor<?x24xf32>
  %3 = tenon.softmax %2 over 1 : tensor<?x24xf32>
  %z = tenon.dot_general %3, %w batch [] x [] contract [1] x [1] : (tensor<?x24xf32>, tensor<16x24xf32>) -> tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}
