// One layer for any number of rows, with operations that machines compute
// differently: sums of products, exp, f16; and an index that may be out of
// range.
tenon.weight @counted : tensor<16x24xf32> {
  %0 = tenon.constant dense<[-0.90, -0.02, 0.85, -0.28, 0.60, -0.53, 0.35, -0.78, 0.10, 0.97, -0.15, 0.72, -0.40, 0.47, -0.65, 0.23]> : tensor<16xf32>
  %1 = tenon.constant dense<[-0.97, -0.05, 0.86, -0.22, 0.70, -0.39, 0.53, -0.55, 0.36, -0.72, 0.20, -0.89, 0.03, 0.95, -0.14, 0.78, -0.30, 0.61, -0.47, 0.45, -0.64, 0.28, -0.80, 0.11]> : tensor<24xf32>
  %2 = tenon.broadcast_in_dim %0 dims [0] sizes [16, 24] : (tensor<16xf32>) -> tensor<16x24xf32>
  %3 = tenon.broadcast_in_dim %1 dims [1] sizes [16, 24] : (tensor<24xf32>) -> tensor<16x24xf32>
  %4 = tenon.multiply %2, %3 : (tensor<16x24xf32>, tensor<16x24xf32>) -> tensor<16x24xf32>
  tenon.yield %4 : tensor<16x24xf32>
}
func.func @main(%x: tensor<?x16xf32> {tenon.name = "x", tenon.dims = ["batch", 16]},
                %row: tensor<1xi64> {tenon.name = "row"})
    -> (tensor<?x24xf32> {tenon.name = "y"}, tensor<1x24xf16> {tenon.name = "picked"}) {
  %w = tenon.get_weight @counted : tensor<16x24xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<?x16xf32>, tensor<16x24xf32>) -> tensor<?x24xf32>
  %1 = tenon.softmax %0 over 1 : tensor<?x24xf32>
  %low = tenon.constant dense<0> : tensor<1xi64>
  %high = tenon.constant dense<16> : tensor<1xi64>
  %safe = tenon.check_range %row in [%low, %high) "node \22pick\22 (Gather)" : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %picked = tenon.gather %w, %safe offset_dims [1] collapsed [0] batching [] x [] map [0] vector_dim 1 slice_sizes [1, 24] : (tensor<16x24xf32>, tensor<1xi64>) -> tensor<1x24xf32>
  %half = tenon.convert %picked to f16 : (tensor<1x24xf32>) -> tensor<1x24xf16>
  %twice = tenon.add %half, %half : (tensor<1x24xf16>, tensor<1x24xf16>) -> tensor<1x24xf16>
  return %1, %twice : tensor<?x24xf32>, tensor<1x24xf16>
}
