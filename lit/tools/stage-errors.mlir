// Text of a later stage is refused as a model, because passes cannot process
// their own results again.
// RUN: %exit 3 tenon compile -q %s -o %t.so 2>&1 | FileCheck %s
// RUN: tenon compile -q %S/half-roundings.mlir --stop-after=shaped -o %t.shaped.mlir
// RUN: tenon compile -q %t.shaped.mlir -o %t.so
// RUN: tenon compile -q %S/half-roundings.mlir --stop-after=placed -o %t.placed.mlir
// RUN: %exit 3 tenon compile -q %t.placed.mlir -o %t.so 2>&1 | FileCheck %s --check-prefix=PLACED
// RUN: tenon compile -q %S/half-roundings.mlir --stop-after=llvm -o %t.llvm.mlir
// RUN: %exit 3 tenon compile -q %t.llvm.mlir -o %t.so 2>&1 | FileCheck %s --check-prefix=LLVM
// CHECK: stage-errors.mlir: line [[#@LINE+5]], column 8: error: expected a module at stage imported, where there are only tenon, func, scf, arith and tensor ops on tensors; weights are symbols; got 'tenon.fusion' of stage fused, which passes cannot go through again: compile the model, or a text of stage imported
// PLACED: expected a module at stage imported{{.*}} of stage placed
// LLVM: expected a module at stage imported{{.*}} of stage llvm
func.func @main(%x: tensor<4xf32> {tenon.name = "x"}) -> (tensor<4xf32> {tenon.name = "y"}) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = tenon.fusion map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %1 = tenon.negate %a : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %1 : tensor<4xf32>
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
