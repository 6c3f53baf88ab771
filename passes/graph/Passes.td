// Rewrites of the graph before it is cut into fusions.
#ifndef TENON_PASSES_GRAPH_PASSES_TD
#define TENON_PASSES_GRAPH_PASSES_TD

include "mlir/Pass/PassBase.td"

def DecomposeComposites : Pass<"tenon-decompose-composites"> {
  let summary = "Replace composites by their primitives";
  let description = [{
    ```mlir
    %0 = tenon.gelu %x : tensor<4xf32>
    // becomes
    %0 = tenon.divide %x, %sqrt2 ... tenon.multiply %half, %sum
    ```
    Assumes nothing. Runs once no pass needs to see a composite whole any more.
  }];
}

def AbsorbTransposes : Pass<"tenon-absorb-transposes"> {
  let summary = "Turn transposed operands of contractions into dimension numbers";
  let description = [{
    ```mlir
    %t = tenon.transpose %w [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %0 = tenon.dot_general %x, %t batch [] x [] contract [1] x [0] : ...
    // becomes
    %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [1] : ...
    ```
    Only where the order of the free dimensions stays what the result's type says.
  }];
}

def SinkReshapes : Pass<"tenon-sink-reshapes"> {
  let summary = "Move reshapes that only add or drop extents of one below elementwise ops and into broadcasts";
  let description = [{
    ```mlir
    %r = tenon.reshape %mean sizes [4, 1] : (tensor<4xf32>) -> tensor<4x1xf32>
    %b = tenon.broadcast_in_dim %r dims [0, 1] sizes [4, 8] : (tensor<4x1xf32>) -> tensor<4x8xf32>
    // becomes
    %b = tenon.broadcast_in_dim %mean dims [0] sizes [4, 8] : (tensor<4xf32>) -> tensor<4x8xf32>
    ```
    So a reduction and what is computed from it stay recognizable as one row kernel.
  }];
}

#endif // TENON_PASSES_GRAPH_PASSES_TD
