// Many equal keys, keys with different digits, and the greatest elements.
func.func @main(%x: tensor<3x700xi64> {tenon.name = "x"}, %y: tensor<2x900xf32> {tenon.name = "y"})
    -> (tensor<3x700xi64> {tenon.name = "sorted"}, tensor<3x700xi64> {tenon.name = "places"}, tensor<2x20xf32> {tenon.name = "greatest"},
        tensor<2x900xf32> {tenon.name = "falling"}, tensor<2x900xi64> {tenon.name = "origins"}) {
  %0, %1 = tenon.sort %x dim 1 : (tensor<3x700xi64>) -> (tensor<3x700xi64>, tensor<3x700xi64>)
  %k = arith.constant 20 : index
  %2, %3 = tenon.top_k %y first %k dim 1 : (tensor<2x900xf32>, index) -> (tensor<2x20xf32>, tensor<2x20xi64>)
  %4, %5 = tenon.sort %y dim 1 descending : (tensor<2x900xf32>) -> (tensor<2x900xf32>, tensor<2x900xi64>)
  return %0, %1, %2, %4, %5 : tensor<3x700xi64>, tensor<3x700xi64>, tensor<2x20xf32>, tensor<2x900xf32>, tensor<2x900xi64>
}
