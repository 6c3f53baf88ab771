// Element types, enums and interfaces of the dialect: every family of ops is written with them.
#ifndef TENON_BASE_TD
#define TENON_BASE_TD

include "dialects/tenon/DialectDef.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tenon_Op<string mnemonic, list<Trait> traits = []> : Op<Tenon_Dialect, mnemonic, traits>;

def Tenon_Float : AnyTypeOf<[F16, BF16, F32, F64], "floating-point">;
def Tenon_Int : AnyTypeOf<[I8, I16, I32, I64, UI8, UI16, UI32, UI64], "integer">;
def Tenon_Element : AnyTypeOf<[F16, BF16, F32, F64, I8, I16, I32, I64, UI8, UI16, UI32, UI64, I1],
                              "element of a tensor">;
def Tenon_Tensor : RankedTensorOf<[Tenon_Element]>;
def Tenon_FloatTensor : RankedTensorOf<[F16, BF16, F32, F64]>;
def Tenon_IntTensor : RankedTensorOf<[I8, I16, I32, I64, UI8, UI16, UI32, UI64]>;
def Tenon_NumTensor : RankedTensorOf<[F16, BF16, F32, F64, I8, I16, I32, I64, UI8, UI16, UI32, UI64]>;
def Tenon_IntOrBoolTensor : RankedTensorOf<[I8, I16, I32, I64, UI8, UI16, UI32, UI64, I1]>;
def Tenon_BoolTensor : RankedTensorOf<[I1]>;

class Tenon_I32Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tenon";
  let genSpecializedAttr = 0;
}

def Tenon_ReduceKind : Tenon_I32Enum<"ReduceKind", "how elements are combined", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Multiply", 1, "multiply">,
  I32EnumAttrCase<"Maximum", 2, "maximum">, I32EnumAttrCase<"Minimum", 3, "minimum">,
  I32EnumAttrCase<"And", 4, "and">, I32EnumAttrCase<"Or", 5, "or">]>;
def Tenon_ReduceKindAttr : EnumAttr<Tenon_Dialect, Tenon_ReduceKind, "reduce_kind">;

def Tenon_ScatterKind : Tenon_I32Enum<"ScatterKind", "how an update meets the old element", [
  I32EnumAttrCase<"Set", 0, "set">, I32EnumAttrCase<"Add", 1, "add">, I32EnumAttrCase<"Multiply", 2, "multiply">,
  I32EnumAttrCase<"Maximum", 3, "maximum">, I32EnumAttrCase<"Minimum", 4, "minimum">]>;
def Tenon_ScatterKindAttr : EnumAttr<Tenon_Dialect, Tenon_ScatterKind, "scatter_kind">;

def Tenon_Products : Tenon_I32Enum<"Products", "how the products of a contraction are formed and summed", [
  I32EnumAttrCase<"Chain", 0, "chain">, I32EnumAttrCase<"Pairs", 1, "pairs">, I32EnumAttrCase<"Quads", 2, "quads">]>;
def Tenon_ProductsAttr : EnumAttr<Tenon_Dialect, Tenon_Products, "products">;

def Tenon_CompareDirection : Tenon_I32Enum<"CompareDirection", "a comparison", [
  I32EnumAttrCase<"EQ", 0, "eq">, I32EnumAttrCase<"NE", 1, "ne">, I32EnumAttrCase<"LT", 2, "lt">,
  I32EnumAttrCase<"LE", 3, "le">, I32EnumAttrCase<"GT", 4, "gt">, I32EnumAttrCase<"GE", 5, "ge">]>;
def Tenon_CompareDirectionAttr : EnumAttr<Tenon_Dialect, Tenon_CompareDirection, "direction">;

def Tenon_FusionKind : Tenon_I32Enum<"FusionKind", "what kind of kernel a fusion becomes", [
  I32EnumAttrCase<"Map", 0, "map">, I32EnumAttrCase<"Rows", 1, "rows">,
  I32EnumAttrCase<"Contraction", 2, "contraction">, I32EnumAttrCase<"Scan", 3, "scan">,
  I32EnumAttrCase<"Sort", 4, "sort">, I32EnumAttrCase<"Scatter", 5, "scatter">,
  I32EnumAttrCase<"Window", 6, "window">, I32EnumAttrCase<"Opaque", 7, "opaque">,
  I32EnumAttrCase<"Attention", 8, "attention">]>;
def Tenon_FusionKindAttr : EnumAttr<Tenon_Dialect, Tenon_FusionKind, "fusion_kind">;

def Tenon_CompositeOpInterface : OpInterface<"CompositeOp"> {
  let cppNamespace = "::tenon";
  let description = [{An op that is defined by its decomposition into primitives.}];
  let methods = [InterfaceMethod<
      "Builds the op's decomposition at the builder's insertion point; one value per result.",
      "llvm::SmallVector<mlir::Value>", "decompose", (ins "mlir::OpBuilder &":$builder)>];
}

#endif // TENON_BASE_TD
