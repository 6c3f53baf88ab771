// The extent of the result is counted by the device and read by the host.
func.func @main(%x: tensor<60x50xi64> {tenon.name = "x"}) -> (tensor<?x2xi64> {tenon.name = "y"}) {
  %0 = tenon.reduce add %x over [0, 1] : (tensor<60x50xi64>) -> tensor<i64>
  %1 = tensor.extract %0[] : tensor<i64>
  %2 = arith.index_cast %1 : i64 to index
  %3 = tenon.nonzero %x count %2 : (tensor<60x50xi64>, index) -> tensor<?x2xi64>
  return %3 : tensor<?x2xi64>
}
