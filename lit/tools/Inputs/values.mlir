// Ops with two results that share the name of a node, and a loop with an op that
// has the name of ops outside.
func.func @main(%x: tensor<4x8xf32> {tenon.name = "x"}) -> (tensor<4x?xf32> {tenon.name = "y"}, tensor<4x?xf32> {tenon.name = "z"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<4x8xf32> {
    %9 = tenon.tanh %a : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("curve")
    scf.yield %9 : tensor<4x8xf32>
  }
  %1 = tenon.tanh %0 : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("curve")
  %2 = tenon.tanh %1 : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("curve")
  %3, %4 = tenon.top_k %2 first %c3 dim 1 : (tensor<4x8xf32>, index) -> (tensor<4x?xf32>, tensor<4x?xi64>) loc("best")
  %5, %6 = tenon.top_k %x first %c3 dim 1 : (tensor<4x8xf32>, index) -> (tensor<4x?xf32>, tensor<4x?xi64>) loc("best")
  %7 = tenon.convert %4 to f32 : (tensor<4x?xi64>) -> tensor<4x?xf32> loc("place")
  %8 = tenon.convert %6 to f32 : (tensor<4x?xi64>) -> tensor<4x?xf32> loc("place")
  %10 = tenon.add %3, %7 : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32> loc("sum")
  %11 = tenon.add %5, %8 : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32> loc("sum")
  return %10, %11 : tensor<4x?xf32>, tensor<4x?xf32>
}
