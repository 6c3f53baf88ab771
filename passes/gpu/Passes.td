// Passes that divide the work between the host and a device, and make the
// device's kernels.
#ifndef TENON_PASSES_GPU_PASSES_TD
#define TENON_PASSES_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlaceConstants : Pass<"tenon-place-constants", "mlir::ModuleOp"> {
  let summary = "Give the constants that buffers of the graph name places in the arena";
  let description = [{
    ```mlir
    %0 = memref.get_global @constant : memref<4xf32>
    // becomes
    %0 = memref.view %arena[%c0][] : memref<?xi8> to memref<4xf32>
    %1 = memref.get_global @constant : memref<4xf32>
    memref.copy %1, %0 : memref<4xf32> to memref<4xf32>
    ```
    The other buffers of the arena begin after the constants, and the plan counts them. A device then reads all memory at addresses of its own.
    Assumes placed functions.
  }];
  let dependentDialects = ["mlir::memref::MemRefDialect", "mlir::arith::ArithDialect"];
}

def AssignSides : Pass<"tenon-assign-sides", "mlir::func::FuncOp"> {
  let summary = "Decide which fusions the host computes and which the device";
  let description = [{
    ```mlir
    tenon.fusion map ins(%x : memref<64x64xf32>) outs(%y : memref<64x64xf32>) { ... }
    // becomes
    tenon.fusion map ins(%x : memref<64x64xf32>) outs(%y : memref<64x64xf32>) attributes {tenon.on_device} { ... }
    ```
    The host computes what sizes, conditions and trip counts depend on, if it is small and reads nothing that the device has written. All plans are
    the host's. Assumes placed functions; `tenon-place-constants` comes first.
  }];
}

def SplitJoins : Pass<"tenon-split-joins", "mlir::func::FuncOp"> {
  let summary = "Let a kernel of its own join the keys and values of a device's attention";
  let description = [{
    ```mlir
    tenon.fusion attention ins(%q, %old, %new : ...) outs(%y, %keys : ...) attributes {tenon.on_device} {
    ^bb0(%a: tensor<1x64xf32>, %b: tensor<8x64xf32>, %c: tensor<1x64xf32>):
      %0 = tenon.concatenate %b, %c dim 0 : ...
      %1 = tenon.attention %a, %0, %0 ...
      tenon.yield %1, %0 : tensor<1x64xf32>, tensor<9x64xf32>
    }
    // becomes
    tenon.fusion map ins(%old, %new : ...) outs(%keys : ...) attributes {tenon.on_device} { ... }
    tenon.fusion attention ins(%q, %keys : ...) outs(%y : ...) attributes {tenon.on_device} { ... }
    ```
    Assumes the sides of `tenon-assign-sides`.
  }];
}

def InsertTransfers : Pass<"tenon-insert-transfers", "mlir::func::FuncOp"> {
  let summary = "Let host code use host memory, and copy what the other side needs";
  let description = [{
    ```mlir
    tenon.fusion map ins(%x : memref<i64>) outs(%n : memref<i64>) { ... }
    %0 = memref.load %n[] : memref<i64>
    // becomes, if a kernel of the device reads %n too
    %1 = tenon.host_memory %x : memref<i64>
    tenon.fusion map ins(%1 : memref<i64>) outs(%2 : memref<i64>) { ... }
    tenon.transfer host %2 to %n : memref<i64>, memref<i64>
    %0 = memref.load %2[] : memref<i64>
    ```
    Inputs, weights and the arena have a counterpart in host memory; an element of other memory is read by `tenon.device_load` and written by
    `tenon.device_store`. Assumes the sides of `tenon-assign-sides`.
  }];
}

def PlanDeviceKernels : Pass<"tenon-plan-device-kernels", "mlir::func::FuncOp"> {
  let summary = "Decide how each of the device's kernels goes about its work";
  let description = [{
    ```mlir
    tenon.fusion rows ins(...) outs(...) attributes {tenon.on_device} { ... }
    // becomes
    tenon.fusion rows ins(...) outs(...) attributes {tenon.on_device, tenon.plan = #tenon.warp_rows<threads = 16, held = true>} { ... }
    ```
    With the plan `#tenon.general` each thread computes one element, or one row if the kernel's kind goes by rows. A contraction whose result is large
    enough has the plan `#tenon.block_tile`, one of few rows `#tenon.few_rows`, and attention `#tenon.block_attention`. With `#tenon.block` a block of
    threads sorts a row, finds its first elements or its prefixes of integers, counts the nonzero elements of a tensor, or selects the boxes of a batch
    and class. Rows have the plan `#tenon.warp_rows` and maps `#tenon.wide_map` if neighbouring elements can be computed at once. A scatter has the plan
    `#tenon.device_update`.
  }];
  let dependentDialects = ["mlir::scf::SCFDialect", "mlir::vector::VectorDialect", "mlir::math::MathDialect", "mlir::memref::MemRefDialect",
                           "mlir::LLVM::LLVMDialect"];
}

def LowerDeviceFusions : Pass<"tenon-lower-device-fusions", "mlir::ModuleOp"> {
  let summary = "Turn the device's fusions into kernels and launches";
  let description = [{
    ```mlir
    tenon.fusion map ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) attributes {tenon.on_device, tenon.plan = #tenon.general} { ... }
    // becomes
    tenon.device_launch @map_negate_0 tasks %c4 threads 256 block_tasks 256 flops %c4 bytes %c32 (%x, %y) : memref<4xf32>, memref<4xf32>
    module @device {
      func.func private @map_negate_0(%faults: !llvm.ptr, %x: memref<4xf32>, %y: memref<4xf32>, %begin: index, %end: index) { ... }
    }
    ```
    Fusions with equal regions, operand types and plans share one kernel.
  }];
  let dependentDialects = ["mlir::scf::SCFDialect", "mlir::vector::VectorDialect", "mlir::math::MathDialect", "mlir::memref::MemRefDialect",
                           "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect", "mlir::NVVM::NVVMDialect"];
}

def MakeDeviceEntries : Pass<"tenon-make-device-entries", "mlir::ModuleOp"> {
  let summary = "Give each kernel of the device the entry that a launch starts";
  let description = [{
    For a kernel `@k` of the module `@device` makes `@k_entry`, which takes addresses and dynamic extents instead of memrefs, and the number of
    tasks. Each thread finds its task by its number.
    ```mlir
    func.func private @k(%faults: !llvm.ptr, %x: memref<?xf32>, %begin: index, %end: index) { ... }
    // gets
    func.func @k_entry(%faults: !llvm.ptr, %x: !llvm.ptr, %extent: i64, %tasks: i64) attributes {tenon.threads = 256} { ... }
    ```
    Memrefs of kernels are contiguous, so an address and the dynamic extents describe them. Assumes that all launches of a kernel have blocks of one size.
  }];
  let dependentDialects = ["mlir::scf::SCFDialect", "mlir::memref::MemRefDialect", "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect",
                           "mlir::NVVM::NVVMDialect"];
}

#endif // TENON_PASSES_GPU_PASSES_TD
