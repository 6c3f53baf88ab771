// RUN: tenon-opt %s --tenon-lower-device-fusions --canonicalize --split-input-file | FileCheck %s

// Fusions with equal regions, types and plans share one kernel of the module
// @device. The kernel takes the memory for faults and its range of tasks.
// CHECK-LABEL: func.func @pair(
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr, %[[X:[^:]*]]: memref<64xf32>, %[[Y:[^:]*]]: memref<64xf32>, %[[Z:[^:]*]]: memref<64xf32>
// CHECK: %[[TASKS:.*]] = arith.constant 64 : index
// CHECK: %[[BYTES:.*]] = arith.constant 512 : index
// CHECK: tenon.device_launch @[[KERNEL:[a-z0-9_.]+]] tasks %[[TASKS]] threads 256 block_tasks 256 flops %{{.*}} bytes %[[BYTES]](%[[X]], %[[Y]])
// CHECK: tenon.device_launch @[[KERNEL]] tasks {{.*}}(%[[Y]], %[[Z]])
// CHECK: module @device
// CHECK: func.func private @[[KERNEL]](%{{[^:]*}}: !llvm.ptr, %[[IN:[^:]*]]: memref<64xf32>, %[[OUT:[^:]*]]: memref<64xf32>, %[[BEGIN:[^:]*]]: index, %[[END:[^:]*]]: index)
// CHECK: scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]]
// CHECK: %[[ELEMENT:.*]] = memref.load %[[IN]][%[[I]]]
// CHECK: %[[RESULT:.*]] = arith.negf %[[ELEMENT]] : f32
// CHECK: memref.store %[[RESULT]], %[[OUT]][%[[I]]]
// CHECK-NOT: func.func
func.func @pair(%call: !llvm.ptr, %x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>) {
  tenon.fusion map ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) attributes {tenon.on_device, tenon.plan = #tenon.general} {
  ^bb0(%t: tensor<64xf32>):
    %0 = tenon.negate %t : (tensor<64xf32>) -> tensor<64xf32>
    tenon.yield %0 : tensor<64xf32>
  }
  tenon.fusion map ins(%y : memref<64xf32>) outs(%z : memref<64xf32>) attributes {tenon.on_device, tenon.plan = #tenon.general} {
  ^bb0(%t: tensor<64xf32>):
    %0 = tenon.negate %t : (tensor<64xf32>) -> tensor<64xf32>
    tenon.yield %0 : tensor<64xf32>
  }
  return
}

// -----

// A thread sums one element of a product by multiply-adds.
// CHECK-LABEL: func.func @product(
// CHECK: tenon.device_launch @{{.*}} tasks %c12 threads 256
// CHECK: module @device
// CHECK: scf.for
// CHECK: math.fma {{.*}} : f32
func.func @product(%call: !llvm.ptr, %x: memref<3x8xf32>, %w: memref<8x4xf32>, %y: memref<3x4xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<3x8xf32>, memref<8x4xf32>) outs(%y : memref<3x4xf32>) attributes {tenon.on_device, tenon.plan = #tenon.general} {
  ^bb0(%a: tensor<3x8xf32>, %b: tensor<8x4xf32>):
    %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
    tenon.yield %0 : tensor<3x4xf32>
  }
  return
}

// -----

// A task of a reduction is a row.
// CHECK-LABEL: func.func @rows(
// CHECK: tenon.device_launch @{{.*}} tasks %c3 threads 256
func.func @rows(%call: !llvm.ptr, %x: memref<3x8xf32>, %y: memref<3xf32>) {
  tenon.fusion rows ins(%x : memref<3x8xf32>) outs(%y : memref<3xf32>) attributes {tenon.on_device, tenon.plan = #tenon.general} {
  ^bb0(%t: tensor<3x8xf32>):
    %0 = tenon.reduce add %t over [1] : (tensor<3x8xf32>) -> tensor<3xf32>
    tenon.yield %0 : tensor<3xf32>
  }
  return
}

// -----

// Where an extent is unknown, the host computes the number of tasks.
// CHECK-LABEL: func.func @unknown(
// CHECK: %[[N:.*]] = memref.dim
// CHECK: tenon.device_launch @{{.*}} tasks %[[N]] threads 256
func.func @unknown(%call: !llvm.ptr, %x: memref<?xf32>, %y: memref<?xf32>) {
  tenon.fusion map ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) attributes {tenon.on_device, tenon.plan = #tenon.general} {
  ^bb0(%t: tensor<?xf32>):
    %0 = tenon.negate %t : (tensor<?xf32>) -> tensor<?xf32>
    tenon.yield %0 : tensor<?xf32>
  }
  return
}

// -----

// An empty result needs no kernel, and a fusion of the host is left alone.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: tenon.device_launch
// CHECK: tenon.fusion map ins(%{{.*}} : memref<4xf32>)
// CHECK-NOT: tenon.device_launch
// CHECK: module @device
// CHECK-NOT: func.func
func.func @others(%call: !llvm.ptr, %x: memref<0xf32>, %y: memref<4xf32>) {
  tenon.fusion map ins(%x : memref<0xf32>) outs(%x : memref<0xf32>) attributes {tenon.on_device, tenon.plan = #tenon.general} {
  ^bb0(%t: tensor<0xf32>):
    %0 = tenon.negate %t : (tensor<0xf32>) -> tensor<0xf32>
    tenon.yield %0 : tensor<0xf32>
  }
  tenon.fusion map ins(%y : memref<4xf32>) outs(%y : memref<4xf32>) attributes {tenon.plan = #tenon.general} {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.negate %t : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  }
  return
}

// -----

// All threads of a block compute one tile, with operands in shared memory and
// sums in registers.
// CHECK-LABEL: func.func @tile(
// CHECK: tenon.device_launch @[[KERNEL:.*]] tasks %{{.*}} threads 256 block_tasks 1
// CHECK: module @device
// CHECK: memref.global "private" @{{.*}} : memref<1088xf32, 3>
// CHECK: func.func private @[[KERNEL]](
// CHECK-SAME: tenon.keeps_registers
// CHECK: nvvm.barrier
// CHECK: math.fma
func.func @tile(%call: !llvm.ptr, %x: memref<64x64xf32>, %w: memref<64x64xf32>, %y: memref<64x64xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<64x64xf32>, memref<64x64xf32>) outs(%y : memref<64x64xf32>)
      attributes {tenon.on_device, tenon.plan = #tenon.block_tile<rows = 64, columns = 64, depth = 16>} {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>):
    %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    tenon.yield %0 : tensor<64x64xf32>
  }
  return
}

// -----

// Where rows are unknown, the host chooses between tiles and a kernel for few
// rows.
// CHECK-LABEL: func.func @rows(
// CHECK: %[[SMALL:.*]] = arith.cmpi slt
// CHECK: scf.if %[[SMALL]]
// CHECK: tenon.device_launch @{{.*}} threads 256 block_tasks 256
// CHECK: else
// CHECK: tenon.device_launch @{{.*}} threads 256 block_tasks 1
func.func @rows(%call: !llvm.ptr, %x: memref<?x64xf32>, %w: memref<64x64xf32>, %y: memref<?x64xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<?x64xf32>, memref<64x64xf32>) outs(%y : memref<?x64xf32>)
      attributes {tenon.on_device, tenon.plan = #tenon.block_tile<rows = 64, columns = 64, depth = 16>} {
  ^bb0(%a: tensor<?x64xf32>, %b: tensor<64x64xf32>):
    %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    tenon.yield %0 : tensor<?x64xf32>
  }
  return
}

// -----

// The threads of a block write a row; then the core sorts it.
// CHECK-LABEL: func.func @sort(
// CHECK: tenon.device_launch @[[KERNEL:.*]] tasks %c3 threads 256 block_tasks 1
// CHECK: module @device
// CHECK: func.func private @[[KERNEL]](
// CHECK: scf.for
// CHECK: memref.store
// CHECK: llvm.call @tenon_core_block_sort_f32(
func.func @sort(%call: !llvm.ptr, %x: memref<3x900xf32>, %y: memref<3x900xf32>, %z: memref<3x900xi64>) {
  tenon.fusion sort ins(%x : memref<3x900xf32>) outs(%y, %z : memref<3x900xf32>, memref<3x900xi64>) attributes {tenon.on_device, tenon.plan = #tenon.block} {
  ^bb0(%t: tensor<3x900xf32>):
    %0, %1 = tenon.sort %t dim 1 : (tensor<3x900xf32>) -> (tensor<3x900xf32>, tensor<3x900xi64>)
    tenon.yield %0, %1 : tensor<3x900xf32>, tensor<3x900xi64>
  }
  return
}

// -----

// A warp computes two rows of 64 columns. Where memory is aligned, a thread has
// four neighbouring columns of a row; elsewhere its columns are 16 apart. A sum
// of neighbouring lanes takes the lanes of other threads first, and the order of
// a maximum is free.
// CHECK-LABEL: func.func @warp_rows(
// CHECK: tenon.device_launch @[[KERNEL:.*]] tasks %c2 threads 128 block_tasks 1
// CHECK: func.func private @[[KERNEL]](%{{[^:]*}}: !llvm.ptr, %[[X:[^:]*]]: memref<16x64xf32>, %[[Y:[^:]*]]: memref<16x64xf32>
// CHECK: memref.extract_aligned_pointer_as_index %[[X]]
// CHECK: memref.extract_aligned_pointer_as_index %[[Y]]
// CHECK: scf.if
// CHECK: vector.load %[[X]]{{.*}} {alignment = 16 : i64} : memref<16x64xf32>, vector<4xf32>
// CHECK-COUNT-4: nvvm.shfl.sync bfly
// CHECK-COUNT-16: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl.sync
// CHECK: vector.store {{.*}}, %[[Y]]{{.*}} {alignment = 16 : i64}
// CHECK: else
// CHECK-COUNT-4: memref.load %[[X]]
// CHECK-NOT: memref.load
// CHECK-COUNT-8: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl.sync
// CHECK-COUNT-4: memref.store {{.*}}, %[[Y]]
func.func @warp_rows(%call: !llvm.ptr, %x: memref<16x64xf32>, %y: memref<16x64xf32>) {
  tenon.fusion rows ins(%x : memref<16x64xf32>) outs(%y : memref<16x64xf32>)
      attributes {tenon.on_device, tenon.plan = #tenon.warp_rows<threads = 16, held = true>} {
  ^bb0(%a: tensor<16x64xf32>):
    %0 = tenon.reduce maximum %a over [1] : (tensor<16x64xf32>) -> tensor<16xf32>
    %1 = tenon.broadcast_in_dim %0 dims [0] sizes [16, 64] : (tensor<16xf32>) -> tensor<16x64xf32>
    %2 = tenon.subtract %a, %1 : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
    %3 = tenon.reduce add %2 over [1] : (tensor<16x64xf32>) -> tensor<16xf32>
    %4 = tenon.broadcast_in_dim %3 dims [0] sizes [16, 64] : (tensor<16xf32>) -> tensor<16x64xf32>
    %5 = tenon.divide %2, %4 : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
    tenon.yield %5 : tensor<16x64xf32>
  }
  return
}

// -----

// Threads tell each other what they have found through shared memory.
// CHECK-LABEL: func.func @scan(
// CHECK: module @device
// CHECK: memref.global "private" @{{.*}} : memref<256xi32, 3>
// CHECK: scf.for
// CHECK: nvvm.barrier
// CHECK: scf.for
// CHECK: scf.for
// CHECK: memref.store
func.func @scan(%call: !llvm.ptr, %x: memref<3x900xi32>, %y: memref<3x900xi32>) {
  tenon.fusion scan ins(%x : memref<3x900xi32>) outs(%y : memref<3x900xi32>) attributes {tenon.on_device, tenon.plan = #tenon.block} {
  ^bb0(%t: tensor<3x900xi32>):
    %0 = tenon.cumulative add %t over 1 : tensor<3x900xi32>
    tenon.yield %0 : tensor<3x900xi32>
  }
  return
}

// -----

// A scatter first copies its operand, unless that is the output.
// CHECK-LABEL: func.func @scatter(
// CHECK: tenon.device_launch @[[COPY:.*]] tasks %c32 threads 256 block_tasks 256
// CHECK: tenon.device_launch @[[UPDATE:.*]] tasks %c20 threads 256 block_tasks 256
// CHECK: tenon.device_launch @{{.*}} tasks %c20 threads 256 block_tasks 256
// CHECK-NOT: tenon.device_launch
func.func @scatter(%call: !llvm.ptr, %x: memref<8x4xf32>, %i: memref<90x1xi64>, %u: memref<90x4xf32>, %y: memref<8x4xf32>) {
  tenon.fusion scatter ins(%x, %i, %u : memref<8x4xf32>, memref<90x1xi64>, memref<90x4xf32>) outs(%y : memref<8x4xf32>)
      attributes {tenon.on_device, tenon.plan = #tenon.device_update<tasks = 20>} {
  ^bb0(%old: tensor<8x4xf32>, %places: tensor<90x1xi64>, %new: tensor<90x4xf32>):
    %0 = tenon.scatter add %old, %places, %new window_dims [1] inserted [0] batching [] x [] map [0] vector_dim 1
       : (tensor<8x4xf32>, tensor<90x1xi64>, tensor<90x4xf32>) -> tensor<8x4xf32>
    tenon.yield %0 : tensor<8x4xf32>
  }
  tenon.fusion scatter ins(%y, %i, %u : memref<8x4xf32>, memref<90x1xi64>, memref<90x4xf32>) outs(%y : memref<8x4xf32>)
      attributes {tenon.on_device, tenon.plan = #tenon.device_update<tasks = 20>} {
  ^bb0(%old: tensor<8x4xf32>, %places: tensor<90x1xi64>, %new: tensor<90x4xf32>):
    %0 = tenon.scatter add %old, %places, %new window_dims [1] inserted [0] batching [] x [] map [0] vector_dim 1
       : (tensor<8x4xf32>, tensor<90x1xi64>, tensor<90x4xf32>) -> tensor<8x4xf32>
    tenon.yield %0 : tensor<8x4xf32>
  }
  return
}

// -----

// A thread of a map has a quad of elements. Where memory is not aligned, its
// elements are as far apart as the block has threads. Elements after the last
// quad are computed one by one.
// CHECK-LABEL: func.func @wide_map(
// CHECK: tenon.device_launch @[[KERNEL:.*]] tasks %c2 threads 256 block_tasks 1
// CHECK: func.func private @[[KERNEL]](%{{[^:]*}}: !llvm.ptr, %[[X:[^:]*]]: memref<5x301xf32>, %[[Y:[^:]*]]: memref<5x301xf32>
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK: scf.if
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<1505xf32{{.*}}>, vector<4xf32>
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<1505xf32{{.*}}>, vector<4xf32>
// CHECK: else
// CHECK: scf.for %{{.*}} = %{{.*}} to %c1505 step %c1 {
// CHECK: memref.load {{.*}} : memref<1505xf32
// CHECK: else
// CHECK: scf.for %{{.*}} step %c256 {
// CHECK: memref.load {{.*}} : memref<1505xf32
func.func @wide_map(%call: !llvm.ptr, %x: memref<5x301xf32>, %y: memref<5x301xf32>) {
  tenon.fusion map ins(%x : memref<5x301xf32>) outs(%y : memref<5x301xf32>)
      attributes {tenon.on_device, tenon.plan = #tenon.wide_map<lanes = 4, flat = true>} {
  ^bb0(%t: tensor<5x301xf32>):
    %0 = tenon.negate %t : (tensor<5x301xf32>) -> tensor<5x301xf32>
    tenon.yield %0 : tensor<5x301xf32>
  }
  return
}
