// The rows after the count have no value: they become zero. There are more
// batches and classes than blocks, and most have fewer rows than the limit, so
// the rows of later ones move.
func.func @main(%b: tensor<3x40x4xf32> {tenon.name = "boxes"}, %s: tensor<3x171x40xf32> {tenon.name = "scores"})
    -> (tensor<2052x3xi64> {tenon.name = "kept"}, tensor<i64> {tenon.name = "count"}) {
  %n = arith.constant 4 : index
  %t = tenon.constant dense<0.3> : tensor<f32>
  %least = tenon.constant dense<1.5> : tensor<f32>
  %0, %1 = tenon.non_max_suppression %b, %s limit %n, %t, %least : (tensor<3x40x4xf32>, tensor<3x171x40xf32>, index, tensor<f32>, tensor<f32>) -> (tensor<2052x3xi64>, tensor<i64>)
  %2 = tenon.iota dim 0 sizes [2052, 3] : () -> tensor<2052x3xi64>
  %3 = tenon.broadcast_in_dim %1 dims [] sizes [2052, 3] : (tensor<i64>) -> tensor<2052x3xi64>
  %4 = tenon.compare lt %2, %3 : (tensor<2052x3xi64>, tensor<2052x3xi64>) -> tensor<2052x3xi1>
  %5 = tenon.constant dense<0> : tensor<2052x3xi64>
  %6 = tenon.select %4, %0, %5 : (tensor<2052x3xi1>, tensor<2052x3xi64>, tensor<2052x3xi64>) -> tensor<2052x3xi64>
  return %6, %1 : tensor<2052x3xi64>, tensor<i64>
}
