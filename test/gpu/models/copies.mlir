// Buffers that loops and branches pass on: an input that is an output, a swap,
// a choice, and sizes that the host computes and the device reads too.
func.func @main(%x: tensor<300xf32> {tenon.name = "x"}, %y: tensor<300xf32> {tenon.name = "y"}, %n: tensor<6xi64> {tenon.name = "n"})
    -> (tensor<300xf32> {tenon.name = "same"}, tensor<300xf32> {tenon.name = "a"}, tensor<300xf32> {tenon.name = "b"}, tensor<300xf32> {tenon.name = "c"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i64
  %total = tenon.reduce add %n over [0] : (tensor<6xi64>) -> tensor<i64>
  %element = tensor.extract %total[] : tensor<i64>
  %times = arith.index_cast %element : i64 to index
  %0:2 = scf.for %i = %c0 to %times step %c1 iter_args(%a = %x, %b = %y) -> (tensor<300xf32>, tensor<300xf32>) {
    %1 = tenon.add %a, %b : (tensor<300xf32>, tensor<300xf32>) -> tensor<300xf32>
    scf.yield %b, %1 : tensor<300xf32>, tensor<300xf32>
  }
  %many = arith.cmpi sgt, %element, %two : i64
  %2 = scf.if %many -> tensor<300xf32> {
    %3 = tenon.negate %0#0 : (tensor<300xf32>) -> tensor<300xf32>
    scf.yield %3 : tensor<300xf32>
  } else {
    scf.yield %y : tensor<300xf32>
  }
  %4 = tenon.convert %total to f32 : (tensor<i64>) -> tensor<f32>
  %5 = tenon.broadcast_in_dim %4 dims [] sizes [300] : (tensor<f32>) -> tensor<300xf32>
  %6 = tenon.add %2, %5 : (tensor<300xf32>, tensor<300xf32>) -> tensor<300xf32>
  return %x, %0#0, %0#1, %6 : tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>
}
