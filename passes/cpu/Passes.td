// From fusions with their regions to kernels of loops and vectors.
#ifndef TENON_PASSES_CPU_PASSES_TD
#define TENON_PASSES_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerFusions : Pass<"tenon-lower-fusions", "mlir::ModuleOp"> {
  let summary = "Turn each fusion into a kernel function and a launch";
  let description = [{
    ```mlir
    tenon.fusion map ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) { ... }
    // becomes
    tenon.launch @map.negate.0 tasks %c1 flops %c4 bytes %c32 (%x, %y) : memref<4xf32>, memref<4xf32>
    func.func private @map.negate.0(%call: !llvm.ptr, %x: memref<4xf32>, %y: memref<4xf32>, %begin: index, %end: index) { ... }
    ```
    Fusions with equal regions and operand types share one kernel.
  }];
  let options = [Option<"vectorBytes", "vector-bytes", "int64_t", "32", "Bytes of a vector register of the target">,
                 Option<"amxParts", "amx-parts", "int64_t", "0", "Parts of bf16 that f32 operands are split into for AMX; 0: no AMX">];
  let dependentDialects = ["mlir::amx::AMXDialect", "mlir::scf::SCFDialect", "mlir::vector::VectorDialect", "mlir::math::MathDialect",
                           "mlir::memref::MemRefDialect", "mlir::LLVM::LLVMDialect"];
}

#endif // TENON_PASSES_CPU_PASSES_TD
