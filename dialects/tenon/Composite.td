// Composites: ops that fusion must see whole. Each is defined by its
// decomposition into primitives.
#ifndef TENON_COMPOSITE_TD
#define TENON_COMPOSITE_TD

include "dialects/tenon/TenonBase.td"

class Tenon_CompositeOp<string mnemonic, list<Trait> traits = []>
    : Tenon_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<Tenon_CompositeOpInterface>,
                          DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>] # traits>;

class Tenon_SoftmaxLikeOp<string mnemonic, string text> : Tenon_CompositeOp<mnemonic, [AllTypesMatch<["operand", "result"]>]> {
  let summary = text;
  let arguments = (ins Tenon_FloatTensor:$operand, I64Attr:$dim);
  let results = (outs Tenon_FloatTensor:$result);
  let assemblyFormat = "$operand `over` $dim attr-dict `:` type($operand)";
  let hasVerifier = 1;
  let description = [{
    (C1) the dimension is within the rank.

    Example:
    ```mlir
    %0 = tenon.}] # mnemonic # [{ %x over 1 : tensor<4x8xf32>
    ```
  }];
}
def Tenon_SoftmaxOp : Tenon_SoftmaxLikeOp<"softmax", "exp(x - max) over its sum, along a dimension">;
def Tenon_LogSoftmaxOp : Tenon_SoftmaxLikeOp<"log_softmax", "x - max - log(sum(exp(x - max))), along a dimension">;

def Tenon_LayerNormOp : Tenon_CompositeOp<"layer_norm", [AllTypesMatch<["operand", "result"]>]> {
  let summary = "Rows shifted to mean zero and scaled to variance one, then scaled and shifted elementwise";
  let description = [{
    The mean and the variance are taken over the dimensions from `axis` on. The
    variance is the mean of the squared deviations from the mean.

    * (C1) the axis is within the rank
    * (C2) scale and bias have the shape of the normalized dimensions

    Example:
    ```mlir
    %0 = tenon.layer_norm %x, %s, %b axis 1 epsilon 1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tenon_FloatTensor:$operand, Tenon_FloatTensor:$scale, Tenon_FloatTensor:$bias, I64Attr:$axis, F64Attr:$epsilon);
  let results = (outs Tenon_FloatTensor:$result);
  let assemblyFormat = "$operand `,` $scale `,` $bias `axis` $axis `epsilon` $epsilon attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Tenon_GeluOp : Tenon_CompositeOp<"gelu", [AllTypesMatch<["operand", "result"]>]> {
  let summary = "x times the normal distribution's share below x";
  let description = [{
    0.5 x (1 + erf(x / sqrt 2)), or with `tanh` 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).

    Example:
    ```mlir
    %0 = tenon.gelu %x : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tenon_FloatTensor:$operand, UnitAttr:$tanh);
  let results = (outs Tenon_FloatTensor:$result);
  let assemblyFormat = "$operand (`tanh` $tanh^)? attr-dict `:` type($operand)";
}

def Tenon_BatchNormOp : Tenon_CompositeOp<"batch_norm", [AllTypesMatch<["operand", "result"]>]> {
  let summary = "Channels shifted and scaled by given statistics";
  let description = [{
    The result is (x - mean) * (scale / sqrt(variance + epsilon)) + offset.
    Dimension `dim` holds the channels.

    * (C1) the dimension is within the rank
    * (C2) scale, offset, mean and variance have the extent of that dimension

    Example:
    ```mlir
    %0 = tenon.batch_norm %x, %s, %o, %m, %v dim 1 epsilon 1.0e-5
       : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tenon_FloatTensor:$operand, Tenon_FloatTensor:$scale, Tenon_FloatTensor:$offset, Tenon_FloatTensor:$mean,
                       Tenon_FloatTensor:$variance, I64Attr:$dim, F64Attr:$epsilon);
  let results = (outs Tenon_FloatTensor:$result);
  let assemblyFormat = [{
    $operand `,` $scale `,` $offset `,` $mean `,` $variance `dim` $dim `epsilon` $epsilon attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Tenon_AttentionOp : Tenon_CompositeOp<"attention", [AttrSizedOperandSegments]> {
  let summary = "Values averaged by the softmax of scaled products of queries and keys";
  let description = [{
    Queries are [batch..., rows, depth], keys [batch..., keys, depth], values
    [batch..., keys, value depth] and the result [batch..., rows, value depth].
    An order says at which dimension of its tensor each of these extents stands.
    The last batch extent is the number of heads. The queries may have a
    multiple of the heads of keys and values: consecutive query heads then share
    one head of them.

    The score of row r and key k is `scale` times the product of the row and the
    key. If a bool mask is false there, or k > r + `causal`, the score is `fill`
    instead. A float mask is added to the scores after that. The weights of a
    row are the softmax of its scores.

    Three operands describe keys and values that are a cache, with one element
    for each entry of the first batch extent. `causal` may be a tensor of these
    elements. Keys from `lengths` on do not exist, whatever is stored there. A
    `table` has a row for each entry: key and value k of entry b stand in entry
    table[b, k] of the keys and values.

    * (C1) orders are permutations of one rank, which is at least 2
    * (C2) batch extents agree; queries may have a multiple of the heads if both
      numbers are known, and keys any first extent if there is a table
    * (C3) depths of queries and keys, and numbers of keys and values, agree
    * (C4) a mask has the scores' shape, and is of bools or of the queries' type
    * (C5) `fill` is given exactly if there is `causal` or a mask of bools
    * (C6) the result's shape follows from the operands; keys and values are of
      one float type, the queries' or a narrower one, and the result has the
      queries'
    * (C7) a `causal` tensor and `lengths` have the first batch extent, and
      `table` has it and the number of keys; they need two batch extents

    Example:
    ```mlir
    %0 = tenon.attention %q, %k, %v order [0, 2, 1, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 2, 1, 3] scale 1.25e-01
       : (tensor<2x5x12x64xf32>, tensor<2x4x7x64xf32>, tensor<2x4x7x64xf32>) -> tensor<2x5x12x64xf32>
    ```
  }];
  let arguments = (ins Tenon_FloatTensor:$query, Tenon_FloatTensor:$key, Tenon_FloatTensor:$value, Optional<Tenon_Tensor>:$mask,
                       Optional<AnyTypeOf<[Index, RankedTensorOf<[I64]>]>>:$causal, Optional<RankedTensorOf<[I64]>>:$lengths,
                       Optional<RankedTensorOf<[I64]>>:$table, DenseI64ArrayAttr:$query_order, DenseI64ArrayAttr:$key_order,
                       DenseI64ArrayAttr:$value_order, DenseI64ArrayAttr:$result_order, F64Attr:$scale, OptionalAttr<F64Attr>:$fill);
  let results = (outs Tenon_FloatTensor:$result);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`mask` $mask^)? (`causal` $causal^)? (`lengths` $lengths^)? (`table` $table^)? (`fill` $fill^)?
    `order` $query_order `x` $key_order `x` $value_order `to` $result_order `scale` $scale attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// Query heads per head of the keys.
    int64_t getHeadGroup();
  }];
}

#endif // TENON_COMPOSITE_TD
