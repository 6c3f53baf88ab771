// Each operand of a concatenation is copied in contiguous runs, one
// task per outer index. With few outer indices, or a run that is not
// a multiple of the vector, the general map kernel copies row by row.
// RUN: tenon-opt %s --tenon-to-tiled --split-input-file \
// RUN: | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: func.func private @map{{.*}}(
// CHECK: scf.for %[[TASK:.*]] =
// CHECK-DAG: arith.muli %[[TASK]], %c2112
// CHECK-DAG: arith.muli %[[TASK]], %c2048
// CHECK: scf.for %{{.*}} = %c0 to %c2048 step %c16
// CHECK: vector.load
// CHECK: vector.store
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c16
// CHECK-NOT: arith.remui
// CHECK: return
func.func @cache(%past: tensor<?x12x32x64xf32>, %new: tensor<?x12x1x64xf32>) -> tensor<?x12x33x64xf32> {
  %0 = tenon.concatenate %past, %new dim 2 : (tensor<?x12x32x64xf32>, tensor<?x12x1x64xf32>) -> tensor<?x12x33x64xf32>
  return %0 : tensor<?x12x33x64xf32>
}
}

// -----
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: func.func private @map{{.*}}(
// CHECK: arith.remui %{{.*}}, %c33
func.func @few(%a: tensor<2x32x64xf32>, %b: tensor<2x1x64xf32>) -> tensor<2x33x64xf32> {
  %0 = tenon.concatenate %a, %b dim 1 : (tensor<2x32x64xf32>, tensor<2x1x64xf32>) -> tensor<2x33x64xf32>
  return %0 : tensor<2x33x64xf32>
}
}

// -----
module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: func.func private @map{{.*}}(
// CHECK: arith.remui %{{.*}}, %c33
func.func @uneven(%a: tensor<12x32x24xf32>, %b: tensor<12x1x24xf32>) -> tensor<12x33x24xf32> {
  %0 = tenon.concatenate %a, %b dim 1 : (tensor<12x32x24xf32>, tensor<12x1x24xf32>) -> tensor<12x33x24xf32>
  return %0 : tensor<12x33x24xf32>
}
}
