// Passes that decide which ops form one kernel, and form it.
#ifndef TENON_PASSES_FUSE_PASSES_TD
#define TENON_PASSES_FUSE_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlanFusions : Pass<"tenon-plan-fusions", "mlir::func::FuncOp"> {
  let summary = "Decide which ops share a kernel";
  let description = [{
    Gives every computing op the attribute `tenon.group`, one number per kernel.
    Ops that are cheap to repeat are cloned for each user first, in a branch
    beside the user.
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
    Follows `tenon.group` and removes it. The root's results are yielded first,
    then other results of the group that are used outside it. Sizes of
    destinations are traced back to the function's arguments.
  }];
  let dependentDialects = ["mlir::tensor::TensorDialect", "mlir::arith::ArithDialect"];
}

def StreamOutputs : Pass<"tenon-stream-outputs", "mlir::func::FuncOp"> {
  let summary = "Use non-temporal stores for copies that the run does not read again";
  let description = [{
    Marks fusions that copy tensors into outputs of the model that only the
    caller reads. It does so if the run's weights are larger than any cache: the
    outputs would be evicted before the caller reads them.
    ```mlir
    %0:3 = tenon.fusion attention ins(...) outs(...) attributes {streamed} { ... } -> ...
    ```
    Assumes fusions.
  }];
}

#endif // TENON_PASSES_FUSE_PASSES_TD
