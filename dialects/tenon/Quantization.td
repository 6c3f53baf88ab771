// Quantization: weights stored in fewer bits, as kernels read them. Generated
// separately from the other families, because few files use it.
#ifndef TENON_QUANTIZATION_TD
#define TENON_QUANTIZATION_TD

include "dialects/tenon/TenonBase.td"

class Tenon_QuantizationOp<string mnemonic>
    : Tenon_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<
                                    ReifyRankedShapedTypeOpInterface,
                                    ["reifyResultShapes"]>]> {
  let results = (outs Tenon_Tensor:$result);
  let hasVerifier = 1;
}

def Tenon_GroupScalesOp : Tenon_QuantizationOp<"group_scales"> {
  let summary =
      "The scales with which groups of weights lose least as integers "
      "of few bits";
  let description = [{
    The operand is panels x depth x width, as `tenon.pack` makes it. Each column
    has one scale for every `group` elements along the depth:

    * 8 bits: the group's largest magnitude over 127, as f32
    * 4 bits: a bf16 near the largest magnitude over 8, of either sign. The op
      tries several and takes the one whose integers have the least sum of
      squared errors.

    A group of zeros has the scale 0.

    * (C1) the operand is panels x depth x width of f32, its extents known
    * (C2) the group is a positive multiple of 8
    * (C3) the result has a scale for each panel, group and column: f32 for 8 bits, bf16 for 4

    Example:
    ```mlir
    %0 = tenon.group_scales %p group 32 bits 4 : (tensor<3x100x16xf32>) -> tensor<3x4x16xbf16>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$operand, I64Attr:$group, I64Attr:$bits);
  let assemblyFormat = "$operand `group` $group `bits` $bits attr-dict `:` "
                       "functional-type(operands, results)";
}

def Tenon_QuantizeOp : Tenon_QuantizationOp<"quantize"> {
  let summary = "Weights in fewer bits";
  let description = [{
    Without scales, elements are rounded to f16 or bf16, to nearest even.

    With scales, an element of panels x depth x width becomes the integer
    nearest to the element over its group's scale, ties to even. The integer is
    clamped to [-127, 127] for i8 and to [-8, 7] for four bits. It is 0 if the
    scale is 0. Four-bit integers are packed in two's complement into words of
    i32: word [p, j, w] has element [p, 8 * j + i, w] in the four bits from bit
    4 * i on, and zero past the end.

    * (C1) without scales: f32 to f16 or bf16 of the same shape, and no group
    * (C2) with scales: panels x depth x width of f32, extents known, to i8 of the same shape or to i32 with an eighth of the depth, rounded up
    * (C3) the group is a positive multiple of 8, and there is a scale, f32 or bf16, for each panel, group and column

    Example:
    ```mlir
    %0 = tenon.quantize %p scales %s group 32 : (tensor<3x100x16xf32>, tensor<3x4x16xbf16>) -> tensor<3x13x16xi32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$operand, Optional<Tenon_Tensor>:$scales,
      OptionalAttr<I64Attr>:$group);
  let assemblyFormat = "$operand (`scales` $scales^)? (`group` $group^)? "
                       "attr-dict `:` functional-type(operands, results)";
}

def Tenon_DequantizeOp : Tenon_QuantizationOp<"dequantize"> {
  let summary = "What quantized weights stand for";
  let description = [{
    The inverse of `tenon.quantize` up to rounding: f16 or bf16 becomes f32, and
    an integer is multiplied by its group's scale. Kernels need not compute it: a
    product applies the scale to the sum over a group.

    * (C1) without scales: f16 or bf16 to f32 of the same shape, and no group
    * (C2) with scales: i8 of the result's shape, or i32 with an eighth of its depth, rounded up, to panels x depth x width of f32, extents known
    * (C3) the group is a positive multiple of 8, and there is a scale, f32 or bf16, for each panel, group and column

    Example:
    ```mlir
    %0 = tenon.dequantize %q scales %s group 32 : (tensor<3x13x16xi32>, tensor<3x4x16xbf16>) -> tensor<3x100x16xf32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$operand, Optional<Tenon_Tensor>:$scales,
      OptionalAttr<I64Attr>:$group);
  let assemblyFormat = "$operand (`scales` $scales^)? (`group` $group^)? "
                       "attr-dict `:` functional-type(operands, results)";
}

#endif // TENON_QUANTIZATION_TD
