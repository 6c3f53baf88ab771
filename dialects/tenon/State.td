// State: tensors that a context keeps from run to run. Generated separately
// from the other families, because few files use it.
#ifndef TENON_STATE_TD
#define TENON_STATE_TD

include "dialects/tenon/TenonBase.td"
include "mlir/IR/SymbolInterfaces.td"

def Tenon_StateResource : Resource<"::tenon::StateResource">;

def Tenon_StateOp : Tenon_Op<"state", [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A tensor that keeps its value between runs, in each context its own";
  let description = [{
    A context starts with the value of a weight (`from`) or a small constant
    (`=`), or with zeros if neither is given. All functions of the module see
    one state of that name. `offset` is its place in the blob of states once
    blobs are laid out.

    * (C1) the type is a static tensor type
    * (C2) the initial value is a weight or a constant of the type, not both

    Example:
    ```mlir
    tenon.state @counter : tensor<i32> = dense<7> : tensor<i32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type, OptionalAttr<FlatSymbolRefAttr>:$initial, OptionalAttr<ElementsAttr>:$value,
                       OptionalAttr<I64Attr>:$offset);
  let builders = [OpBuilder<(ins "llvm::StringRef":$symName, "mlir::Type":$type, "mlir::FlatSymbolRefAttr":$initial,
                                 "mlir::ElementsAttr":$value), [{
    build($_builder, $_state, symName, type, initial, value, /*offset=*/{});
  }]>];
  let assemblyFormat = "$sym_name `:` $type (`from` $initial^)? (`=` $value^)? attr-dict-with-keyword";
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
  let results = (outs AnyTypeOf<[Tenon_Tensor, AnyStaticShapeMemRef]>:$result);
  let assemblyFormat = "$state attr-dict `:` type($result)";
}

#endif // TENON_STATE_TD
