// RUN: tenon-opt %s --verify-roundtrip --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @host_memory(
// CHECK: tenon.host_memory %{{.*}} : memref<4xi64>
// CHECK: tenon.host_memory %{{.*}} : memref<?xi8>
// CHECK: tenon.host_memory %{{.*}} : memref<?xi8>
func.func @host_memory(%call: !llvm.ptr, %x: memref<4xi64>, %y: memref<4xf32> {tenon.output}, %arena: memref<?xi8>, %weights: memref<?xi8>,
                       %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 1, tenon.num_outputs = 1} {
  %0 = tenon.host_memory %x : memref<4xi64>
  %1 = tenon.host_memory %arena : memref<?xi8>
  %2 = tenon.host_memory %weights : memref<?xi8>
  return
}

// -----

// A static extent may meet a dynamic one.
// CHECK-LABEL: func.func @transfer(
// CHECK: tenon.transfer host %{{.*}} to %{{.*}} : memref<4xf32>, memref<?xf32>
// CHECK: tenon.transfer %{{.*}} to host %{{.*}} : memref<?xf32>, memref<4xf32>
// CHECK: tenon.transfer %{{.*}} to %{{.*}} : memref<4xf32>, memref<4xf32>
func.func @transfer(%a: memref<4xf32>, %b: memref<?xf32>) {
  tenon.transfer host %a to %b : memref<4xf32>, memref<?xf32>
  tenon.transfer %b to host %a : memref<?xf32>, memref<4xf32>
  tenon.transfer %a to %a : memref<4xf32>, memref<4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @elements(
// CHECK: tenon.device_load %{{.*}}[%{{.*}}, %{{.*}}] : memref<4x?xi64>, i64
// CHECK: tenon.device_load %{{.*}}[] : memref<f32>, f32
// CHECK: tenon.device_store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : i64, memref<4x?xi64>
func.func @elements(%a: memref<4x?xi64>, %b: memref<f32>, %i: index) {
  %0 = tenon.device_load %a[%i, %i] : memref<4x?xi64>, i64
  %1 = tenon.device_load %b[] : memref<f32>, f32
  tenon.device_store %0, %a[%i, %i] : i64, memref<4x?xi64>
  return
}

// -----

// Each thread has a task, or each block. A kernel may take elements of another
// type with as many bytes.
// CHECK-LABEL: func.func @device_launch(
// CHECK: tenon.device_launch @kernel tasks %{{.*}} threads 256 block_tasks 256 flops %{{.*}} bytes %{{.*}}(%{{.*}}, %{{.*}}) : memref<4xf32>, f32
// CHECK: tenon.device_launch @kernel tasks %{{.*}} threads 64 block_tasks 1 flops
module @device {
  func.func private @kernel(!llvm.ptr, memref<4xi32>, f32, index, index)
}
func.func @device_launch(%call: !llvm.ptr, %x: memref<4xf32>, %s: f32, %n: index) {
  tenon.device_launch @kernel tasks %n threads 256 block_tasks 256 flops %n bytes %n (%x, %s) : memref<4xf32>, f32
  tenon.device_launch @kernel tasks %n threads 64 block_tasks 1 flops %n bytes %n (%x, %s) : memref<4xf32>, f32
  return
}
