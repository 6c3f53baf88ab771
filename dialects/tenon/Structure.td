// Structure: weights, fusion regions, and the ops that launch and check
// kernels.
#ifndef TENON_STRUCTURE_TD
#define TENON_STRUCTURE_TD

include "dialects/tenon/TenonBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Tenon_WeightSourceAttr : AttrDef<Tenon_Dialect, "WeightSource"> {
  let mnemonic = "source";
  let summary = "Where a weight's bytes lie: a file, a byte offset and a length";
  let parameters = (ins "mlir::StringAttr":$file, "int64_t":$offset, "int64_t":$length);
  let assemblyFormat = "`<` $file `,` $offset `,` $length `>`";
}

def Tenon_WeightOp : Tenon_Op<"weight", [Symbol, IsolatedFromAbove]> {
  let summary = "A constant tensor that stays out of the IR";
  let description = [{
    The bytes are a range of a file (`from`), little-endian in row-major order,
    or the result of the op's region: a recipe that computes it from other
    weights. The artifact writer evaluates recipes one tensor at a time. The
    bits equal those of running the ops. `offset` is its place in the blob of
    weights once blobs are laid out; a weight without one is not used.

    * (C1) there is a source or a recipe, not both
    * (C2) the source's length is that of the type
    * (C3) the recipe yields a value of the type

    Example:
    ```mlir
    tenon.weight @w : tensor<4x8xf32> from #tenon.source<"model.onnx", 1024, 128>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type, OptionalAttr<Tenon_WeightSourceAttr>:$source,
                       OptionalAttr<I64Attr>:$offset);
  let regions = (region AnyRegion:$recipe);
  let builders = [OpBuilder<(ins "llvm::StringRef":$symName, "mlir::Type":$type, "WeightSourceAttr":$source), [{
    build($_builder, $_state, symName, type, source, /*offset=*/{});
  }]>];
  let assemblyFormat = "$sym_name `:` $type (`from` $source^)? attr-dict-with-keyword ($recipe^)?";
  let hasVerifier = 1;
}

def Tenon_GetWeightOp : Tenon_Op<"get_weight", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                                                DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "The value of a weight";
  let description = [{
    (C1) the symbol names a weight of the result's type.

    Example:
    ```mlir
    %0 = tenon.get_weight @w : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$weight);
  let results = (outs AnyTypeOf<[Tenon_Tensor, AnyStaticShapeMemRef]>:$result);
  let assemblyFormat = "$weight attr-dict `:` type($result)";
}

def Tenon_YieldOp : Tenon_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "What a recipe or a fusion computes";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Tenon_BoundOp : Tenon_Op<"bound", [Pure]> {
  let summary = "A size known only during the run, with an upper bound known before it";
  let description = [{
    The result is `value`. Memory is planned with `bound` in its place.

    Example:
    ```mlir
    %0 = tenon.bound %n at_most %max
    ```
  }];
  let arguments = (ins Index:$value, Index:$bound);
  let results = (outs Index:$result);
  let assemblyFormat = "$value `at_most` $bound attr-dict";
}

def Tenon_FusionOp : Tenon_Op<"fusion", [IsolatedFromAbove, AttrSizedOperandSegments, SingleBlock,
                                         DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "One kernel: its region says what is computed, its kind says how";
  let description = [{
    The region has one argument per input (a tensor or an `index`) and yields
    one tensor per output. Outputs are destinations: tensors of the results'
    types until buffers are assigned, memrefs afterwards. Inside the region all
    values are tensors. A `streamed` kernel uses non-temporal stores for the
    elements that it copies to its outputs.

    * (C1) region arguments match the inputs; a memref matches a tensor of its
      shape
    * (C2) yielded values match the outputs
    * (C3) there are as many results as tensor outputs, of their types
    * (C4) only attention may be `streamed`

    Example:
    ```mlir
    %0 = tenon.fusion map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%a: tensor<4xf32>):
      %1 = tenon.negate %a : (tensor<4xf32>) -> tensor<4xf32>
      tenon.yield %1 : tensor<4xf32>
    } -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Tenon_FusionKindAttr:$kind, Variadic<AnyTypeOf<[Tenon_Tensor, AnyMemRef, Index]>>:$inputs,
                       Variadic<AnyTypeOf<[Tenon_Tensor, AnyMemRef]>>:$outputs, UnitAttr:$streamed);
  let results = (outs Variadic<Tenon_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kind `ins` `(` ($inputs^ `:` type($inputs))? `)` `outs` `(` $outputs `:` type($outputs) `)` attr-dict-with-keyword $body
    (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    mlir::Block &getBlock() { return getBody().front(); }
    tenon::YieldOp getYield();
  }];
}

def Tenon_LaunchOp : Tenon_Op<"launch", [MemRefsNormalizable, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a kernel over a range of tasks, in parallel where that pays";
  let description = [{
    The kernel takes the call of the graph function, the operands, and its range
    of tasks: the first task and one past the last, as `index`. Tasks are
    numbered from zero to `tasks`. Tasks are independent: their split over threads never changes a
    result. `flops` (operations on elements) and `bytes` (of all tensors read
    and written, each counted once) estimate the work. They decide how many
    threads are used and appear in profiles; they change no result.

    * (C1) the symbol names a function without results
    * (C2) its arguments are a pointer, the operands and two `index`; a memref
      may differ from its operand in which extents are static, and in elements
      of equal size in bytes

    Example:
    ```mlir
    func.func private @kernel(!llvm.ptr, memref<4xf32>, memref<4xf32>, index, index)
    func.func @main(%call: !llvm.ptr, %x: memref<4xf32>, %y: memref<4xf32>, %n: index) {
      tenon.launch @kernel tasks %n flops %n bytes %n (%x, %y) : memref<4xf32>, memref<4xf32>
      return
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Index:$tasks, Index:$flops, Index:$bytes, Variadic<AnyType>:$operands_);
  let assemblyFormat = "$kernel `tasks` $tasks `flops` $flops `bytes` $bytes `(` $operands_ `)` attr-dict `:` type($operands_)";
}

def Tenon_FaultOp : Tenon_Op<"fault"> {
  let summary = "Records that a run must stop: the found value is outside [low, high]";
  let description = [{
    The first fault of a run wins. The site is the text shown to the user. With
    `size` the value is an extent or a number of elements, otherwise an index.

    Example:
    ```mlir
    tenon.fault "node \22g\22 (Gather)" found %i in [%low, %high]
    ```
  }];
  let arguments = (ins UnitAttr:$size, StrAttr:$site, I64:$found, I64:$low, I64:$high);
  let assemblyFormat = "(`size` $size^)? $site `found` $found `in` `[` $low `,` $high `]` attr-dict";
}

def Tenon_CheckSizeOp : Tenon_Op<"check_size"> {
  let summary = "Ends the run unless a size is within [low, high]";
  let description = [{
    If the check fails, the run ends and computes nothing after it. The site is
    the text shown to the user. A check on sizes that are known before the run
    is made before it starts.

    Example:
    ```mlir
    tenon.check_size %n in [%m, %m] "node \22a\22 (Add): extent 0 of operand 1"
    ```
  }];
  let arguments = (ins Index:$found, Index:$low, Index:$high, StrAttr:$site);
  let assemblyFormat = "$found `in` `[` $low `,` $high `]` $site attr-dict";
  let hasCanonicalizeMethod = 1;
}

#endif // TENON_STRUCTURE_TD
