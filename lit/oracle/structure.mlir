// Control flow, scalars, calls, weights, bounds and fusion regions.
// RUN: tenon-eval %s --all | FileCheck %s

// CHECK-LABEL: @sum_of_squares
// CHECK-NEXT: tensor<i64> 14
func.func @sum_of_squares() -> tensor<i64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %start = tenon.constant dense<0> : tensor<i64>
  %0 = scf.for %i = %zero to %four step %one iter_args(%sum = %start) -> (tensor<i64>) {
    %s = arith.muli %i, %i : index
    %c = arith.index_cast %s : index to i64
    %t = tensor.from_elements %c : tensor<i64>
    %next = tenon.add %sum, %t : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %next : tensor<i64>
  }
  return %0 : tensor<i64>
}

// Doubles 1 until it reaches 20.
// CHECK-LABEL: @doubling
// CHECK-NEXT: tensor<f32> 32
func.func @doubling() -> tensor<f32> {
  %start = tenon.constant dense<1.0> : tensor<f32>
  %0 = scf.while (%x = %start) : (tensor<f32>) -> tensor<f32> {
    %e = tensor.extract %x[] : tensor<f32>
    %limit = arith.constant 20.0 : f32
    %c = arith.cmpf olt, %e, %limit : f32
    scf.condition(%c) %x : tensor<f32>
  } do {
  ^bb0(%x: tensor<f32>):
    %y = tenon.add %x, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
    scf.yield %y : tensor<f32>
  }
  return %0 : tensor<f32>
}

// CHECK-LABEL: @branches
// CHECK-NEXT: tensor<index> 2
// CHECK-NEXT: tensor<index> 30
// CHECK-NEXT: tensor<index> 99
func.func @branches() -> (index, index, index) {
  %true = arith.constant true
  %a = arith.constant 1 : index
  %b = arith.constant 2 : index
  %0 = scf.if %true -> (index) {
    scf.yield %b : index
  } else {
    scf.yield %a : index
  }
  %1 = func.call @choose(%b) : (index) -> index
  %2 = func.call @choose(%a) : (index) -> index
  return %0, %1, %2 : index, index, index
}
func.func private @choose(%i: index) -> index {
  %0 = scf.index_switch %i -> index
  case 2 {
    %c = arith.constant 30 : index
    scf.yield %c : index
  }
  default {
    %c = arith.constant 99 : index
    scf.yield %c : index
  }
  return %0 : index
}

// CHECK-LABEL: @choice
// CHECK-NEXT: tensor<2xf32> [3, 4]
func.func @choice() -> tensor<2xf32> {
  %false = arith.constant false
  %a = tenon.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = tenon.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %0 = arith.select %false, %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @scalars
// CHECK-NEXT: tensor<i32> -4
// CHECK-NEXT: tensor<i32> -3
// CHECK-NEXT: tensor<i32> -3
// CHECK-NEXT: tensor<i32> -1
// CHECK-NEXT: tensor<i8> -56
// CHECK-NEXT: tensor<i32> 200
// CHECK-NEXT: tensor<i32> -1
// CHECK-NEXT: tensor<i32> 1
// CHECK-NEXT: tensor<i1> true
// CHECK-NEXT: tensor<f32> 2.5
// CHECK-NEXT: tensor<i32> 7
func.func @scalars() -> (i32, i32, i32, i32, i8, i32, i32, i32, i1, f32, i32) {
  %a = arith.constant -7 : i32
  %b = arith.constant 2 : i32
  %w = arith.constant 200 : i32
  %true = arith.constant true
  %0 = arith.floordivsi %a, %b : i32
  %1 = arith.ceildivsi %a, %b : i32
  %2 = arith.divsi %a, %b : i32
  %3 = arith.remsi %a, %b : i32
  %4 = arith.trunci %w : i32 to i8
  %5 = arith.extui %4 : i8 to i32
  %6 = arith.extsi %true : i1 to i32
  %7 = arith.extui %true : i1 to i32
  %8 = arith.cmpi ugt, %a, %b : i32
  %f = arith.sitofp %b : i32 to f32
  %half = arith.constant 0.5 : f32
  %9 = arith.addf %f, %half : f32
  %big = arith.constant 7.9 : f32
  %10 = arith.fptosi %big : f32 to i32
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : i32, i32, i32, i32, i8, i32, i32, i32, i1, f32, i32
}

// CHECK-LABEL: @extents
// CHECK-NEXT: tensor<index> 2
// CHECK-NEXT: tensor<2x3xf32> {{\[}}[0, 0, 0], [0, 0, 0]]
// CHECK-NEXT: tensor<i8> 5
func.func @extents() -> (index, tensor<2x?xf32>, i8) {
  %x = tenon.constant dense<[[3, 4], [5, 6]]> : tensor<2x2xi8>
  %c = tensor.cast %x : tensor<2x2xi8> to tensor<?x2xi8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %d = tensor.dim %c, %zero : tensor<?x2xi8>
  %e = tensor.empty(%three) : tensor<2x?xf32>
  %v = tensor.extract %x[%one, %zero] : tensor<2x2xi8>
  return %d, %e, %v : index, tensor<2x?xf32>, i8
}

// CHECK-LABEL: @weights
// CHECK-NEXT: tensor<2xf32> [3, 5]
func.func @weights() -> tensor<2xf32> {
  %0 = tenon.get_weight @sum : tensor<2xf32>
  return %0 : tensor<2xf32>
}
tenon.weight @ones : tensor<2xf32> {
  %0 = tenon.constant dense<1.0> : tensor<2xf32>
  tenon.yield %0 : tensor<2xf32>
}
tenon.weight @sum : tensor<2xf32> {
  %0 = tenon.get_weight @ones : tensor<2xf32>
  %1 = tenon.constant dense<[2.0, 4.0]> : tensor<2xf32>
  %2 = tenon.add %0, %1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  tenon.yield %2 : tensor<2xf32>
}

// CHECK-LABEL: @bound
// CHECK-NEXT: tensor<index> 3
func.func @bound() -> index {
  %n = arith.constant 3 : index
  %max = arith.constant 4 : index
  %0 = tenon.bound %n at_most %max
  return %0 : index
}

// CHECK-LABEL: @fusion
// CHECK-NEXT: tensor<2xf32> [-2, -4]
func.func @fusion() -> tensor<2xf32> {
  %x = tenon.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %0 = tenon.fusion map ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%a: tensor<2xf32>):
    %1 = tenon.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %2 = tenon.negate %1 : (tensor<2xf32>) -> tensor<2xf32>
    tenon.yield %2 : tensor<2xf32>
  } -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
