// From tensors between fusions to buffers in one arena.
#ifndef TENON_PASSES_BUFFER_PASSES_TD
#define TENON_PASSES_BUFFER_PASSES_TD

include "mlir/Pass/PassBase.td"

def Bufferize : Pass<"tenon-bufferize", "mlir::ModuleOp"> {
  let summary = "One-shot bufferization of graphs, identity layouts throughout";
  let description = [{
    ```mlir
    %0 = tenon.fusion map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) { ... } -> tensor<4xf32>
    // becomes
    tenon.fusion map ins(%x : memref<4xf32>) outs(%a : memref<4xf32>) { ... }
    ```
    The regions of fusions stay unchanged: they specify the kernel on tensors.
  }];
  let dependentDialects = ["mlir::bufferization::BufferizationDialect", "mlir::memref::MemRefDialect"];
}

def CarryInPlace : Pass<"tenon-carry-in-place", "mlir::func::FuncOp"> {
  let summary = "Write what a loop carries into the buffer that carries it";
  let description = [{
    ```mlir
    scf.yield %next : tensor<4xf32>
    // becomes
    %0 = bufferization.materialize_in_destination %next in %carried : ...
    scf.yield %0 : tensor<4xf32>
    ```
    A loop then needs one buffer per carried value, whatever its trip count.
    Assumes that carried shapes do not change.
  }];
  let dependentDialects = ["mlir::bufferization::BufferizationDialect"];
}

def PlaceState : Pass<"tenon-place-state", "mlir::func::FuncOp"> {
  let summary = "Let values of states lie where the states lie, where nothing is in the way";
  let description = [{
    ```mlir
    %old = tenon.state_read @h : tensor<4xf32>
    %new = tenon.fusion map ins(%old : tensor<4xf32>) outs(%e : tensor<4xf32>) { ... } -> tensor<4xf32>
    tenon.state_write @h, %new : tensor<4xf32>
    // becomes
    %old = tenon.state_read @h in_place : tensor<4xf32>
    %m = tenon.state_memory @h : tensor<4xf32>
    %new = tenon.fusion map ins(%old : tensor<4xf32>) outs(%m : tensor<4xf32>) { ... } -> tensor<4xf32>
    tenon.state_write @h, %new : tensor<4xf32>
    ```
    A write of a value that is already in the state's memory costs nothing. If a
    write must stay a copy, a remark says why. Assumes formed fusions.
  }];
}

def JoinInPlace : Pass<"tenon-join-in-place", "mlir::func::FuncOp"> {
  let summary = "Let a branch write to the buffer that the other branch passes on";
  let description = [{
    ```mlir
    %0 = scf.if %p -> (memref<4xf32>) {
      %b = memref.alloc() : memref<4xf32>
      tenon.fusion map ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) { ... }
      scf.yield %b : memref<4xf32>
    } else {
      scf.yield %a : memref<4xf32>
    }
    // becomes, where %a is an allocation whose old value nothing else needs
    %0 = scf.if %p -> (memref<4xf32>) {
      tenon.fusion map ins(%a : memref<4xf32>) outs(%a : memref<4xf32>) { ... }
      scf.yield %a : memref<4xf32>
    } else {
      scf.yield %a : memref<4xf32>
    }
    ```
    Users of the result use %a instead. Assumes bufferized functions and equal
    sizes made one value.
  }];
}

def WriteInPlace : Pass<"tenon-write-in-place", "mlir::func::FuncOp"> {
  let summary = "Let elementwise kernels write what they read last";
  let description = [{
    ```mlir
    %b = memref.alloc() : memref<4xf32>
    tenon.fusion map ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) { ... }
    // becomes, where %a is an allocation that nothing else uses from there on
    tenon.fusion map ins(%a : memref<4xf32>) outs(%a : memref<4xf32>) { ... }
    ```
    Assumes bufferized functions, equal sizes made one value, and loops that carry
    in place.
  }];
}

def PlaceBuffers : Pass<"tenon-place-buffers", "mlir::ModuleOp"> {
  let summary = "Give every buffer its place in one arena and make the plan function";
  let description = [{
    ```mlir
    %a = memref.alloc() : memref<4xf32>
    // becomes
    %a = memref.view %arena[%c64][] : memref<?xi8> to memref<4xf32>
    ```
    Results become arguments. `@NAME.plan` computes the output extents and the
    arena's size from the extents and values of the inputs. Assumes bufferized
    functions with identity layouts.
  }];
  let dependentDialects = ["mlir::memref::MemRefDialect", "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect"];
}

#endif // TENON_PASSES_BUFFER_PASSES_TD
