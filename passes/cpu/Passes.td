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
  let options = [Option<"vectorBytes", "vector-bytes", "int64_t", "32", "Bytes of a vector register of the target">,
                 Option<"amxParts", "amx-parts", "int64_t", "0", "Parts of bf16 that f32 operands are split into for AMX; 0: no AMX">];
  let dependentDialects = ["mlir::amx::AMXDialect", "mlir::scf::SCFDialect", "mlir::vector::VectorDialect", "mlir::math::MathDialect",
                           "mlir::memref::MemRefDialect", "mlir::LLVM::LLVMDialect"];
}

def DispatchVariants : Pass<"tenon-dispatch-variants", "mlir::ModuleOp"> {
  let summary = "Let each function take its variant by the sizes of its inputs";
  let description = [{
    ```mlir
    func.func @f(%call: !llvm.ptr, %x: memref<?x4xf32> {tenon.dims = ["batch", 4]}, ...) { ... }
    func.func @f.variant1(...) attributes {tenon.variant_of = @f, tenon.sizes = {batch = 1}, ...} { ... }
    // becomes
    func.func @f(%call: !llvm.ptr, %x: memref<?x4xf32>, ...) {
      // the extent of %x is 1 ?
      scf.if %fits { func.call @f.variant1(...) } else { func.call @f.any(...) }
    }
    ```
    Its plan likewise; both write the number of the variant into the call. What fixes more sizes comes first, then what came first.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::scf::SCFDialect", "mlir::memref::MemRefDialect"];
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
    Assumes structured control flow has become branches. Where the processor does not convert f16, integers do, and where it has no fused
    multiply-add, that of f32 is made of f64. Launches and places of faults are numbered by the module's `tenon.launches` and `tenon.sites`,
    which go on from what another version of the module has there.
  }];
  let options = [Option<"nativeHalf", "native-half", "bool", "true", "Whether the target converts f16 to f32 and back">,
                 Option<"nativeFma", "native-fma", "bool", "true", "Whether the target has fused multiply-add">];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

#endif // TENON_PASSES_CPU_PASSES_TD
