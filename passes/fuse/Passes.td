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
  let summary = "Move each group of ops into one tenon.fusion with its destinations";
  let description = [{
    ```mlir
    %0 = tenon.negate %x {tenon.group = 0} : (tensor<4xf32>) -> tensor<4xf32>
    // becomes
    %e = tensor.empty() : tensor<4xf32>
    %0 = tenon.fusion map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) { ... } -> tensor<4xf32>
    ```
    Obeys `tenon.group` and takes it away. What a group computes for others beside its root's results is yielded behind them. Sizes of destinations are
    traced back to the function's arguments.
  }];
  let dependentDialects = ["mlir::tensor::TensorDialect", "mlir::arith::ArithDialect"];
}

def StreamOutputs : Pass<"tenon-stream-outputs", "mlir::func::FuncOp"> {
  let summary = "Let copies that nothing of the run reads again go past the caches";
  let description = [{
    Marks fusions that copy tensors into outputs of the model which only the caller reads, where the run itself would drive them out of every cache: its weights
    are larger.
    ```mlir
    %0:3 = tenon.fusion attention ins(...) outs(...) attributes {streamed} { ... } -> ...
    ```
    Assumes fusions.
  }];
}

#endif // TENON_PASSES_FUSE_PASSES_TD
