// Elementwise ops: each result element depends on the operands' elements at the
// same index.
#ifndef TENON_ELEMENTWISE_TD
#define TENON_ELEMENTWISE_TD

include "dialects/tenon/TenonBase.td"

def Tenon_Elementwise : NativeOpTrait<"Elementwise"> { let cppNamespace = "::tenon"; }

/// (C1) the shapes of operands and result agree; the result's type follows from the operands'.
class Tenon_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : Tenon_Op<mnemonic, [Pure, Tenon_Elementwise, SameOperandsAndResultShape,
                          DeclareOpInterfaceMethods<InferTypeOpInterface>,
                          DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>] # traits> {
  /// The element type of the result, as an expression of `operands` and `properties`.
  code resultElement = "mlir::cast<mlir::RankedTensorType>(operands[0].getType()).getElementType()";
  let extraClassDefinition = [{
    llvm::LogicalResult $cppClass::inferReturnTypes(
        mlir::MLIRContext *context, std::optional<mlir::Location> location, mlir::ValueRange operands,
        mlir::DictionaryAttr attributes, mlir::OpaqueProperties properties, mlir::RegionRange regions,
        llvm::SmallVectorImpl<mlir::Type> &results) {
      return inferElementwise(location, operands, }] # resultElement # [{, results);
    }
    llvm::LogicalResult $cppClass::reifyResultShapes(mlir::OpBuilder &builder,
                                                     mlir::ReifiedRankedShapedTypeDims &shapes) {
      return reifyLikeOperand(builder, getOperation(), shapes);
    }
  }];
}

class Tenon_UnaryOp<string mnemonic, Type type, string text> : Tenon_ElementwiseOp<mnemonic, [SameOperandsAndResultElementType]> {
  let summary = text;
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let description = text # [{.

    Example:
    ```mlir
    %0 = tenon.}] # mnemonic # [{ %x : (tensor<4x?x}] # !if(!eq(!cast<string>(type), "Tenon_IntOrBoolTensor"), "i32", "f32") # [{>) -> tensor<4x?x}] # !if(!eq(!cast<string>(type), "Tenon_IntOrBoolTensor"), "i32", "f32") # [{>
    ```
  }];
}

def Tenon_AbsOp : Tenon_UnaryOp<"abs", Tenon_NumTensor, "Absolute value; of the least signed integer, itself">;
def Tenon_NegateOp : Tenon_UnaryOp<"negate", Tenon_NumTensor, "Negation; modular for integers"> { let hasFolder = 1; }
def Tenon_SignOp : Tenon_UnaryOp<"sign", Tenon_NumTensor, "Minus one, zero, one, or NaN for NaN">;
def Tenon_CeilOp : Tenon_UnaryOp<"ceil", Tenon_FloatTensor, "The least integral value not below">;
def Tenon_FloorOp : Tenon_UnaryOp<"floor", Tenon_FloatTensor, "The greatest integral value not above">;
def Tenon_RoundNearestEvenOp : Tenon_UnaryOp<"round_nearest_even", Tenon_FloatTensor, "The nearest integral value, ties to even">;
def Tenon_RoundNearestAfzOp : Tenon_UnaryOp<"round_nearest_afz", Tenon_FloatTensor, "The nearest integral value, ties away from zero">;
def Tenon_SqrtOp : Tenon_UnaryOp<"sqrt", Tenon_FloatTensor, "Square root">;
def Tenon_RsqrtOp : Tenon_UnaryOp<"rsqrt", Tenon_FloatTensor, "One over the square root">;
def Tenon_CbrtOp : Tenon_UnaryOp<"cbrt", Tenon_FloatTensor, "Cube root">;
def Tenon_ExpOp : Tenon_UnaryOp<"exponential", Tenon_FloatTensor, "e to the power of x">;
def Tenon_ExpFlushedOp : Tenon_UnaryOp<"exponential_flushed", Tenon_FloatTensor, "e to the power of x, which is at most 0 or NaN; results below 2^-125.5 are zero, but not in f64">;
def Tenon_Expm1Op : Tenon_UnaryOp<"exponential_minus_one", Tenon_FloatTensor, "e to the power of x, minus one, exact near zero">;
def Tenon_LogOp : Tenon_UnaryOp<"log", Tenon_FloatTensor, "Natural logarithm">;
def Tenon_Log1pOp : Tenon_UnaryOp<"log_plus_one", Tenon_FloatTensor, "Natural logarithm of one plus x, exact near zero">;
def Tenon_SineOp : Tenon_UnaryOp<"sine", Tenon_FloatTensor, "Sine of x in radians">;
def Tenon_CosineOp : Tenon_UnaryOp<"cosine", Tenon_FloatTensor, "Cosine of x in radians">;
def Tenon_TanOp : Tenon_UnaryOp<"tan", Tenon_FloatTensor, "Tangent of x in radians">;
def Tenon_AsinOp : Tenon_UnaryOp<"asin", Tenon_FloatTensor, "Arc sine in radians">;
def Tenon_AcosOp : Tenon_UnaryOp<"acos", Tenon_FloatTensor, "Arc cosine in radians">;
def Tenon_AtanOp : Tenon_UnaryOp<"atan", Tenon_FloatTensor, "Arc tangent in radians">;
def Tenon_SinhOp : Tenon_UnaryOp<"sinh", Tenon_FloatTensor, "Hyperbolic sine">;
def Tenon_CoshOp : Tenon_UnaryOp<"cosh", Tenon_FloatTensor, "Hyperbolic cosine">;
def Tenon_TanhOp : Tenon_UnaryOp<"tanh", Tenon_FloatTensor, "Hyperbolic tangent">;
def Tenon_AsinhOp : Tenon_UnaryOp<"asinh", Tenon_FloatTensor, "Inverse hyperbolic sine">;
def Tenon_AcoshOp : Tenon_UnaryOp<"acosh", Tenon_FloatTensor, "Inverse hyperbolic cosine">;
def Tenon_AtanhOp : Tenon_UnaryOp<"atanh", Tenon_FloatTensor, "Inverse hyperbolic tangent">;
def Tenon_LogisticOp : Tenon_UnaryOp<"logistic", Tenon_FloatTensor, "One over one plus e to the power of minus x">;
def Tenon_ErfOp : Tenon_UnaryOp<"erf", Tenon_FloatTensor, "Error function">;
def Tenon_NotOp : Tenon_UnaryOp<"not", Tenon_IntOrBoolTensor, "Bitwise, for bool logical, complement">;

class Tenon_BinaryOp<string mnemonic, Type type, string text, list<Trait> traits = []>
    : Tenon_ElementwiseOp<mnemonic, [SameOperandsAndResultElementType] # traits> {
  let summary = text;
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let description = text # [{.

    Example:
    ```mlir
    %0 = tenon.}] # mnemonic # [{ %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    ```
  }];
}

def Tenon_AddOp : Tenon_BinaryOp<"add", Tenon_Tensor, "Sum; for bool, or", [Commutative]> { let hasFolder = 1; }
def Tenon_SubtractOp : Tenon_BinaryOp<"subtract", Tenon_NumTensor, "Difference"> { let hasFolder = 1; }
def Tenon_MultiplyOp : Tenon_BinaryOp<"multiply", Tenon_Tensor, "Product; for bool, and", [Commutative]> { let hasFolder = 1; }
def Tenon_DivideOp : Tenon_BinaryOp<"divide", Tenon_NumTensor,
    "Quotient; integers truncate, x / 0 has all bits set, and the least integer over -1 is itself"> { let hasFolder = 1; }
def Tenon_RemainderOp : Tenon_BinaryOp<"remainder", Tenon_NumTensor,
    "What truncating division leaves, with the dividend's sign; x % 0 is x for integers">;
def Tenon_PowerOp : Tenon_BinaryOp<"power", Tenon_NumTensor,
    "Power; integers by repeated multiplication, a negative integer exponent gives 1 / x truncated">;
def Tenon_MaximumOp : Tenon_BinaryOp<"maximum", Tenon_Tensor, "The greater; NaN if either is NaN", [Commutative]>;
def Tenon_MinimumOp : Tenon_BinaryOp<"minimum", Tenon_Tensor, "The lesser; NaN if either is NaN", [Commutative]>;
def Tenon_AndOp : Tenon_BinaryOp<"and", Tenon_IntOrBoolTensor, "Bitwise and", [Commutative]>;
def Tenon_OrOp : Tenon_BinaryOp<"or", Tenon_IntOrBoolTensor, "Bitwise or", [Commutative]>;
def Tenon_XorOp : Tenon_BinaryOp<"xor", Tenon_IntOrBoolTensor, "Bitwise exclusive or", [Commutative]>;
def Tenon_ShiftLeftOp : Tenon_BinaryOp<"shift_left", Tenon_IntTensor, "Left shift; zero when the amount is not below the width">;
def Tenon_ShiftRightLogicalOp : Tenon_BinaryOp<"shift_right_logical", Tenon_IntTensor,
    "Right shift filling with zeros; zero when the amount is not below the width">;
def Tenon_ShiftRightArithmeticOp : Tenon_BinaryOp<"shift_right_arithmetic", Tenon_IntTensor,
    "Right shift filling with the sign; all sign bits when the amount is not below the width">;
def Tenon_Atan2Op : Tenon_ElementwiseOp<"atan2", [SameOperandsAndResultElementType]> {
  let summary = "The angle of the point (rhs, lhs) in radians";
  let description = [{
    Example:
    ```mlir
    %0 = tenon.atan2 %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Tenon_FloatTensor:$lhs, Tenon_FloatTensor:$rhs);
  let results = (outs Tenon_FloatTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Tenon_CompareOp : Tenon_ElementwiseOp<"compare", [AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "A comparison of two elements; every comparison with NaN but `ne` is false";
  let description = [{
    Example:
    ```mlir
    %0 = tenon.compare lt %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    ```
  }];
  let arguments = (ins Tenon_CompareDirectionAttr:$direction, Tenon_Tensor:$lhs, Tenon_Tensor:$rhs);
  let results = (outs Tenon_BoolTensor:$result);
  let assemblyFormat = "$direction $lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let resultElement = "mlir::IntegerType::get(context, 1)";
}

def Tenon_SelectOp : Tenon_ElementwiseOp<"select", [AllElementTypesMatch<["on_true", "on_false", "result"]>]> {
  let summary = "The element of one of two tensors, chosen by a bool";
  let description = [{
    Example:
    ```mlir
    %0 = tenon.select %p, %a, %b : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Tenon_BoolTensor:$pred, Tenon_Tensor:$on_true, Tenon_Tensor:$on_false);
  let results = (outs Tenon_Tensor:$result);
  let assemblyFormat = "$pred `,` $on_true `,` $on_false attr-dict `:` functional-type(operands, results)";
  let resultElement = "mlir::cast<mlir::RankedTensorType>(operands[1].getType()).getElementType()";
  let hasFolder = 1;
}

def Tenon_ClampOp : Tenon_ElementwiseOp<"clamp", [SameOperandsAndResultElementType]> {
  let summary = "minimum(maximum(operand, low), high); NaN stays NaN";
  let description = [{
    Example:
    ```mlir
    %0 = tenon.clamp %low, %x, %high : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Tenon_NumTensor:$low, Tenon_NumTensor:$operand, Tenon_NumTensor:$high);
  let results = (outs Tenon_NumTensor:$result);
  let assemblyFormat = "$low `,` $operand `,` $high attr-dict `:` functional-type(operands, results)";
}

def Tenon_IsNanOp : Tenon_ElementwiseOp<"is_nan"> {
  let summary = "Whether an element is NaN";
  let description = [{
    Example:
    ```mlir
    %0 = tenon.is_nan %x : (tensor<4xf32>) -> tensor<4xi1>
    ```
  }];
  let arguments = (ins Tenon_FloatTensor:$operand);
  let results = (outs Tenon_BoolTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let resultElement = "mlir::IntegerType::get(context, 1)";
}

def Tenon_ConvertOp : Tenon_ElementwiseOp<"convert"> {
  let summary = "Conversion between element types";
  let description = [{
    A float becomes an integer by truncation; it saturates at the ends of the
    type, and NaN becomes zero. Any nonzero value, NaN too, becomes true.
    Integers are converted modulo the width of the target. A narrower float is
    rounded to nearest even.

    Example:
    ```mlir
    %0 = tenon.convert %x to f32 : (tensor<4xi8>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$operand, TypeAttr:$target);
  let results = (outs Tenon_Tensor:$result);
  let assemblyFormat = "$operand `to` $target attr-dict `:` functional-type(operands, results)";
  let resultElement = "properties.as<ConvertOp::Properties *>()->getTarget().getValue()";
  let hasFolder = 1;
}

def Tenon_BitcastConvertOp : Tenon_ElementwiseOp<"bitcast_convert"> {
  let summary = "The same bits as another element type of equal width";
  let description = [{
    (C2) the element types have equal widths.

    Example:
    ```mlir
    %0 = tenon.bitcast_convert %x to i32 : (tensor<4xf32>) -> tensor<4xi32>
    ```
  }];
  let arguments = (ins Tenon_Tensor:$operand, TypeAttr:$target);
  let results = (outs Tenon_Tensor:$result);
  let assemblyFormat = "$operand `to` $target attr-dict `:` functional-type(operands, results)";
  let resultElement = "properties.as<BitcastConvertOp::Properties *>()->getTarget().getValue()";
  let hasVerifier = 1;
}

def Tenon_CheckRangeOp : Tenon_ElementwiseOp<"check_range", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "The operand, after a fault for any element outside [low, high)";
  let description = [{
    If an element is outside [`low`, `high`), the run stops with the text
    `site`. The result is clamped into the range, so that memory accesses
    computed from it are safe in any case.

    Example:
    ```mlir
    %0 = tenon.check_range %i in [%low, %high) "node \22g\22 (Gather)" : (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    ```
  }];
  let arguments = (ins Tenon_IntTensor:$operand, Tenon_IntTensor:$low, Tenon_IntTensor:$high, StrAttr:$site);
  let results = (outs Tenon_IntTensor:$result);
  let assemblyFormat = "$operand `in` `[` $low `,` $high `)` $site attr-dict `:` functional-type(operands, results)";
}

#endif // TENON_ELEMENTWISE_TD
