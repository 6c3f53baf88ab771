// Packing: tensors cut into panels, the layout in which kernels read constant
// operands. Generated separately from the other families, because few files use
// it.
#ifndef TENON_PACKING_TD
#define TENON_PACKING_TD

include "dialects/tenon/TenonBase.td"

class Tenon_PanelOp<string mnemonic>
    : Tenon_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>,
                          DeclareOpInterfaceMethods<
                              ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>]> {
  let results = (outs Tenon_Tensor:$result);
}

def Tenon_PackOp : Tenon_PanelOp<"pack"> {
  let summary = "A dimension cut into panels of `width` elements, which come "
                "first and last: a panel lies in one piece";
  let description = [{
    Result element [p, i..., l] is the operand element at [i...] with the index
    `p * width + l` inserted at `dim`. It is zero if that is past the end.

    * (C1) the dimension is within the rank
    * (C2) the width is positive

    Example:
    ```mlir
    %0 = tenon.pack %w dim 1 width 16 : (tensor<8x40xf32>) -> tensor<3x8x16xf32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$operand, I64Attr:$dim, I64Attr:$width);
  let assemblyFormat = "$operand `dim` $dim `width` $width attr-dict `:` "
                       "functional-type(operands, results)";
}

def Tenon_UnpackOp : Tenon_PanelOp<"unpack"> {
  let summary = "The dimension that was cut into panels in one piece again, "
                "without what filled the last panel";
  let description = [{
    The first dimension of the operand (panels) and the last (width) become
    dimension `dim` of the result. The result has the first `extent` elements of
    it.

    * (C1) the operand has a first and a last dimension, and the dimension is within the result's rank
    * (C2) the operand has exactly as many panels as the extent needs

    Example:
    ```mlir
    %0 = tenon.unpack %p dim 1 extent 40 : (tensor<3x8x16xf32>) -> tensor<8x40xf32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$operand, I64Attr:$dim, I64Attr:$extent);
  let assemblyFormat = "$operand `dim` $dim `extent` $extent attr-dict `:` "
                       "functional-type(operands, results)";
}

def Tenon_PairOp : Tenon_PanelOp<"pair"> {
  let summary = "Neighbours along the last dimension but one in one word: what "
                "an instruction multiplies two of at once";
  let description = [{
    Result word [i..., j, l] has element [i..., 2 * j, l] of the operand in its
    low half and element [i..., 2 * j + 1, l] in its high half. Past the end a
    half is zero.

    * (C1) the operand is of bf16 and has two dimensions or more

    Example:
    ```mlir
    %0 = tenon.pair %p : (tensor<3x7x16xbf16>) -> tensor<3x4x16xi32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$operand);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}

def Tenon_UnpairOp : Tenon_PanelOp<"unpair"> {
  let summary = "The halves of words as neighbours again";
  let description = [{
    Result element [i..., 2 * j, l] is the low half of word [i..., j, l]. Result
    element [i..., 2 * j + 1, l] is its high half.

    * (C1) the operand is of i32 and has two dimensions or more

    Example:
    ```mlir
    %0 = tenon.unpair %w : (tensor<3x4x16xi32>) -> tensor<3x8x16xbf16>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$operand);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}

def Tenon_QuadOp : Tenon_PanelOp<"quad"> {
  let summary = "Four neighbours along the last dimension but one in one word: "
                "what an instruction multiplies four of at once";
  let description = [{
    Byte b of result word [i..., j, l], from the lowest on, is element
    [i..., 4 * j + b, l] of the operand. Past the end a byte is zero.

    * (C1) the operand is of i8 and has two dimensions or more

    Example:
    ```mlir
    %0 = tenon.quad %p : (tensor<3x7x16xi8>) -> tensor<3x2x16xi32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$operand);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}

def Tenon_UnquadOp : Tenon_PanelOp<"unquad"> {
  let summary = "The bytes of words as neighbours again";
  let description = [{
    Result element [i..., 4 * j + b, l] is byte b of word [i..., j, l], the
    lowest first.

    * (C1) the operand is of i32 and has two dimensions or more

    Example:
    ```mlir
    %0 = tenon.unquad %w : (tensor<3x2x16xi32>) -> tensor<3x8x16xi8>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$operand);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}

#endif // TENON_PACKING_TD
