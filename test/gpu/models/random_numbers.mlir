// Bits of a counter, mixed as random numbers are.
func.func @main(%seed: tensor<i64> {tenon.name = "seed"}) -> (tensor<3000xf32> {tenon.name = "y"}) {
  %0 = tenon.iota dim 0 sizes [3000] : () -> tensor<3000xi64>
  %1 = tenon.broadcast_in_dim %seed dims [] sizes [3000] : (tensor<i64>) -> tensor<3000xi64>
  %2 = tenon.constant dense<6364136223846793005> : tensor<3000xi64>
  %3 = tenon.add %0, %1 : (tensor<3000xi64>, tensor<3000xi64>) -> tensor<3000xi64>
  %4 = tenon.multiply %3, %2 : (tensor<3000xi64>, tensor<3000xi64>) -> tensor<3000xi64>
  %5 = tenon.constant dense<33> : tensor<3000xi64>
  %6 = tenon.shift_right_logical %4, %5 : (tensor<3000xi64>, tensor<3000xi64>) -> tensor<3000xi64>
  %7 = tenon.xor %4, %6 : (tensor<3000xi64>, tensor<3000xi64>) -> tensor<3000xi64>
  %8 = tenon.convert %7 to f32 : (tensor<3000xi64>) -> tensor<3000xf32>
  return %8 : tensor<3000xf32>
}
