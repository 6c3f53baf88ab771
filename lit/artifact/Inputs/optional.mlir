// y = x * factor + the sum of `extra` + the rows of `allowed`; only x must be
// given.
func.func @main(%x: tensor<?xf32> {tenon.name = "x", tenon.dims = ["n"]},
                %factor: tensor<f32> {tenon.name = "factor", tenon.default_value = dense<0.5> : tensor<f32>, tenon.input_range = array<f32: 0.0, 1.0>},
                %extra: tensor<?xi64> {tenon.name = "extra", tenon.dims = ["e"], tenon.default_value = dense<[5, 7]> : tensor<2xi64>, tenon.input_range = array<i64: 0, 9223372036854775807>},
                %allowed: tensor<?x2xi1> {tenon.name = "allowed", tenon.dims = ["rows", 2], tenon.default_value = dense<> : tensor<0x2xi1>})
    -> (tensor<?xf32> {tenon.name = "y"}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %rows = tensor.dim %allowed, %c0 : tensor<?x2xi1>
  %rows_i64 = arith.index_cast %rows : index to i64
  %rows_tensor = tensor.from_elements %rows_i64 : tensor<i64>
  %sum = tenon.reduce add %extra over [0] : (tensor<?xi64>) -> tensor<i64>
  %more = tenon.add %sum, %rows_tensor : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %term = tenon.convert %more to f32 : (tensor<i64>) -> tensor<f32>
  %factors = tenon.broadcast_in_dim %factor dims [] sizes [%n] : (tensor<f32>, index) -> tensor<?xf32>
  %terms = tenon.broadcast_in_dim %term dims [] sizes [%n] : (tensor<f32>, index) -> tensor<?xf32>
  %product = tenon.multiply %x, %factors : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %y = tenon.add %product, %terms : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
