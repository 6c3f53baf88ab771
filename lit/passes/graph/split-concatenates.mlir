// RUN: tenon-opt %s --tenon-split-concatenates | FileCheck %s

// 66 operands become groups of 32, 32 and 2, which are joined again.
// CHECK-LABEL: func.func @many(
// CHECK: %[[A:.*]] = tenon.concatenate {{(%arg0(, )?)+}} dim 0 : ({{.*}}) -> tensor<64xf32>
// CHECK-NEXT: %[[B:.*]] = tenon.concatenate {{(%arg0(, )?)+}} dim 0 : ({{.*}}) -> tensor<64xf32>
// CHECK-NEXT: %[[C:.*]] = tenon.concatenate %arg0, %arg0 dim 0 : ({{.*}}) -> tensor<4xf32>
// CHECK-NEXT: %[[R:.*]] = tenon.concatenate %[[A]], %[[B]], %[[C]] dim 0
// CHECK-NEXT: return %[[R]] : tensor<132xf32>
func.func @many(%x: tensor<2xf32>) -> tensor<132xf32> {
  %0 = tenon.concatenate %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x dim 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<132xf32>
  return %0 : tensor<132xf32>
}

// CHECK-LABEL: func.func @few(
// CHECK: tenon.concatenate %arg0, %arg1 dim 0
// CHECK-NEXT: return
func.func @few(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<5xf32> {
  %0 = tenon.concatenate %x, %y dim 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
