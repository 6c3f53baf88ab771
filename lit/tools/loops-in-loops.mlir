// Loops that start with the carried values of enclosing loops, as frontends
// import Python's nested loops.
// REQUIRES: tenon
// RUN: tenon verify -q %s --function=for --input=x=ones --dim=rows=3 --input=n=i64=3
// RUN: tenon run -q %s --input=x=ones --dim=rows=3 --input=n=i64=3 | FileCheck %s --check-prefix=FOR
// RUN: tenon run -q %s --input=x=ones --dim=rows=3 --input=n=i64=0 | FileCheck %s --check-prefix=NONE
// FOR: y  f32[3]
// FOR-NEXT: {{^ +}}22 22 22{{$}}
// NONE: {{^ +}}1 1 1{{$}}
func.func @for(%x: tensor<?xf32> {tenon.name = "x", tenon.dims = ["rows"]}, %n: tensor<i64> {tenon.name = "n"})
    -> (tensor<?xf32> {tenon.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %element = tensor.extract %n[] : tensor<i64>
  %times = arith.index_cast %element : i64 to index
  %0 = scf.for %i = %c0 to %times step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %1 = scf.for %j = %c0 to %times step %c1 iter_args(%b = %a) -> tensor<?xf32> {
      %2 = scf.for %k = %c0 to %c1 step %c1 iter_args(%c = %b) -> tensor<?xf32> {
        %3 = tenon.add %c, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
        scf.yield %3 : tensor<?xf32>
      }
      // A value that both loops carry is read after the inner loop.
      %4 = tenon.add %2, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      %5 = tenon.subtract %4, %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      scf.yield %5 : tensor<?xf32>
    }
    scf.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// RUN: tenon verify -q %s --function=while --input=start=f32=-3.5
// RUN: tenon run -q %s --function=while --input=start=f32=-3.5 2>&1 | FileCheck %s --check-prefix=WHILE
// WHILE: end  f32[]
// WHILE-NEXT: {{^ +}}1.5{{$}}
func.func @while(%x: tensor<f32> {tenon.name = "start"}) -> (tensor<f32> {tenon.name = "end"}) {
  %one = tenon.constant dense<1.0> : tensor<f32>
  %0 = scf.while (%a = %x) : (tensor<f32>) -> tensor<f32> {
    %1 = tenon.compare lt %a, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = tensor.extract %1[] : tensor<i1>
    scf.condition(%2) %a : tensor<f32>
  } do {
  ^bb0(%a: tensor<f32>):
    %zero = tenon.constant dense<0.0> : tensor<f32>
    %1 = scf.while (%b = %a) : (tensor<f32>) -> tensor<f32> {
      %2 = tenon.compare lt %b, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = tensor.extract %2[] : tensor<i1>
      scf.condition(%3) %b : tensor<f32>
    } do {
    ^bb0(%b: tensor<f32>):
      %2 = tenon.add %b, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
      scf.yield %2 : tensor<f32>
    }
    %2 = tenon.add %1, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    scf.yield %2 : tensor<f32>
  }
  return %0 : tensor<f32>
}
