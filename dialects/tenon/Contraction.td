// Contractions: sums of products over shared extents. The attribute `products`
// says how products of floats are formed. `chain` adds one exact product at a
// time by a fused multiply-add. `pairs` rounds the operands to bf16 first and
// adds two products at a time. Products of integers are exact: `quads` says that
// four at a time are added.
#ifndef TENON_CONTRACTION_TD
#define TENON_CONTRACTION_TD

include "dialects/tenon/TenonBase.td"

def Tenon_DotGeneralOp
    : Tenon_Op<"dot_general", [Pure, DeclareOpInterfaceMethods<
                                         ReifyRankedShapedTypeOpInterface,
                                         ["reifyResultShapes"]>]> {
  let summary = "Sum of products over the contracting extents, for each index "
                "of batch and free extents";
  let description = [{
    The result's extents are the batch extents, then the free extents of `lhs`,
    then the free extents of `rhs`. The result may have a wider element type
    than the operands. Products and sums are computed in the result's type (in
    f32 for f16 and bf16).

    With `products pairs` the operands are rounded to bf16. Two products at a
    time are added to the sum, the later one first, each by one fused
    multiply-add. Denormal operands count as zeros, and denormal sums become
    zeros.

    With `products quads` four products of bytes at a time are added to the sum,
    which is exact modulo 2^32 like any sum of integers.

    * (C1) the batch lists have equal length, and so have the contracting lists
    * (C2) no dimension is listed twice, all are within the rank
    * (C3) batch extents agree
    * (C4) contracting extents agree
    * (C5) the result's shape follows
    * (C6) pairs are of f32 or bf16 operands and have an f32 result; quads are of ui8 and i8 and have an i32 result

    Example:
    ```mlir
    %0 = tenon.dot_general %a, %b batch [0] x [0] contract [2] x [1] : (tensor<4x8x16xf32>, tensor<4x16x32xf32>) -> tensor<4x8x32xf32>
    ```
  }];
  let arguments = (ins Tenon_NumTensor:$lhs, Tenon_NumTensor:$rhs,
      DenseI64ArrayAttr:$lhs_batch, DenseI64ArrayAttr:$rhs_batch,
      DenseI64ArrayAttr:$lhs_contract, DenseI64ArrayAttr:$rhs_contract,
      DefaultValuedAttr<Tenon_ProductsAttr, "Products::Chain">:$products);
  let results = (outs Tenon_NumTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `batch` $lhs_batch `x` $rhs_batch `contract` $lhs_contract `x` $rhs_contract (`products` $products^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The dimensions of lhs (rhs) that are neither batch nor contracting, ascending.
    llvm::SmallVector<int64_t> getLhsFree();
    llvm::SmallVector<int64_t> getRhsFree();
  }];
}

def Tenon_ConvolutionOp
    : Tenon_Op<"convolution", [Pure, DeclareOpInterfaceMethods<
                                         ReifyRankedShapedTypeOpInterface,
                                         ["reifyResultShapes"]>]> {
  let summary = "Convolution of channel-last images";
  let description = [{
    `lhs` is [batch, spatial..., features], `rhs` is [spatial..., features /
    groups, outputs], the result is [batch, spatial..., outputs]. `padding` has
    a low and a high entry per spatial extent and may be negative.
    `lhs_dilation` puts zeros between the elements of the image (a transposed
    convolution), `rhs_dilation` between those of the kernel. `products` has the
    meaning it has in `tenon.dot_general`.

    * (C1) ranks agree and are at least 3
    * (C2) strides, dilations and groups are positive and as many as the spatial extents
    * (C3) features = groups * rhs features, outputs are a multiple of groups
    * (C4) the result's shape follows
    * (C5) pairs are of f32 or bf16 operands and have an f32 result; quads are of ui8 and i8 and have an i32 result

    Example:
    ```mlir
    %0 = tenon.convolution %x, %w strides [2, 2] padding [3, 3, 3, 3] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1
       : (tensor<1x224x224x3xf32>, tensor<7x7x3x64xf32>) -> tensor<1x112x112x64xf32>
    ```
  }];
  let arguments = (ins Tenon_NumTensor:$lhs, Tenon_NumTensor:$rhs,
      DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding,
      DenseI64ArrayAttr:$lhs_dilation, DenseI64ArrayAttr:$rhs_dilation,
      I64Attr:$groups,
      DefaultValuedAttr<Tenon_ProductsAttr, "Products::Chain">:$products);
  let results = (outs Tenon_NumTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `strides` $strides `padding` $padding `lhs_dilation` $lhs_dilation `rhs_dilation` $rhs_dilation `groups` $groups
    (`products` $products^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // TENON_CONTRACTION_TD
