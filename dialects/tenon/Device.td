// Ops of code for a device: host code that launches kernels there, and moves
// elements to and from its memory. Generated separately from the other
// families, because few files use them.
#ifndef TENON_DEVICE_TD
#define TENON_DEVICE_TD

include "dialects/tenon/TenonBase.td"
include "mlir/IR/SymbolInterfaces.td"

def Tenon_HostMemoryOp : Tenon_Op<"host_memory", [Pure, AllTypesMatch<["memory", "result"]>]> {
  let summary = "The part of a function's memory that host code reads and writes";
  let description = [{
    In a version for a device the inputs, the arena and the weights of a
    function are in device memory. Inputs and weights have a copy in host memory.
    The arena has a counterpart of its size in host memory: a buffer that host
    code uses has one offset in both.

    * (C1) the operand is an argument of a placed function: an input, the arena or the weights

    Example:
    ```mlir
    func.func @main(%call: !llvm.ptr, %x: memref<4xi64>, %y: memref<4xf32> {tenon.output}, %arena: memref<?xi8>, %weights: memref<?xi8>,
                    %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 1, tenon.num_outputs = 1} {
      %0 = tenon.host_memory %x : memref<4xi64>
      return
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$memory);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$memory attr-dict `:` type($memory)";
  let hasVerifier = 1;
}

def Tenon_TransferOp : Tenon_Op<"transfer", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Copies a buffer from host memory to a device, back, or within the device";
  let description = [{
    A buffer is in device memory unless the word `host` is before it. A copy to
    the host waits for all earlier work of the device.

    * (C1) both buffers have the same shape and elements of one type
    * (C2) at least one of them is in device memory

    Example:
    ```mlir
    func.func @main(%a: memref<4xf32>, %b: memref<4xf32>) {
      tenon.transfer host %a to %b : memref<4xf32>, memref<4xf32>
      tenon.transfer %b to host %a : memref<4xf32>, memref<4xf32>
      return
    }
    ```
  }];
  let arguments = (ins UnitAttr:$from_host, AnyMemRef:$source, UnitAttr:$to_host, AnyMemRef:$target);
  let assemblyFormat = "(`host` $from_host^)? $source `to` (`host` $to_host^)? $target attr-dict `:` type($source) `,` type($target)";
  let hasVerifier = 1;
}

def Tenon_DeviceLoadOp : Tenon_Op<"device_load", [MemoryEffects<[MemRead]>]> {
  let summary = "Reads one element of a buffer in device memory";
  let description = [{
    The host waits for all earlier work of the device.

    * (C1) there is an index for each dimension, and the result has the element type

    Example:
    ```mlir
    func.func @main(%a: memref<4xi64>, %i: index) {
      %0 = tenon.device_load %a[%i] : memref<4xi64>, i64
      return
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$memory, Variadic<Index>:$indices);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$memory `[` $indices `]` attr-dict `:` type($memory) `,` type($result)";
  let hasVerifier = 1;
}

def Tenon_DeviceStoreOp : Tenon_Op<"device_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Writes one element of a buffer in device memory";
  let description = [{
    * (C1) there is an index for each dimension, and the value has the element type

    Example:
    ```mlir
    func.func @main(%a: memref<4xi64>, %i: index, %v: i64) {
      tenon.device_store %v, %a[%i] : i64, memref<4xi64>
      return
    }
    ```
  }];
  let arguments = (ins AnyType:$value, AnyMemRef:$memory, Variadic<Index>:$indices);
  let assemblyFormat = "$value `,` $memory `[` $indices `]` attr-dict `:` type($value) `,` type($memory)";
  let hasVerifier = 1;
}

def Tenon_DeviceLaunchOp : Tenon_Op<"device_launch", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Starts a kernel on the device over a range of tasks";
  let description = [{
    The kernel is a function of the module `@device` beside the function. It
    takes the memory for faults, the operands and its range of tasks. A block
    of `threads` threads computes `block_tasks` tasks: each thread one, or all
    threads together one. `flops` and `bytes` are those of `tenon.launch`.

    * (C1) the symbol names a function of the module `@device` without results
    * (C2) its arguments are a pointer, the operands and two `index`; the
      elements of a memref may differ from its operand's, but not in bytes
    * (C3) `threads` is a multiple of 32 from 32 to 1024; `block_tasks` is 1 or `threads`

    Example:
    ```mlir
    module @device {
      func.func private @kernel(!llvm.ptr, memref<4xf32>, memref<4xf32>, index, index)
    }
    func.func @main(%call: !llvm.ptr, %x: memref<4xf32>, %y: memref<4xf32>, %n: index) {
      tenon.device_launch @kernel tasks %n threads 256 block_tasks 256 flops %n bytes %n (%x, %y) : memref<4xf32>, memref<4xf32>
      return
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Index:$tasks, I64Attr:$threads, I64Attr:$block_tasks, Index:$flops, Index:$bytes,
                       Variadic<AnyType>:$operands_);
  let assemblyFormat = [{
    $kernel `tasks` $tasks `threads` $threads `block_tasks` $block_tasks `flops` $flops `bytes` $bytes `(` $operands_ `)` attr-dict `:` type($operands_)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The name of the module with the device's kernels.
    static constexpr llvm::StringLiteral deviceModule{"device"};
  }];
}

#endif // TENON_DEVICE_TD
