// From fusions with their regions to kernels of loops and vectors.
#ifndef TENON_PASSES_CPU_PASSES_TD
#define TENON_PASSES_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlanKernels : Pass<"tenon-plan-kernels", "mlir::ModuleOp"> {
  let summary = "Decide how each fusion's kernel goes about its work";
  let description = [{
    ```mlir
    tenon.fusion contraction ins(...) outs(...) { ... }
    // becomes
    tenon.fusion contraction ins(...) outs(...) attributes {tenon.plan = #tenon.tile<rows = 8, vectors = 3, ...>} { ... }
    ```
    Fusions are placed: their operands are memrefs. Tiles depend on static extents and strides and on the `tenon.machine` of the module, never on the
    number of threads. What fits no tile has the plan `#tenon.general`, which covers every region.
  }];
  let dependentDialects = ["mlir::amx::AMXDialect", "mlir::scf::SCFDialect", "mlir::vector::VectorDialect", "mlir::math::MathDialect",
                           "mlir::memref::MemRefDialect", "mlir::LLVM::LLVMDialect"];
}

def LowerFusions : Pass<"tenon-lower-fusions", "mlir::ModuleOp"> {
  let summary = "Turn each fusion into a kernel function and a launch";
  let description = [{
    ```mlir
    tenon.fusion map ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) attributes {tenon.plan = #tenon.general} { ... }
    // becomes
    tenon.launch @map.negate.0 tasks %c1 flops %c4 bytes %c32 (%x, %y) : memref<4xf32>, memref<4xf32>
    func.func private @map.negate.0(%call: !llvm.ptr, %x: memref<4xf32>, %y: memref<4xf32>, %begin: index, %end: index) { ... }
    ```
    Fusions with equal regions, operand types and plans share one kernel. Each has a plan, of
    `tenon-plan-kernels`, and is emitted as it says, for the `tenon.machine` of the module.
  }];
  let dependentDialects = ["mlir::amx::AMXDialect", "mlir::scf::SCFDialect", "mlir::vector::VectorDialect", "mlir::math::MathDialect",
                           "mlir::memref::MemRefDialect", "mlir::LLVM::LLVMDialect"];
}

#endif // TENON_PASSES_CPU_PASSES_TD
