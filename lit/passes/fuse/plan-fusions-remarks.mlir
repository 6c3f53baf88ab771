// Remarks say why an op is not in the kernel that reads it.
// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-plan-fusions))' --remarks-filter=fusion 2>&1 >/dev/null | FileCheck %s --implicit-check-not=remark:
// No remark without the filter, and none of another category.
// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-plan-fusions))' 2>&1 >/dev/null | count 0
// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-plan-fusions))' --remarks-filter=packing 2>&1 >/dev/null | count 0

// A chain in one kernel has nothing to report.
func.func @chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tenon.exponential %x : (tensor<4xf32>) -> tensor<4xf32> loc("exp")
  %1 = tenon.negate %0 : (tensor<4xf32>) -> tensor<4xf32> loc("neg")
  return %1 : tensor<4xf32>
}

// CHECK: remark: loc("output"): [Missed] own-kernel | Category:fusion | Function=output_on_the_way | Reason="it is an output too", Remark="'tenon.exponential' is not in the kernel of node "reader""
func.func @output_on_the_way(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tenon.exponential %x : (tensor<4xf32>) -> tensor<4xf32> loc("output")
  %1 = tenon.negate %0 : (tensor<4xf32>) -> tensor<4xf32> loc("reader")
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK: remark: loc("operand"): {{.*}}Reason="the contraction reads each element several times", Remark="'tenon.tanh' is not in the kernel of node "matmul""
func.func @prologue(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = tenon.tanh %x : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("operand")
  %1 = tenon.dot_general %0, %w batch [] x [] contract [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32> loc("matmul")
  return %1 : tensor<4x16xf32>
}

// CHECK: remark: loc("sum"): {{.*}}Reason="the kernel does not go along the reduced rows", Remark="'tenon.reduce' is not in the kernel of 'tenon.broadcast_in_dim'"
func.func @across_rows(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = tenon.reduce add %x over [1] : (tensor<8x8xf32>) -> tensor<8xf32> loc("sum")
  %1 = tenon.broadcast_in_dim %0 dims [1] sizes [8, 8] : (tensor<8xf32>) -> tensor<8x8xf32>
  %2 = tenon.subtract %x, %1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// CHECK: remark: loc("flattened"): {{.*}}Reason="'tenon.reshape' uses it outside of kernels", Remark="'tenon.exponential' is not in the kernel of 'tenon.reshape'"
func.func @reshaped(%x: tensor<4x2xf32>) -> tensor<8xf32> {
  %0 = tenon.exponential %x : (tensor<4x2xf32>) -> tensor<4x2xf32> loc("flattened")
  %1 = tenon.reshape %0 sizes [8] : (tensor<4x2xf32>) -> tensor<8xf32>
  %2 = tenon.negate %1 : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// CHECK: remark: loc("shared"): {{.*}}Reason="several kernels read it", Remark="'tenon.tanh' is not in the kernel of {{.*}}"
func.func @several(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tenon.tanh %x : (tensor<4xf32>) -> tensor<4xf32> loc("shared")
  %1 = tenon.negate %0 : (tensor<4xf32>) -> tensor<4xf32> loc("first")
  %2 = tenon.exponential %0 : (tensor<4xf32>) -> tensor<4xf32> loc("second")
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}
