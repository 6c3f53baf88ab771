// What is decided of the sizes of a graph.
#ifndef TENON_PASSES_SHAPE_PASSES_TD
#define TENON_PASSES_SHAPE_PASSES_TD

include "mlir/Pass/PassBase.td"

def SpecializeVariants : Pass<"tenon-specialize-variants", "mlir::ModuleOp"> {
  let summary = "Clone each function for the sizes that are asked for";
  let description = [{
    ```mlir
    module attributes {tenon.specialize = [ {batch = 8} ]} {
      func.func @f(%x: tensor<?x4xf32> {tenon.dims = ["batch", 4]}) -> tensor<?x4xf32> { ... }
    }
    // becomes
    module {
      func.func @f(%x: tensor<?x4xf32> {tenon.dims = ["batch", 4]}) -> tensor<?x4xf32> { ... }
      func.func @f.variant1(%x: tensor<8x4xf32> {tenon.dims = ["batch", 4]}) -> tensor<8x4xf32>
          attributes {tenon.variant_of = @f, tenon.sizes = {batch = 8}} { ... }
    }
    ```
    Types in the clone say what follows from the sizes. Assumes that calls are inlined and that sizes are checked: where a type can no longer
    leave open what a check sees to, it is taken for granted. Functions without one of the dims get no such variant.
  }];
  let dependentDialects = ["tenon::TenonDialect", "mlir::arith::ArithDialect", "mlir::tensor::TensorDialect"];
}

#endif // TENON_PASSES_SHAPE_PASSES_TD
