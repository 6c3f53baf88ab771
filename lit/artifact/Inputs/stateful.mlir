// Two functions that share states: one counts and stores values, the other one
// returns them.
tenon.weight @first : tensor<4xf32> {
  %0 = tenon.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  tenon.yield %0 : tensor<4xf32>
}
tenon.state @h : tensor<4xf32> from @first
tenon.state @counter : tensor<i64> = dense<10> : tensor<i64>
tenon.state @seen : tensor<2xi1>

func.func @step(%x: tensor<4xf32> {tenon.name = "x"}, %i: tensor<i64> {tenon.name = "i"})
    -> (tensor<4xf32> {tenon.name = "before"}, tensor<i64> {tenon.name = "count"}) {
  %before = tenon.state_read @h : tensor<4xf32>
  %next = tenon.add %before, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %old = tenon.state_read @counter : tensor<i64>
  %one = tenon.constant dense<1> : tensor<i64>
  %count = tenon.add %old, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  tenon.state_write @counter, %count : tensor<i64>
  // Values of two and more end the run here, after one write and before the
  // others.
  %index = tensor.extract %i[] : tensor<i64>
  %at = arith.index_cast %index : i64 to index
  %zero = arith.constant 0 : index
  %last = arith.constant 1 : index
  tenon.check_size %at in [%zero, %last] "input i"
  %b = arith.trunci %index : i64 to i1
  scf.if %b {
    %yes = tenon.constant dense<true> : tensor<2xi1>
    tenon.state_write @seen, %yes : tensor<2xi1>
  }
  tenon.state_write @h, %next : tensor<4xf32>
  return %before, %count : tensor<4xf32>, tensor<i64>
}

func.func @tell() -> (tensor<4xf32> {tenon.name = "h"}, tensor<i64> {tenon.name = "count"}, tensor<2xi1> {tenon.name = "seen"}) {
  %h = tenon.state_read @h : tensor<4xf32>
  %count = tenon.state_read @counter : tensor<i64>
  %seen = tenon.state_read @seen : tensor<2xi1>
  return %h, %count, %seen : tensor<4xf32>, tensor<i64>, tensor<2xi1>
}
