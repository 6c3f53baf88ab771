// RUN: tenon-opt %s --tenon-plan-fusions | FileCheck %s

// CHECK-LABEL: func.func @chain(
// CHECK: tenon.exponential {{.*}} {tenon.group = [[G:.*]]}
// CHECK: tenon.negate {{.*}} {tenon.group = [[G]]}
func.func @chain(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tenon.exponential %x : (tensor<?xf32>) -> tensor<?xf32>
  %1 = tenon.negate %0 : (tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// The bias joins the contraction whose result it is added to.
// CHECK-LABEL: func.func @epilogue(
// CHECK: tenon.dot_general {{.*}} {tenon.group = [[G:.*]]}
// CHECK: tenon.add {{.*}} {tenon.group = [[G]]}
func.func @epilogue(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = tenon.add %0, %b : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

// Two contractions in a row are two kernels.
// CHECK-LABEL: func.func @two_contractions(
// CHECK: tenon.dot_general {{.*}} {tenon.group = [[FIRST:.*]]}
// CHECK-NOT: {tenon.group = [[FIRST]]}
// CHECK: return
func.func @two_contractions(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = tenon.dot_general %0, %w batch [] x [] contract [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
