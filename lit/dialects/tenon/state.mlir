// RUN: tenon-opt %s --verify-roundtrip | FileCheck %s

tenon.weight @first : tensor<4xf32> from #tenon.source<"model.onnx", 0, 16>
// CHECK: tenon.state @counter : tensor<i32> = dense<7> : tensor<i32>
tenon.state @counter : tensor<i32> = dense<7> : tensor<i32>
// CHECK: tenon.state @h : tensor<4xf32> from @first
tenon.state @h : tensor<4xf32> from @first
// CHECK: tenon.state @zeros : tensor<2x0xi1>{{$}}
tenon.state @zeros : tensor<2x0xi1>

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
