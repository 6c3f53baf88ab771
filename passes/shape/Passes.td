// Passes that change the sizes of a graph.
#ifndef TENON_PASSES_SHAPE_PASSES_TD
#define TENON_PASSES_SHAPE_PASSES_TD

include "mlir/Pass/PassBase.td"

def PadDims : Pass<"tenon-pad-dims", "mlir::ModuleOp"> {
  let summary = "Pad inputs along named dims to a multiple, and cut the outputs";
  let description = [{
    ```mlir
    module attributes {tenon.pad = {seq = 8}} {
      func.func @f(%x: tensor<?x4xf32> {tenon.dims = ["seq", 4]}) -> tensor<?x4xf32> {
        %0 = tenon.exponential %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
        return %0 : tensor<?x4xf32>
      }
    }
    // becomes
    module {
      func.func @f(%x: tensor<?x4xf32> {tenon.dims = ["seq", 4]}) -> tensor<?x4xf32> {
        ...
        %p = tenon.pad %x, %zero low [0, 0] high [%more, 0] interior [0, 0] : ...
        %0 = tenon.exponential %p : (tensor<?x4xf32>) -> tensor<?x4xf32>
        %y = tenon.slice %0 offsets [0, 0] sizes [%n, 4] strides [1, 1] : ...
        return %y : tensor<?x4xf32>
      }
    }
    ```
    An op whose result elements depend only on elements at their own position
    along the dimension passes the padding on. Sums, products, softmax and
    contractions along the dimension are masked with their identity. Any other
    op is refused by name, and so is a size that is computed from the padded
    one. Runs on inlined functions, before variants.
  }];
  let dependentDialects = ["tenon::TenonDialect", "mlir::arith::ArithDialect", "mlir::tensor::TensorDialect"];
}

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
          attributes {tenon.variant = #tenon.variant<1 of @f sizes {batch = 8}>} { ... }
    }
    ```
    The types in the clone state the extents that follow from the sizes, and the
    clone is canonicalized. Assumes that calls are inlined and that sizes are
    checked: an extent that a check guarantees is taken as known. A function
    without one of the dimensions gets no such variant. Runs after all passes
    that change rounding: static sizes would let these passes change more, and a
    variant must give the function's bits.
  }];
  let dependentDialects = ["tenon::TenonDialect", "mlir::arith::ArithDialect", "mlir::tensor::TensorDialect"];
}

#endif // TENON_PASSES_SHAPE_PASSES_TD
