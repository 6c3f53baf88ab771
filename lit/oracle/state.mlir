// States start with their initial values and keep written values, within one
// evaluation and to the next one.
// RUN: tenon-eval %s --entry=count --repeat=3 | FileCheck %s --check-prefix=COUNT
// RUN: tenon-eval %s --entry=loop --repeat=2 | FileCheck %s --check-prefix=LOOP
// RUN: tenon-eval %s --entry=open | FileCheck %s --check-prefix=DEFAULT
// RUN: tenon-eval %s --entry=open --repeat=2 --context=rows=3 | FileCheck %s --check-prefix=OPEN
// RUN: not tenon-eval %s --entry=open --context=rows=4 | FileCheck %s --check-prefix=RANGE

tenon.weight @w : tensor<2xf32> {
  %0 = tenon.constant dense<[0.5, 1.5]> : tensor<2xf32>
  tenon.yield %0 : tensor<2xf32>
}
tenon.state @counter : tensor<i32> = dense<7> : tensor<i32>
tenon.state @h : tensor<2xf32> from @w
tenon.state @zeros : tensor<2xi1>

// COUNT: tensor<i32> 7
// COUNT-NEXT: tensor<i32> 8
// COUNT-NEXT: tensor<2xf32> [0.5, 1.5]
// COUNT-NEXT: tensor<2xi1> [false, false]
// COUNT-NEXT: tensor<i32> 8
// COUNT-NEXT: tensor<i32> 9
// COUNT-NEXT: tensor<2xf32> [1, 3]
// COUNT-NEXT: tensor<2xi1> [true, true]
// COUNT-NEXT: tensor<i32> 9
// COUNT-NEXT: tensor<i32> 10
// COUNT-NEXT: tensor<2xf32> [2, 6]
// COUNT-NEXT: tensor<2xi1> [false, false]
func.func @count() -> (tensor<i32>, tensor<i32>, tensor<2xf32>, tensor<2xi1>) {
  %old = tenon.state_read @counter : tensor<i32>
  %one = tenon.constant dense<1> : tensor<i32>
  %sum = tenon.add %old, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
  tenon.state_write @counter, %sum : tensor<i32>
  %new = tenon.state_read @counter : tensor<i32>
  %h = tenon.state_read @h : tensor<2xf32>
  %twice = tenon.add %h, %h : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  tenon.state_write @h, %twice : tensor<2xf32>
  %z = tenon.state_read @zeros : tensor<2xi1>
  %not = tenon.not %z : (tensor<2xi1>) -> tensor<2xi1>
  tenon.state_write @zeros, %not : tensor<2xi1>
  return %old, %new, %h, %z : tensor<i32>, tensor<i32>, tensor<2xf32>, tensor<2xi1>
}

// LOOP: tensor<i32> 10
// LOOP-NEXT: tensor<i32> 13
func.func @loop() -> tensor<i32> {
  %zero = arith.constant 0 : index
  %step = arith.constant 1 : index
  %three = arith.constant 3 : index
  scf.for %i = %zero to %three step %step {
    %old = tenon.state_read @counter : tensor<i32>
    %one = tenon.constant dense<1> : tensor<i32>
    %sum = tenon.add %old, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tenon.state_write @counter, %sum : tensor<i32>
  }
  %0 = tenon.state_read @counter : tensor<i32>
  return %0 : tensor<i32>
}

// A state with the extents of its context.
// DEFAULT: tensor<i64> 1
// DEFAULT-NEXT: tensor<1xf32> [0]
// OPEN: tensor<i64> 3
// OPEN-NEXT: tensor<3xf32> [0, 0, 0]
// OPEN-NEXT: tensor<i64> 3
// OPEN-NEXT: tensor<3xf32> [1, 1, 1]
// RANGE: error: {{.*}}context extent rows: expected 1 to 3, got 4
tenon.context_extent @rows 1 to 3 default 1
tenon.state @open_state : tensor<?xf32> extents [@rows]
func.func @open() -> (tensor<i64>, tensor<?xf32>) {
  %n = tenon.get_extent @rows
  %rows = arith.index_cast %n : index to i64
  %0 = tensor.from_elements %rows : tensor<i64>
  %old = tenon.state_read @open_state : tensor<?xf32>
  %new = tenon.cosine %old : (tensor<?xf32>) -> tensor<?xf32>
  tenon.state_write @open_state, %new : tensor<?xf32>
  return %0, %old : tensor<i64>, tensor<?xf32>
}
