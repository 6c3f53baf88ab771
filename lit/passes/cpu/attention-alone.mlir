// RUN: tenon-opt %s --tenon-to-tiled | FileCheck %s

// Attention of one sequence and one head: the operands have no batch
// dimensions.
// CHECK-LABEL: func.func @alone(
// CHECK: tenon.launch @attention
func.func @alone(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x8xf32>) -> tensor<4x8xf32> {
  %0 = tenon.attention %q, %k, %v order [0, 1] x [0, 1] x [0, 1] to [0, 1] scale 1.0 : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
