// Which ops are computed together, decided and then done.
#ifndef TENON_PASSES_FUSE_PASSES_TD
#define TENON_PASSES_FUSE_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlanFusions : Pass<"tenon-plan-fusions", "mlir::func::FuncOp"> {
  let summary = "Decide which ops share a kernel";
  let description = [{
    Gives every computing op the attribute `tenon.group`, a number per kernel; ops that are cheap to repeat are cloned to each user first.
    ```mlir
    %0 = tenon.exponential %x {tenon.group = 0} : ...
    %1 = tenon.negate %0 {tenon.group = 0} : ...
    ```
    Assumes primitives only.
  }];
}

def FormFusions : Pass<"tenon-form-fusions", "mlir::func::FuncOp"> {
  let summary = "Move each group of ops into one tenon.fusion with its destination";
  let description = [{
    ```mlir
    %0 = tenon.negate %x {tenon.group = 0} : (tensor<4xf32>) -> tensor<4xf32>
    // becomes
    %e = tensor.empty() : tensor<4xf32>
    %0 = tenon.fusion map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) { ... } -> tensor<4xf32>
    ```
    Obeys `tenon.group` and takes it away. Sizes of destinations are traced back to the function's arguments.
  }];
  let dependentDialects = ["mlir::tensor::TensorDialect", "mlir::arith::ArithDialect"];
}

#endif // TENON_PASSES_FUSE_PASSES_TD
