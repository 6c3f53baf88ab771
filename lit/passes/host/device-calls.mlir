// RUN: tenon-opt %s --tenon-make-device-entries --convert-scf-to-cf --tenon-convert-to-llvm --split-input-file | FileCheck %s

// A launch is a call of the first function of the call's table. It gives the
// number of the kernel, the number of the launch, the number of blocks, and the
// address of the values, each in a word: the memory for faults, addresses of
// buffers, dynamic extents, numbers and the number of tasks. Words of narrow
// values are zero behind them. If the call fails the function returns.
// The entry is a kernel for NVVM.
// CHECK: module attributes {tenon.launches = {{\[\[}}@kernel, #loc{{.*}}]]
// CHECK: llvm.func @kernel_entry(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// CHECK-SAME: nvvm.kernel
// CHECK-SAME: nvvm.maxntid = array<i32: 256, 1, 1>
// CHECK-LABEL: llvm.func @launch(
// CHECK-SAME: %[[CALL:[^:]*]]: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %[[X:[^:]*]]: !llvm.ptr,
// CHECK-SAME: %[[TASKS:[^:]*]]: i64)
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : {{.*}})
// CHECK: %[[LIST:.*]] = llvm.alloca %[[ONE]] x !llvm.array<4 x i64>
// CHECK-NOT: llvm.alloca
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[CALL]][184]
// CHECK: llvm.load %[[FIELD]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[EACH:.*]] = llvm.mlir.constant(256 : i64)
// CHECK: %[[ADDED:.*]] = llvm.mlir.constant(255 : i64)
// CHECK: %[[MORE:.*]] = llvm.add %[[TASKS]], %[[ADDED]]
// CHECK: %[[BLOCKS:.*]] = llvm.udiv %[[MORE]], %[[EACH]]
// CHECK: %[[KERNEL:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[LAUNCH:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[CALL]][168]
// CHECK: %[[TABLE:.*]] = llvm.load %[[FIELD]]
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[TABLE]][8]
// CHECK: %[[FUNCTION:.*]] = llvm.load %[[PLACE]]
// CHECK: %[[FAILED:.*]] = llvm.call %[[FUNCTION]](%[[CALL]], %[[KERNEL]], %[[LAUNCH]], %[[BLOCKS]], %[[LIST]], %[[TASKS]], %[[TASKS]])
// CHECK: %[[FAILS:.*]] = llvm.icmp "ne" %[[FAILED]]
// CHECK: llvm.cond_br %[[FAILS]], ^[[OUT:.*]], ^
// CHECK: ^[[OUT]]:
// CHECK-NEXT: llvm.return
module @device {
  func.func private @kernel(%faults: !llvm.ptr, %x: memref<?xf32>, %begin: index, %end: index) {
    return
  }
}
func.func @launch(%call: !llvm.ptr, %x: memref<?xf32>, %n: index) {
  tenon.device_launch @kernel tasks %n threads 256 block_tasks 256 flops %n bytes %n (%x) : memref<?xf32>
  return
}

// -----

// CHECK-LABEL: llvm.func @narrow(
// CHECK-SAME: %[[HALF:[^:]*]]: f16)
// CHECK: %[[LIST:.*]] = llvm.alloca {{.*}}array<3 x i64>
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[LIST]][8]
// CHECK-NEXT: %[[ZERO:.*]] = llvm.mlir.constant(0 : i64)
// CHECK-NEXT: llvm.store %[[ZERO]], %[[PLACE]]
// CHECK-NEXT: llvm.store %[[HALF]], %[[PLACE]]
module @device {
  func.func private @kernel(%faults: !llvm.ptr, %x: f16, %begin: index, %end: index) {
    return
  }
}
func.func @narrow(%call: !llvm.ptr, %n: index, %half: f16) {
  tenon.device_launch @kernel tasks %n threads 256 block_tasks 256 flops %n bytes %n (%half) : f16
  return
}

// -----

// The driver's compiler may give the entry the registers of a whole block.
// CHECK: llvm.func @wide_entry
// CHECK-SAME: nvvm.maxntid = array<i32: 64, 1, 1>, nvvm.minctasm = 1 : i32
module @device {
  func.func private @wide(%faults: !llvm.ptr, %scale: f32, %begin: index, %end: index) attributes {tenon.keeps_registers} {
    return
  }
}
func.func @registers(%call: !llvm.ptr, %n: index, %scale: f32) {
  tenon.device_launch @wide tasks %n threads 64 block_tasks 1 flops %n bytes %n (%scale) : f32
  return
}

// -----

// Kernels are numbered in the order of their entries. The second launch of a
// kernel has the kernel's number and its own.
// CHECK-LABEL: llvm.func @numbers(
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: llvm.mlir.constant(0 : i32)
// CHECK: llvm.mlir.constant(0 : i32)
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: llvm.mlir.constant(2 : i32)
module @device {
  func.func private @first(%faults: !llvm.ptr, %size: index, %begin: index, %end: index) {
    return
  }
  func.func private @second(%faults: !llvm.ptr, %size: index, %begin: index, %end: index) {
    return
  }
}
func.func @numbers(%call: !llvm.ptr, %n: index) {
  tenon.device_launch @second tasks %n threads 32 block_tasks 1 flops %n bytes %n (%n) : index
  tenon.device_launch @first tasks %n threads 32 block_tasks 1 flops %n bytes %n (%n) : index
  tenon.device_launch @second tasks %n threads 32 block_tasks 1 flops %n bytes %n (%n) : index
  return
}

// -----

// A transfer is a call of the function for its direction, with the number of
// bytes.
// CHECK-LABEL: llvm.func @transfers(
// CHECK-SAME: %[[CALL:[^:]*]]: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %[[A:[^:]*]]: !llvm.ptr,
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %{{.*}}[32]
// CHECK-NEXT: %[[WRITE:.*]] = llvm.load %[[PLACE]]
// CHECK-NEXT: llvm.call %[[WRITE]](%[[CALL]], %{{.*}}, %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %{{.*}}[24]
// CHECK-NEXT: %[[READ:.*]] = llvm.load %[[PLACE]]
// CHECK-NEXT: llvm.call %[[READ]](%[[CALL]], %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %{{.*}}[16]
// CHECK-NEXT: %[[COPY:.*]] = llvm.load %[[PLACE]]
// CHECK-NEXT: llvm.call %[[COPY]](%[[CALL]], %{{.*}}, %{{.*}}, %{{.*}})
func.func @transfers(%call: !llvm.ptr, %a: memref<?x4xf32>, %b: memref<?x4xf32>) {
  tenon.transfer host %a to %b : memref<?x4xf32>, memref<?x4xf32>
  tenon.transfer %a to host %b : memref<?x4xf32>, memref<?x4xf32>
  tenon.transfer %a to %b : memref<?x4xf32>, memref<?x4xf32>
  return
}

// -----

// An element goes through a place on the stack.
// CHECK-LABEL: llvm.func @elements(
// CHECK-SAME: %[[CALL:[^:]*]]: !llvm.ptr
// CHECK: %[[OUT_OF:.*]] = llvm.alloca
// CHECK: %[[INTO:.*]] = llvm.alloca
// CHECK: llvm.call %{{.*}}(%[[CALL]], %[[PLACE:.*]], %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
// CHECK: %[[ELEMENT:.*]] = llvm.load %[[PLACE]] : !llvm.ptr -> i64
// CHECK: llvm.store %[[ELEMENT]], %[[HERE:.*]] : i64
// CHECK: llvm.call %{{.*}}(%[[CALL]], %{{.*}}, %[[HERE]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
func.func @elements(%call: !llvm.ptr, %a: memref<4xi64>, %i: index) {
  %0 = tenon.device_load %a[%i] : memref<4xi64>, i64
  tenon.device_store %0, %a[%i] : i64, memref<4xi64>
  return
}

// -----

// Host memory is what the call names: the table of inputs, the weights or the
// arena.
// CHECK-LABEL: llvm.func @memory(
// CHECK-SAME: %[[CALL:[^:]*]]: !llvm.ptr,
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[CALL]][192]
// CHECK: %[[INPUTS:.*]] = llvm.load %[[FIELD]]
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[INPUTS]][8]
// CHECK: llvm.load %[[SECOND]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[CALL]][200]
// CHECK: llvm.load %[[FIELD]]
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[CALL]][208]
// CHECK: llvm.load %[[FIELD]]
func.func @memory(%call: !llvm.ptr, %x: memref<4xi64>, %y: memref<4xi64>, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>,
                  %extents: memref<?xi64>) attributes {tenon.num_inputs = 2, tenon.num_outputs = 0} {
  %c0 = arith.constant 0 : index
  %0 = tenon.host_memory %y : memref<4xi64>
  %1 = memref.load %0[%c0] : memref<4xi64>
  memref.store %1, %0[%c0] : memref<4xi64>
  %2 = tenon.host_memory %weights : memref<?xi8>
  %3 = memref.load %2[%c0] : memref<?xi8>
  %4 = tenon.host_memory %arena : memref<?xi8>
  memref.store %3, %4[%c0] : memref<?xi8>
  return
}
