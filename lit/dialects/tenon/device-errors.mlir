// RUN: tenon-opt %s --split-input-file --verify-diagnostics

func.func @host_memory_c1(%call: !llvm.ptr, %y: memref<4xf32> {tenon.output}, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>,
                          %extents: memref<?xi64>) attributes {tenon.num_inputs = 0, tenon.num_outputs = 1} {
  // expected-error@+1 {{'tenon.host_memory' op expected an input, the arena or the weights of a placed function (C1)}}
  %0 = tenon.host_memory %y : memref<4xf32>
  return
}

// -----

func.func @host_memory_c1_state(%call: !llvm.ptr, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>, %extents: memref<?xi64>)
    attributes {tenon.num_inputs = 0, tenon.num_outputs = 0} {
  // expected-error@+1 {{expected an input, the arena or the weights of a placed function (C1)}}
  %0 = tenon.host_memory %state : memref<?xi8>
  return
}

// -----

func.func @host_memory_c1_not_placed(%x: memref<4xi64>) {
  // expected-error@+1 {{expected an input, the arena or the weights of a placed function (C1)}}
  %0 = tenon.host_memory %x : memref<4xi64>
  return
}

// -----

func.func @transfer_c1(%a: memref<4xf32>, %b: memref<5xf32>) {
  // expected-error@+1 {{'tenon.transfer' op expected buffers of one shape and element type (C1), got 'memref<4xf32>' and 'memref<5xf32>'}}
  tenon.transfer host %a to %b : memref<4xf32>, memref<5xf32>
  return
}

// -----

func.func @transfer_c1_element(%a: memref<4xf32>, %b: memref<4xi32>) {
  // expected-error@+1 {{expected buffers of one shape and element type (C1), got 'memref<4xf32>' and 'memref<4xi32>'}}
  tenon.transfer host %a to %b : memref<4xf32>, memref<4xi32>
  return
}

// -----

func.func @transfer_c2(%a: memref<4xf32>, %b: memref<4xf32>) {
  // expected-error@+1 {{'tenon.transfer' op expected a buffer in device memory (C2), got two in host memory}}
  tenon.transfer host %a to host %b : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @device_load_c1(%a: memref<4xi64>, %i: index) {
  // expected-error@+1 {{'tenon.device_load' op expected 1 indices and an element of 'i64' (C1), got 2 and 'i64'}}
  %0 = tenon.device_load %a[%i, %i] : memref<4xi64>, i64
  return
}

// -----

func.func @device_store_c1(%a: memref<4xi64>, %i: index, %v: f32) {
  // expected-error@+1 {{'tenon.device_store' op expected 1 indices and an element of 'i64' (C1), got 1 and 'f32'}}
  tenon.device_store %v, %a[%i] : f32, memref<4xi64>
  return
}

// -----

func.func private @beside(!llvm.ptr, memref<4xf32>, index, index)
module @device {
}
func.func @device_launch_c1(%call: !llvm.ptr, %x: memref<4xf32>, %n: index) {
  // expected-error@+1 {{'tenon.device_launch' op expected a function without results named @beside (C1)}}
  tenon.device_launch @beside tasks %n threads 256 block_tasks 256 flops %n bytes %n (%x) : memref<4xf32>
  return
}

// -----

module @device {
  // expected-note@+1 {{the kernel is here}}
  func.func private @kernel(!llvm.ptr, memref<5xf32>, index, index)
}
func.func @device_launch_c2(%call: !llvm.ptr, %x: memref<4xf32>, %n: index) {
  // expected-error@+1 {{'tenon.device_launch' op expected a kernel of a pointer, the operands and two index (C2)}}
  tenon.device_launch @kernel tasks %n threads 256 block_tasks 256 flops %n bytes %n (%x) : memref<4xf32>
  return
}

// -----

module @device {
  func.func private @kernel(!llvm.ptr, memref<?xf32>, index, index)
}
func.func @device_launch_c2_extents(%call: !llvm.ptr, %x: memref<4xf32>, %n: index) {
  // expected-error@+1 {{expected a kernel with static extents where the operand's are (C2), got 'memref<?xf32>' for 'memref<4xf32>'}}
  tenon.device_launch @kernel tasks %n threads 256 block_tasks 256 flops %n bytes %n (%x) : memref<4xf32>
  return
}

// -----

module @device {
  func.func private @kernel(!llvm.ptr, memref<4xf32>, index, index)
}
func.func @device_launch_c3(%call: !llvm.ptr, %x: memref<4xf32>, %n: index) {
  // expected-error@+1 {{expected threads in whole warps up to 1024, and one task a block or a thread (C3), got 48 threads and 48 tasks}}
  tenon.device_launch @kernel tasks %n threads 48 block_tasks 48 flops %n bytes %n (%x) : memref<4xf32>
  return
}

// -----

module @device {
  func.func private @kernel(!llvm.ptr, memref<4xf32>, index, index)
}
func.func @device_launch_c3_tasks(%call: !llvm.ptr, %x: memref<4xf32>, %n: index) {
  // expected-error@+1 {{(C3), got 64 threads and 32 tasks}}
  tenon.device_launch @kernel tasks %n threads 64 block_tasks 32 flops %n bytes %n (%x) : memref<4xf32>
  return
}
