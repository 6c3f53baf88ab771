// From fusions with their regions to loops, vectors and the LLVM dialect.
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
  let options = [Option<"vectorBytes", "vector-bytes", "int64_t", "32", "Bytes of a vector register of the target">];
  let dependentDialects = ["mlir::scf::SCFDialect", "mlir::vector::VectorDialect", "mlir::math::MathDialect",
                           "mlir::memref::MemRefDialect", "mlir::LLVM::LLVMDialect"];
}

def MakeEntries : Pass<"tenon-make-entries", "mlir::ModuleOp"> {
  let summary = "Give each graph function its entries of the artifact's ABI";
  let description = [{
    For a placed function `@f` makes `@f.run_entry` and `@f.plan_entry`, `(!llvm.ptr) -> i32`, which take the fields of a `tenon_call` apart.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def ConvertToLLVM : Pass<"tenon-convert-to-llvm", "mlir::ModuleOp"> {
  let summary = "Lower everything that is left to the LLVM dialect";
  let description = [{
    Kernels become functions of expanded memrefs, launches calls of the runtime's parallel loop with the operands in a structure.
    Assumes structured control flow has become branches. Where the processor does not convert f16, integers do.
  }];
  let options = [Option<"nativeHalf", "native-half", "bool", "true", "Whether the target converts f16 to f32 and back">];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

#endif // TENON_PASSES_CPU_PASSES_TD
