// Indexing: gathers and scatters at computed positions, sorts, and results
// whose size depends on element values.
#ifndef TENON_INDEXING_TD
#define TENON_INDEXING_TD

include "dialects/tenon/TenonBase.td"

def Tenon_GatherOp : Tenon_Op<"gather", [Pure, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "Slices of a tensor at computed positions";
  let description = [{
    As in the StableHLO specification. The index vectors lie along
    `index_vector_dim` of `indices`; its other dimensions are the batch. For
    each batch index one slice of `slice_sizes` is read. Entry k of the index
    vector is the start along operand dimension `start_index_map[k]`. The start
    is clamped so that the slice lies within the operand. A slice size of -1
    takes the whole extent.

    * (C1) offset_dims are ascending result dimensions, collapsed dimensions
      have slice size 1
    * (C2) start_index_map is as long as the index vector
    * (C3) operand and indices have equally many batching dimensions, with slice
      size 1
    * (C4) slice sizes do not exceed the extents, unless there may be no slices
    * (C5) the result's shape follows from the operands

    Example:
    ```mlir
    %0 = tenon.gather %x, %i offset_dims [1] collapsed [0] batching [] x [] map [0] vector_dim 1 slice_sizes [1, 8]
       : (tensor<4x8xf32>, tensor<3x1xi64>) -> tensor<3x8xf32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$operand, Tenon_IntTensor:$indices, DenseI64ArrayAttr:$offset_dims, DenseI64ArrayAttr:$collapsed_dims,
                       DenseI64ArrayAttr:$operand_batching_dims, DenseI64ArrayAttr:$indices_batching_dims,
                       DenseI64ArrayAttr:$start_index_map, I64Attr:$index_vector_dim, DenseI64ArrayAttr:$slice_sizes);
  let results = (outs Tenon_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $indices `offset_dims` $offset_dims `collapsed` $collapsed_dims `batching` $operand_batching_dims `x` $indices_batching_dims
    `map` $start_index_map `vector_dim` $index_vector_dim `slice_sizes` $slice_sizes attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Tenon_ScatterOp : Tenon_Op<"scatter", [Pure, AllTypesMatch<["operand", "result"]>,
                                           DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "A tensor with slices at computed positions set or combined with updates";
  let description = [{
    As in the StableHLO specification. The index vector and the window index of
    an update element give its position in the operand. An element outside the
    operand is skipped. Updates are applied in row-major order of `updates`.

    * (C1) update_window_dims are ascending update dimensions
    * (C2) the index map is as long as the index vector
    * (C3) operand and indices have equally many batching dimensions
    * (C4) the shape of `updates` follows from indices and windows

    Example:
    ```mlir
    %0 = tenon.scatter set %x, %i, %u window_dims [1] inserted [0] batching [] x [] map [0] vector_dim 1
       : (tensor<4x8xf32>, tensor<3x1xi64>, tensor<3x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tenon_ScatterKindAttr:$kind, Tenon_Tensor:$operand, Tenon_IntTensor:$indices, Tenon_Tensor:$updates,
                       DenseI64ArrayAttr:$update_window_dims, DenseI64ArrayAttr:$inserted_dims,
                       DenseI64ArrayAttr:$operand_batching_dims, DenseI64ArrayAttr:$indices_batching_dims,
                       DenseI64ArrayAttr:$index_map, I64Attr:$index_vector_dim);
  let results = (outs Tenon_Tensor:$result);
  let assemblyFormat = [{
    $kind $operand `,` $indices `,` $updates `window_dims` $update_window_dims `inserted` $inserted_dims
    `batching` $operand_batching_dims `x` $indices_batching_dims `map` $index_map `vector_dim` $index_vector_dim
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Tenon_DynamicUpdateSliceOp : Tenon_Op<"dynamic_update_slice", [Pure, AllTypesMatch<["operand", "result"]>,
                                           DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "A tensor with a box replaced by another tensor";
  let description = [{
    Offsets are clamped so that the box lies within the operand.

    * (C1) ranks and element types agree, there is an offset per dimension
    * (C2) static extents of the update do not exceed the operand's

    Example:
    ```mlir
    %0 = tenon.dynamic_update_slice %x, %u at [%i, 0] : (tensor<8x4xf32>, tensor<1x4xf32>, index) -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$operand, Tenon_Tensor:$update, Variadic<Index>:$offsets, DenseI64ArrayAttr:$static_offsets);
  let results = (outs Tenon_Tensor:$result);
  let assemblyFormat = "$operand `,` $update `at` custom<DynamicIndexList>($offsets, $static_offsets) attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Tenon_SortOp : Tenon_Op<"sort", [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>,
                                     DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "Elements in order along a dimension, and where each came from";
  let description = [{
    The sort is stable. NaN is greater than every number; -0 and +0 are equal.
    The second result holds the position that each element had in the operand.

    * (C1) the dimension is within the rank

    Example:
    ```mlir
    %0, %1 = tenon.sort %x dim 1 descending : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
    ```
  }];
  let arguments = (ins Tenon_NumTensor:$operand, I64Attr:$dim, UnitAttr:$descending);
  let results = (outs Tenon_NumTensor:$result, RankedTensorOf<[I64]>:$positions);
  let assemblyFormat = "$operand `dim` $dim (`descending` $descending^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Tenon_TopKOp : Tenon_Op<"top_k", [Pure, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "The first elements in order along a dimension, and where each came from";
  let description = [{
    The first `k` elements of the operand's stable descending sort, or of the
    ascending one. The order of elements is that of `tenon.sort`. `k` is at most
    the extent of the dimension.

    * (C1) the dimension is within the rank
    * (C2) results have the operand's shape but for the dimension, where they
      have one extent, and the first has the operand's elements

    Example:
    ```mlir
    %0, %1 = tenon.top_k %x first %k dim 1 : (tensor<4x50257xf32>, index) -> (tensor<4x?xf32>, tensor<4x?xi64>)
    ```
  }];
  let arguments = (ins Tenon_NumTensor:$operand, Index:$k, I64Attr:$dim, UnitAttr:$ascending);
  let results = (outs Tenon_NumTensor:$result, RankedTensorOf<[I64]>:$positions);
  let assemblyFormat = "$operand `first` $k `dim` $dim (`ascending` $ascending^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Tenon_NonzeroOp : Tenon_Op<"nonzero", [Pure, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "The index vectors of the elements that are not zero, in row-major order";
  let description = [{
    `count` is the number of nonzero elements, known only during the run. The
    result is [count, rank].

    * (C1) the result is of rank 2 and its second extent is the operand's rank

    Example:
    ```mlir
    %0 = tenon.nonzero %x count %n : (tensor<4x8xf32>, index) -> tensor<?x2xi64>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$operand, Index:$count);
  let results = (outs RankedTensorOf<[I64]>:$result);
  let assemblyFormat = "$operand `count` $count attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Tenon_NonMaxSuppressionOp : Tenon_Op<"non_max_suppression", [Pure, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "Boxes in falling order of score that overlap no box already taken";
  let description = [{
    `boxes` is [batch, boxes, 4], `scores` is [batch, classes, boxes]. `limit`
    bounds the number of boxes taken per batch and class. `selected` has the
    shape [batch * classes * min(limit, boxes), 3]; its first `count` rows are
    set to (batch, class, box). A box is two opposite corners (y1, x1, y2, x2),
    or with `center` (x, y, width, height).

    * (C1) boxes and scores have rank 3, boxes have four coordinates, batch and
      box extents agree

    Example:
    ```mlir
    %0, %1 = tenon.non_max_suppression %b, %s limit %n, %iou, %min
       : (tensor<1x6x4xf32>, tensor<1x1x6xf32>, index, tensor<f32>, tensor<f32>) -> (tensor<?x3xi64>, tensor<i64>)
    ```
  }];
  let arguments = (ins RankedTensorOf<[F32]>:$boxes, RankedTensorOf<[F32]>:$scores, Index:$limit, RankedTensorOf<[F32]>:$iou_threshold,
                       RankedTensorOf<[F32]>:$score_threshold, UnitAttr:$center);
  let results = (outs RankedTensorOf<[I64]>:$selected, RankedTensorOf<[I64]>:$count);
  let assemblyFormat = [{
    $boxes `,` $scores `limit` $limit `,` $iou_threshold `,` $score_threshold (`center` $center^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // TENON_INDEXING_TD
