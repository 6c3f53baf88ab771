// Reductions: many elements combined into one, along whole dimensions, prefixes
// or windows.
#ifndef TENON_REDUCTION_TD
#define TENON_REDUCTION_TD

include "dialects/tenon/TenonBase.td"

def Tenon_ReduceOp : Tenon_Op<"reduce", [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>,
                                         DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "All elements along some dimensions combined into one";
  let description = [{
    The reduced dimensions leave the shape. An empty extent gives the identity
    of the kind: 0, 1, the least value, the greatest value, true or false. Sums
    of f16 and bf16 are kept in f32 and rounded once.

    * (C1) dimensions are ascending and within the rank
    * (C2) `and` and `or` take integers or bools, the others numbers

    Example:
    ```mlir
    %0 = tenon.reduce add %x over [1] : (tensor<4x8xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Tenon_ReduceKindAttr:$kind, Tenon_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Tenon_Tensor:$result);
  let assemblyFormat = "$kind $operand `over` $dims attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tenon_ArgReduceOp : Tenon_Op<"arg_reduce", [Pure, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "The index of the greatest or least element along a dimension";
  let description = [{
    A NaN wins over numbers. Among equal elements the first wins, or the last
    with `last`. The reduced dimension leaves the shape.

    * (C1) the dimension is within the rank and the kind is `maximum` or `minimum`
    * (C2) the result's shape follows

    Example:
    ```mlir
    %0 = tenon.arg_reduce maximum %x over 1 : (tensor<4x8xf32>) -> tensor<4xi64>
    ```
  }];
  let arguments = (ins Tenon_ReduceKindAttr:$kind, Tenon_Tensor:$operand, I64Attr:$dim, UnitAttr:$last);
  let results = (outs Tenon_IntTensor:$result);
  let assemblyFormat = "$kind $operand `over` $dim (`last` $last^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Tenon_CumulativeOp : Tenon_Op<"cumulative", [Pure, AllTypesMatch<["operand", "result"]>,
                                                 DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "Prefixes along a dimension combined";
  let description = [{
    Element i combines elements 0 to i. With `exclusive` it combines elements 0
    to i-1, and the first element is the identity. With `reverse` it combines
    the elements from i to the end.

    * (C1) the dimension is within the rank

    Example:
    ```mlir
    %0 = tenon.cumulative add %x over 1 : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tenon_ReduceKindAttr:$kind, Tenon_NumTensor:$operand, I64Attr:$dim, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Tenon_NumTensor:$result);
  let assemblyFormat = "$kind $operand `over` $dim (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict `:` type($operand)";
  let hasVerifier = 1;
}

class Tenon_WindowOp<string mnemonic> : Tenon_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let arguments = (ins Tenon_ReduceKindAttr:$kind, Tenon_NumTensor:$operand, DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$padding);
  let assemblyFormat = [{
    $kind $operand `window` $window `strides` $strides `dilations` $dilations `padding` $padding attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Tenon_ReduceWindowOp : Tenon_WindowOp<"reduce_window"> {
  let summary = "All elements in a sliding window combined into one";
  let description = [{
    Every list has one entry per dimension of the operand; `padding` has two. A
    padded element is the identity of the kind. Padding may be negative.

    * (C1) lists have the length of the rank; windows, strides and dilations are
      positive
    * (C2) the result's shape follows

    Example:
    ```mlir
    %0 = tenon.reduce_window maximum %x window [1, 3, 3, 1] strides [1, 2, 2, 1] dilations [1, 1, 1, 1] padding [0, 0, 1, 1, 1, 1, 0, 0]
       : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
    ```
  }];
  let results = (outs Tenon_NumTensor:$result);
}

def Tenon_ArgReduceWindowOp : Tenon_WindowOp<"arg_reduce_window"> {
  let summary = "The linear index of the greatest or least element of each window";
  let description = [{
    The index counts the operand's elements in row-major order over the whole
    tensor. Among equal elements the first wins. Padding never wins.

    * (C1) as for `reduce_window`; the kind is `maximum` or `minimum`
    * (C2) the result's shape follows

    Example:
    ```mlir
    %0 = tenon.arg_reduce_window maximum %x window [2] strides [2] dilations [1] padding [0, 0] : (tensor<8xf32>) -> tensor<4xi64>
    ```
  }];
  let results = (outs Tenon_IntTensor:$result);
}

#endif // TENON_REDUCTION_TD
