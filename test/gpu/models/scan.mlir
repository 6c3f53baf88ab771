// Prefixes of long rows.
func.func @main(%x: tensor<5x1500xf32> {tenon.name = "x"}, %n: tensor<3000xi64> {tenon.name = "n"})
    -> (tensor<5x1500xf32> {tenon.name = "sums"}, tensor<3000xi64> {tenon.name = "counts"}) {
  %0 = tenon.cumulative add %x over 1 : tensor<5x1500xf32>
  %1 = tenon.cumulative add %n over 0 exclusive reverse : tensor<3000xi64>
  return %0, %1 : tensor<5x1500xf32>, tensor<3000xi64>
}
