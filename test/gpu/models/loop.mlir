// A loop with a state, whose trip count the host reads, and one whose end the
// device computes: by one element, which the last of the threads has that share
// a row.
tenon.state @sum : tensor<600xf32>

func.func @main(%x: tensor<600xf32> {tenon.name = "x"}, %n: tensor<4xi64> {tenon.name = "n"}) -> (tensor<600xf32> {tenon.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %total = tenon.reduce add %n over [0] : (tensor<4xi64>) -> tensor<i64>
  %element = tensor.extract %total[] : tensor<i64>
  %some = arith.index_cast %element : i64 to index
  %times = arith.addi %some, %c3 : index
  %0 = scf.for %i = %c0 to %times step %c1 iter_args(%a = %x) -> tensor<600xf32> {
    %old = tenon.state_read @sum : tensor<600xf32>
    %new = tenon.add %old, %a : (tensor<600xf32>, tensor<600xf32>) -> tensor<600xf32>
    tenon.state_write @sum, %new : tensor<600xf32>
    %1 = tenon.tanh %new : (tensor<600xf32>) -> tensor<600xf32>
    scf.yield %1 : tensor<600xf32>
  }
  %2 = tenon.convert %total to f32 : (tensor<i64>) -> tensor<f32>
  %3 = tenon.broadcast_in_dim %2 dims [] sizes [600] : (tensor<f32>) -> tensor<600xf32>
  %4 = tenon.add %0, %3 : (tensor<600xf32>, tensor<600xf32>) -> tensor<600xf32>
  %5 = scf.while (%a = %4) : (tensor<600xf32>) -> tensor<600xf32> {
    %place = tenon.iota dim 0 sizes [600] : () -> tensor<600xi64>
    %wanted = tenon.constant dense<63> : tensor<600xi64>
    %is = tenon.compare eq %place, %wanted : (tensor<600xi64>, tensor<600xi64>) -> tensor<600xi1>
    %zero = tenon.constant dense<0.0> : tensor<600xf32>
    %alone = tenon.select %is, %a, %zero : (tensor<600xi1>, tensor<600xf32>, tensor<600xf32>) -> tensor<600xf32>
    %most = tenon.reduce maximum %alone over [0] : (tensor<600xf32>) -> tensor<f32>
    %one = tenon.constant dense<0.5> : tensor<f32>
    %goes = tenon.compare gt %most, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %go = tensor.extract %goes[] : tensor<i1>
    scf.condition(%go) %a : tensor<600xf32>
  } do {
  ^bb0(%a: tensor<600xf32>):
    %half = tenon.constant dense<0.5> : tensor<600xf32>
    %b = tenon.multiply %a, %half : (tensor<600xf32>, tensor<600xf32>) -> tensor<600xf32>
    scf.yield %b : tensor<600xf32>
  }
  return %5 : tensor<600xf32>
}
