// Movement: ops that move elements and change no value.
#ifndef TENON_MOVEMENT_TD
#define TENON_MOVEMENT_TD

include "dialects/tenon/TenonBase.td"

class Tenon_MovementOp<string mnemonic, list<Trait> traits = []>
    : Tenon_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>] # traits> {
  let results = (outs Tenon_Tensor:$result);
}

def Tenon_ConstantOp : Tenon_Op<"constant", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "A small constant tensor";
  let description = [{
    Example:
    ```mlir
    %0 = tenon.constant dense<1.0> : tensor<4xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Tenon_Tensor:$result);
  let assemblyFormat = "$value attr-dict";
  let hasFolder = 1;
}

def Tenon_IotaOp : Tenon_MovementOp<"iota"> {
  let summary = "Each element is its index along one dimension";
  let description = [{
    (C1) the dimension is within the rank; (C2) there is a size for each dynamic extent.

    Example:
    ```mlir
    %0 = tenon.iota dim 1 sizes [4, %n] : (index) -> tensor<4x?xi64>
    ```
  }];
  let arguments = (ins I64Attr:$dim, Variadic<Index>:$sizes, DenseI64ArrayAttr:$static_sizes);
  let assemblyFormat = "`dim` $dim `sizes` custom<DynamicIndexList>($sizes, $static_sizes) attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Tenon_BroadcastInDimOp : Tenon_MovementOp<"broadcast_in_dim"> {
  let summary = "Repeats a tensor along new dimensions and extents of one";
  let description = [{
    `dims[i]` is the result dimension of operand dimension i. An operand extent
    equals the result's extent, or is one and is repeated. A dynamic extent may
    be either.

    * (C1) dims are as many as the operand's rank, ascending and within the
      result's rank
    * (C2) each operand extent equals the result's or is one
    * (C3) the result's extents are the sizes

    Example:
    ```mlir
    %0 = tenon.broadcast_in_dim %x dims [1] sizes [%n, 8] : (tensor<8xf32>, index) -> tensor<?x8xf32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$operand, DenseI64ArrayAttr:$dims, Variadic<Index>:$sizes, DenseI64ArrayAttr:$static_sizes);
  let assemblyFormat = [{
    $operand `dims` $dims `sizes` custom<DynamicIndexList>($sizes, $static_sizes) attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tenon_ReshapeOp : Tenon_MovementOp<"reshape"> {
  let summary = "The same elements in row-major order under another shape";
  let description = [{
    * (C1) operand and result have equally many elements, if both are static
    * (C2) the result's extents are the sizes

    Example:
    ```mlir
    %0 = tenon.reshape %x sizes [%n, 32] : (tensor<?x4x8xf32>, index) -> tensor<?x32xf32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$operand, Variadic<Index>:$sizes, DenseI64ArrayAttr:$static_sizes);
  let assemblyFormat = "$operand `sizes` custom<DynamicIndexList>($sizes, $static_sizes) attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tenon_TransposeOp : Tenon_MovementOp<"transpose", [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Dimensions in another order: result dimension i is operand dimension permutation[i]";
  let description = [{
    (C1) the list is a permutation of the operand's dimensions.

    Example:
    ```mlir
    %0 = tenon.transpose %x [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let assemblyFormat = "$operand $permutation attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tenon_SliceOp : Tenon_MovementOp<"slice", [AttrSizedOperandSegments]> {
  let summary = "Every stride-th element of a box";
  let description = [{
    Result element i along a dimension is operand element offset + i * stride. Strides may be negative. The box must lie within the operand.

    * (C1) lists have the length of the rank
    * (C2) a static box lies within static extents, no stride is zero
    * (C3) the result's extents are the sizes

    Example:
    ```mlir
    %0 = tenon.slice %x offsets [0, %o] sizes [2, 4] strides [1, 2] : (tensor<4x?xf32>, index) -> tensor<2x4xf32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$operand, Variadic<Index>:$offsets, Variadic<Index>:$sizes, Variadic<Index>:$strides,
                       DenseI64ArrayAttr:$static_offsets, DenseI64ArrayAttr:$static_sizes, DenseI64ArrayAttr:$static_strides);
  let assemblyFormat = [{
    $operand `offsets` custom<DynamicIndexList>($offsets, $static_offsets) `sizes` custom<DynamicIndexList>($sizes, $static_sizes)
    `strides` custom<DynamicIndexList>($strides, $static_strides) attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tenon_PadOp : Tenon_MovementOp<"pad", [AttrSizedOperandSegments]> {
  let summary = "A value around, and between, the elements of a tensor";
  let description = [{
    A negative `low` or `high` cuts elements off. `interior` is the number of
    padding values between two neighbours.

    * (C1) lists have the length of the rank, interior is not negative
    * (C2) the padding value is of rank 0 and of the operand's element type
    * (C3) the result's shape follows if all sizes are static

    Example:
    ```mlir
    %0 = tenon.pad %x, %v low [0, 1] high [0, %h] interior [0, 0] : (tensor<4x8xf32>, tensor<f32>, index) -> tensor<4x?xf32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$operand, Tenon_Tensor:$value, Variadic<Index>:$low, Variadic<Index>:$high,
                       DenseI64ArrayAttr:$static_low, DenseI64ArrayAttr:$static_high, DenseI64ArrayAttr:$interior);
  let assemblyFormat = [{
    $operand `,` $value `low` custom<DynamicIndexList>($low, $static_low) `high` custom<DynamicIndexList>($high, $static_high)
    `interior` $interior attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Tenon_ConcatenateOp : Tenon_MovementOp<"concatenate", [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Tensors one after another along a dimension";
  let description = [{
    (C1) there is at least one operand, and the dimension is within the rank; (C2) all other extents and the element types agree.

    Example:
    ```mlir
    %0 = tenon.concatenate %a, %b dim 1 : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<4x10xf32>
    ```
  }];
  let arguments = (ins Variadic<Tenon_Tensor>:$operands_, I64Attr:$dim);
  let assemblyFormat = "$operands_ `dim` $dim attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tenon_ReverseOp : Tenon_MovementOp<"reverse", [SameOperandsAndResultType]> {
  let summary = "Elements in opposite order along some dimensions";
  let description = [{
    (C1) dimensions are distinct and within the rank.

    Example:
    ```mlir
    %0 = tenon.reverse %x [0] : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let assemblyFormat = "$operand $dims attr-dict `:` type($operand)";
  let hasVerifier = 1;
}

#endif // TENON_MOVEMENT_TD
