// A remark names the kind of each kernel and its nodes.
// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-plan-fusions,tenon-form-fusions))' --remarks-filter=fusion 2>&1 >/dev/null | FileCheck %s --implicit-check-not=remark:

// CHECK: remark: loc("matmul"): [Passed] kernel | Category:fusion | Function=epilogue | Remark="contraction kernel of "matmul", "bias", "act"", ops=4
func.func @epilogue(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32> loc("matmul")
  %1 = tenon.broadcast_in_dim %b dims [1] sizes [4, 16] : (tensor<16xf32>) -> tensor<4x16xf32> loc("bias")
  %2 = tenon.add %0, %1 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32> loc("bias")
  %3 = tenon.tanh %2 : (tensor<4x16xf32>) -> tensor<4x16xf32> loc("act")
  return %3 : tensor<4x16xf32>
}
