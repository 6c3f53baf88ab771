// State: tensors that a context keeps from run to run. Generated separately
// from the other families, because few files use it.
#ifndef TENON_STATE_TD
#define TENON_STATE_TD

include "dialects/tenon/TenonBase.td"
include "mlir/IR/SymbolInterfaces.td"

def Tenon_StateResource : Resource<"::tenon::StateResource">;

def Tenon_ContextExtentOp : Tenon_Op<"context_extent", [Symbol]> {
  let summary = "An extent of states that is chosen when a context is made";
  let description = [{
    All runs of a context have one size for it. A context that does not choose
    gets the default. `number` is its place in the artifact's table once blobs
    are laid out.

    * (C1) 0 <= least <= default <= most

    Example:
    ```mlir
    tenon.context_extent @rows 1 to 16 default 1
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$least, I64Attr:$most, I64Attr:$initial, OptionalAttr<I64Attr>:$number);
  let assemblyFormat = "$sym_name $least `to` $most `default` $initial attr-dict-with-keyword";
  let hasVerifier = 1;
}

def Tenon_GetExtentOp : Tenon_Op<"get_extent", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The size that this context has for one of its extents";
  let description = [{
    (C1) the symbol names a context extent.

    Example:
    ```mlir
    %0 = tenon.get_extent @rows
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$extent);
  let results = (outs Index:$result);
  let assemblyFormat = "$extent attr-dict";
}

def Tenon_StateOffsetOp : Tenon_Op<"state_offset", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The byte where a state with context extents begins in this context's states";
  let description = [{
    (C1) the symbol names a state with context extents.

    Example:
    ```mlir
    %0 = tenon.state_offset @cache
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$state);
  let results = (outs Index:$result);
  let assemblyFormat = "$state attr-dict";
}

def Tenon_StateOp : Tenon_Op<"state", [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A tensor that keeps its value between runs, in each context its own";
  let description = [{
    A context starts with the value of a weight (`from`) or a small constant
    (`=`), or with zeros if neither is given. All functions of the module see
    one state of that name. The context extents give the sizes of the dynamic
    dimensions, in order.

    Once blobs are laid out, `number` is the state's place in the artifact's
    table. `offset` is its first byte among the states; a state with context
    extents has none, because each context chooses it.

    * (C1) the type is a ranked tensor with one context extent for each dynamic dimension
    * (C2) the initial value is a weight or a constant of the type, not both

    Examples:
    ```mlir
    tenon.state @counter : tensor<i32> = dense<7> : tensor<i32>
    ```
    ```mlir
    tenon.context_extent @rows 1 to 16 default 1
    tenon.state @cache : tensor<?x128x64xf32> extents [@rows]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type, OptionalAttr<FlatSymbolRefAttr>:$initial, OptionalAttr<ElementsAttr>:$value,
                       OptionalAttr<FlatSymbolRefArrayAttr>:$extents, OptionalAttr<I64Attr>:$offset, OptionalAttr<I64Attr>:$number);
  let builders = [OpBuilder<(ins "llvm::StringRef":$symName, "mlir::Type":$type, "mlir::FlatSymbolRefAttr":$initial,
                                 "mlir::ElementsAttr":$value), [{
    build($_builder, $_state, symName, type, initial, value, /*extents=*/{},
          /*offset=*/{}, /*number=*/{});
  }]>];
  let extraClassDeclaration = [{
    /// The context extent of dimension `dim`; null if the dimension is static.
    ::mlir::FlatSymbolRefAttr extentOf(int64_t dim);
    bool hasContextExtents() { return !::llvm::cast<::mlir::RankedTensorType>(getType()).hasStaticShape(); }
  }];
  let assemblyFormat = "$sym_name `:` $type (`extents` $extents^)? (`from` $initial^)? (`=` $value^)? attr-dict-with-keyword";
  let hasVerifier = 1;
}

class Tenon_StateUseOp<string mnemonic, list<Trait> traits>
    : Tenon_Op<mnemonic, [DeclareOpInterfaceMethods<SymbolUserOpInterface>]#traits>;

def Tenon_StateReadOp : Tenon_StateUseOp<"state_read", [MemoryEffects<[MemRead<Tenon_StateResource>]>,
                                                        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "The value a state has now";
  let description = [{
    The value that the last write before this op, in program order, has stored,
    in this run or an earlier one. With `in_place` nothing writes the state
    while the value is used, so that it need not be copied.

    (C1) the symbol names a state of the result's type.

    Example:
    ```mlir
    %0 = tenon.state_read @counter : tensor<i32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$state, UnitAttr:$in_place);
  let results = (outs Tenon_Tensor:$result);
  let assemblyFormat = "$state (`in_place` $in_place^)? attr-dict `:` type($result)";
}

def Tenon_StateWriteOp : Tenon_StateUseOp<"state_write", [MemoryEffects<[MemWrite<Tenon_StateResource>]>]> {
  let summary = "Gives a state a new value";
  let description = [{
    (C1) the symbol names a state of the value's type.

    Example:
    ```mlir
    tenon.state_write @counter, %v : tensor<i32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$state, Tenon_Tensor:$value);
  let assemblyFormat = "$state `,` $value attr-dict `:` type($value)";
}

def Tenon_StateMemoryOp : Tenon_StateUseOp<"state_memory", [Pure]> {
  let summary = "Where a state lies: the destination of the kernel that computes its next value";
  let description = [{
    As a tensor it is written and never read: like the elements of
    `tensor.empty`, its elements are unspecified. As a memref it is the state's
    own memory.

    (C1) the symbol names a state of the result's type.

    Example:
    ```mlir
    %0 = tenon.state_memory @counter : tensor<i32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$state);
  let results = (outs AnyTypeOf<[Tenon_Tensor, AnyMemRef]>:$result);
  let assemblyFormat = "$state attr-dict `:` type($result)";
}

#endif // TENON_STATE_TD
