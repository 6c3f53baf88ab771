// RUN: tenon-opt %s --tenon-make-device-entries --split-input-file | FileCheck %s

// The entry takes addresses, dynamic extents and the number of tasks. Each
// thread runs the task of its number.
// CHECK-LABEL: func.func @kernel_entry(
// CHECK-SAME: %[[FAULTS:[^:]*]]: !llvm.ptr, %[[X:[^:]*]]: !llvm.ptr, %[[N:[^:]*]]: i64, %[[Y:[^:]*]]: !llvm.ptr, %[[SIZE:[^:]*]]: i64, %[[SCALE:[^:]*]]: f32, %[[TASKS:[^:]*]]: i64)
// CHECK-NOT: tenon.keeps_registers
// CHECK-SAME: tenon.threads = 256
// CHECK: llvm.insertvalue %[[X]], %{{.*}}[0]
// CHECK: llvm.insertvalue %[[N]], %{{.*}}[3, 0]
// CHECK: %[[MEMORY:.*]] = builtin.unrealized_conversion_cast {{.*}} to memref<?x4xf32>
// CHECK: %[[BLOCK:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK: %[[WIDE:.*]] = arith.extui %[[BLOCK]] : i32 to i64
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[OFFSET:.*]] = arith.extui %[[THREAD]] : i32 to i64
// CHECK: %[[C256:.*]] = arith.constant 256 : i64
// CHECK: %[[FIRST:.*]] = arith.muli %[[WIDE]], %[[C256]]
// CHECK: %[[TASK:.*]] = arith.addi %[[FIRST]], %[[OFFSET]]
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[TASK]], %[[TASKS]]
// CHECK: scf.if %[[INSIDE]]
// CHECK: func.call @kernel(%[[FAULTS]], %[[MEMORY]], %{{.*}}, %{{.*}}, %[[SCALE]], %{{.*}}, %{{.*}})
module @device {
  func.func private @kernel(%faults: !llvm.ptr, %x: memref<?x4xf32>, %y: memref<4xf32>, %size: index, %scale: f32, %begin: index, %end: index) {
    return
  }
}
func.func @threads(%call: !llvm.ptr, %x: memref<?x4xf32>, %y: memref<4xf32>, %n: index, %scale: f32) {
  tenon.device_launch @kernel tasks %n threads 256 block_tasks 256 flops %n bytes %n (%x, %y, %n, %scale) : memref<?x4xf32>, memref<4xf32>, index, f32
  return
}

// -----

// All threads of a block run the task of the block's number. A kernel that is
// launched twice gets one entry, which keeps registers as the kernel does.
// CHECK-LABEL: func.func @kernel_entry(
// CHECK-SAME: tenon.keeps_registers
// CHECK: nvvm.read.ptx.sreg.ctaid.x
// CHECK-NOT: nvvm.read.ptx.sreg.tid.x
// CHECK: func.call @kernel(
// CHECK-NOT: @kernel_entry
// CHECK: func.func @blocks(
module @device {
  func.func private @kernel(%faults: !llvm.ptr, %x: memref<4xf32>, %begin: index, %end: index) attributes {tenon.keeps_registers} {
    return
  }
}
func.func @blocks(%call: !llvm.ptr, %x: memref<4xf32>, %n: index) {
  tenon.device_launch @kernel tasks %n threads 64 block_tasks 1 flops %n bytes %n (%x) : memref<4xf32>
  tenon.device_launch @kernel tasks %n threads 64 block_tasks 1 flops %n bytes %n (%x) : memref<4xf32>
  return
}

// -----

// A kernel that is never launched gets no entry, nor does a module without
// device need one.
// CHECK-LABEL: module @device
// CHECK-NOT: tenon.threads
module @device {
  func.func private @kernel(%faults: !llvm.ptr, %x: memref<4xf32>, %begin: index, %end: index) {
    return
  }
}

// -----

// CHECK-LABEL: func.func @no_device(
// CHECK-NEXT: return
func.func @no_device(%call: !llvm.ptr) {
  return
}
