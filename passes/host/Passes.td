// Passes on the host code around kernels: the choice of a variant, entries,
// launches, and the conversion to the LLVM dialect.
#ifndef TENON_PASSES_HOST_PASSES_TD
#define TENON_PASSES_HOST_PASSES_TD

include "mlir/Pass/PassBase.td"

def DispatchVariants : Pass<"tenon-dispatch-variants", "mlir::ModuleOp"> {
  let summary = "Choose each function's variant by the sizes of its inputs";
  let description = [{
    ```mlir
    func.func @f(%call: !llvm.ptr, %x: memref<?x4xf32> {tenon.dims = ["batch", 4]}, ...) { ... }
    func.func @f.variant1(...) attributes {tenon.variant = #tenon.variant<1 of @f sizes {batch = 1}>, ...} { ... }
    // becomes
    func.func @f(%call: !llvm.ptr, %x: memref<?x4xf32>, ...) {
      // the extent of %x is 1 ?
      scf.if %fits { func.call @f.variant1(...) } else { func.call @f.any(...) }
    }
    ```
    The plan of @f chooses in the same way. Both write the number of the variant into the call. Variants are tried in the order of their numbers.
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
    Assumes structured control flow has become branches. Where the processor does not convert f16, integers do. Where it has no fused
    multiply-add or does not round to whole numbers, f64 and f32 operations with the same bits do. For AVX-512,
    maxima and minima of whole vectors become `vrange`, and products with a power of two in two factors `vscalef`. Launches and places of faults are numbered by the module's `tenon.launches` and `tenon.sites`,
    which go on from what another version of the module has there. The nested module `@device` is lowered alike; its entries become kernels of NVVM, and
    ops of host code that works with a device become calls of the functions in the call's `device` table.
  }];
  let options = [Option<"nativeHalf", "native-half", "bool", "true", "Whether the target converts f16 to f32 and back">,
                 Option<"nativeFma", "native-fma", "bool", "true", "Whether the target has fused multiply-add">,
                 Option<"nativeRound", "native-round", "bool", "true", "Whether the target rounds to whole numbers">];
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::NVVM::NVVMDialect", "tenon::TenonDialect"];
}

#endif // TENON_PASSES_HOST_PASSES_TD
