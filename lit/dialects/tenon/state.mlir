// RUN: tenon-opt %s --verify-roundtrip | FileCheck %s

tenon.weight @first : tensor<4xf32> from #tenon.source<"model.onnx", 0, 16>
// CHECK: tenon.state @counter : tensor<i32> = dense<7> : tensor<i32>
tenon.state @counter : tensor<i32> = dense<7> : tensor<i32>
// CHECK: tenon.state @h : tensor<4xf32> from @first
tenon.state @h : tensor<4xf32> from @first
// CHECK: tenon.state @zeros : tensor<2x0xi1>{{$}}
tenon.state @zeros : tensor<2x0xi1>

// CHECK: tenon.context_extent @rows 1 to 16 default 4
tenon.context_extent @rows 1 to 16 default 4
// CHECK: tenon.state @cache : tensor<?x8x?xf32> extents [@rows, @rows]
tenon.state @cache : tensor<?x8x?xf32> extents [@rows, @rows]

// CHECK-LABEL: func.func @sizes(
// CHECK: tenon.get_extent @rows
// CHECK: tenon.state_offset @cache
// CHECK: tenon.state_read @cache : tensor<?x8x?xf32>
// CHECK: tenon.state_memory @cache : memref<?x8x?xf32>
func.func @sizes() {
  %0 = tenon.get_extent @rows
  %1 = tenon.state_offset @cache
  %2 = tenon.state_read @cache : tensor<?x8x?xf32>
  %3 = tenon.state_memory @cache : memref<?x8x?xf32>
  return
}

// CHECK-LABEL: func.func @uses(
// CHECK: tenon.state_read @counter : tensor<i32>
// CHECK: tenon.state_read @counter in_place : tensor<i32>
// CHECK: tenon.state_write @h, %{{.*}} : tensor<4xf32>
// CHECK: tenon.state_memory @h : tensor<4xf32>
// CHECK: tenon.state_memory @h : memref<4xf32>
func.func @uses(%v: tensor<4xf32>) {
  %0 = tenon.state_read @counter : tensor<i32>
  %1 = tenon.state_read @counter in_place : tensor<i32>
  tenon.state_write @h, %v : tensor<4xf32>
  %2 = tenon.state_memory @h : tensor<4xf32>
  %3 = tenon.state_memory @h : memref<4xf32>
  return
}
