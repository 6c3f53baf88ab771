// Rewrites of the graph before fusions are formed.
#ifndef TENON_PASSES_GRAPH_PASSES_TD
#define TENON_PASSES_GRAPH_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckSizes : Pass<"tenon-check-sizes", "mlir::func::FuncOp"> {
  let summary = "Check in the run what ops take for granted of extents that types leave open";
  let description = [{
    ```mlir
    %0 = tenon.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    // becomes
    tenon.check_size %extent_of_b in [%extent_of_a, %extent_of_a] "tenon.add: extent 0 of input \"b\" must be extent 0 of input \"a\""
    %0 = tenon.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    ```
    The checks are: extents agree or are one, slices lie within their operand,
    reshapes keep the number of elements, and a loop keeps the shapes it
    carries. A check that index arithmetic proves is not emitted; extents of one
    name are equal. A broadcast to extents that are proved to be the operand's is
    dropped. Runs first, because later passes drop ops and with them
    their assumptions.
  }];
  let dependentDialects = ["tenon::TenonDialect", "mlir::arith::ArithDialect", "mlir::tensor::TensorDialect"];
}

def DecomposeComposites : Pass<"tenon-decompose-composites"> {
  let summary = "Replace composites by their primitives";
  let description = [{
    ```mlir
    %0 = tenon.gelu %x : tensor<4xf32>
    // becomes
    %0 = tenon.divide %x, %sqrt2 ... tenon.multiply %half, %sum
    ```
    Attention of f32, f16 and bf16 has a kernel of its own and stays. Runs when
    no later pass needs another composite.
  }];
}

def FindAttention : Pass<"tenon-find-attention"> {
  let summary = "Make one op of queries, keys, their softmax and values";
  let description = [{
    ```mlir
    %s = tenon.dot_general %q, %k batch [0, 1] x [0, 1] contract [3] x [2] : ...
    %d = tenon.divide %s, %eight : ...
    %w = tenon.softmax %d over 3 : ...
    %0 = tenon.dot_general %w, %v batch [0, 1] x [0, 1] contract [3] x [2] : ...
    // becomes
    %0 = tenon.attention %q, %k, %v order [0, 1, 2, 3] x [0, 1, 3, 2] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 1.25e-01 : ...
    ```
    Scores may be scaled before or after the product, filled where a bool mask
    says so, and a float mask may be added, in this order. Transposes of
    operands and of the result become orders. Heads that were sliced, merged
    with the batch or repeated are read in place. Changes rounding.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::tensor::TensorDialect"];
}

def MergeContractions : Pass<"tenon-merge-contractions"> {
  let summary = "Make one product of several with the same operand, where their results are only moved or attended to";
  let description = [{
    ```mlir
    %q = tenon.dot_general %x, %wq batch [] x [] contract [2] x [0] : ... -> tensor<1x128x768xf32>
    %k = tenon.dot_general %x, %wk batch [] x [] contract [2] x [0] : ... -> tensor<1x128x768xf32>
    // becomes
    %w = tenon.concatenate %wq, %wk dim 1 : ...
    %p = tenon.dot_general %x, %w batch [] x [] contract [2] x [0] : ... -> tensor<1x128x1536xf32>
    %q = tenon.slice %p offsets [0, 0, 0] sizes [1, 128, 768] strides [1, 1, 1] : ...
    %k = tenon.slice %p offsets [0, 0, 768] sizes [1, 128, 768] strides [1, 1, 1] : ...
    ```
    Weights must be matrices; a bias is joined if all products add one. The
    operand is read once, and the wider product can be divided into more tasks.
    A result that other ops compute from keeps its own product, whose kernel
    computes them too.
  }];
}

def RestoreRows : Pass<"tenon-restore-rows"> {
  let summary = "Undo the flattening of rows around a product";
  let description = [{
    ```mlir
    %f = tenon.reshape %x sizes [985, 768] : (tensor<5x197x768xf32>) -> tensor<985x768xf32>
    %p = tenon.dot_general %f, %w batch [] x [] contract [1] x [0] : ... -> tensor<985x768xf32>
    %r = tenon.reshape %p sizes [5, 197, 768] : (tensor<985x768xf32>) -> tensor<5x197x768xf32>
    // becomes
    %r = tenon.dot_general %x, %w batch [] x [] contract [2] x [0] : ... -> tensor<5x197x768xf32>
    ```
    Elementwise ops between product and reshape may have other operands that are
    equal in every row. Transposes then move past the product; the reshapes
    would block them.
  }];
}

def SplitConcatenates : Pass<"tenon-split-concatenates"> {
  let summary = "Join very many tensors in groups";
  let description = [{
    ```mlir
    %0 = tenon.concatenate %x0, ..., %x65 dim 0
    // becomes
    %a = tenon.concatenate %x0, ..., %x31 dim 0
    %b = tenon.concatenate %x32, ..., %x63 dim 0
    %c = tenon.concatenate %x64, %x65 dim 0
    %0 = tenon.concatenate %a, %b, %c dim 0
    ```
    A kernel compares each element's position with the operands' bounds, and has
    an argument for each operand.
  }];
}

def AbsorbTransposes : Pass<"tenon-absorb-transposes"> {
  let summary = "Turn transposed operands of contractions into dimension numbers";
  let description = [{
    ```mlir
    %t = tenon.transpose %w [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %0 = tenon.dot_general %x, %t batch [] x [] contract [1] x [0] : ...
    // becomes
    %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [1] : ...
    ```
    Only if the result's free dimensions keep their order.
  }];
}

def SinkReshapes : Pass<"tenon-sink-reshapes"> {
  let summary = "Move reshapes that only add or drop extents of one below elementwise ops and into broadcasts";
  let description = [{
    ```mlir
    %r = tenon.reshape %mean sizes [4, 1] : (tensor<4xf32>) -> tensor<4x1xf32>
    %b = tenon.broadcast_in_dim %r dims [0, 1] sizes [4, 8] : (tensor<4x1xf32>) -> tensor<4x8xf32>
    // becomes
    %b = tenon.broadcast_in_dim %mean dims [0] sizes [4, 8] : (tensor<4xf32>) -> tensor<4x8xf32>
    ```
    A reduction and the ops on its result can then be recognized as one row
    kernel.
  }];
}

def PropagateTransposes : Pass<"tenon-propagate-transposes"> {
  let summary = "Sink transposes below ops that do not care for the order of dimensions, until they cancel";
  let description = [{
    ```mlir
    %t = tenon.transpose %x [0, 3, 1, 2] : (tensor<1x8x8x4xf32>) -> tensor<1x4x8x8xf32>
    %e = tenon.exponential %t : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
    %b = tenon.transpose %e [0, 2, 3, 1] : (tensor<1x4x8x8xf32>) -> tensor<1x8x8x4xf32>
    // becomes
    %b = tenon.exponential %x : (tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
    ```
    All other operands must have that transpose too, or be constants or
    broadcasts, which are transposed at no cost at run time. Reductions along
    rows stay along rows. A transpose moves past a reshape if the dimensions
    that the reshape merges stay adjacent. A transpose that moves only extents
    of one becomes a reshape. A transpose moves past a product with weights only
    if a later op absorbs it: another transpose, or attention, whose result is
    then stored batch by batch.
  }];
  let dependentDialects = ["mlir::tensor::TensorDialect"];
}

def FoldWeights : Pass<"tenon-fold-weights", "mlir::ModuleOp"> {
  let summary = "Make weights of what is computed from weights alone";
  let description = [{
    ```mlir
    %w = tenon.get_weight @w : tensor<4x8xf32>
    %t = tenon.transpose %w [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    // becomes
    tenon.weight @w.folded : tensor<8x4xf32> {
      %w = tenon.get_weight @w : tensor<4x8xf32>
      %t = tenon.transpose %w [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
      tenon.yield %t : tensor<8x4xf32>
    }
    %t = tenon.get_weight @w.folded : tensor<8x4xf32>
    ```
    Recipes refer only to weights that have a source; equal recipes are one
    weight. A computation stays in the graph if its result has more than twice
    the bytes of its weights. The transpose of a weight that is also used
    untransposed stays too if a contraction reads it. Weights without uses are
    removed.
  }];
}

def WeightFormatOption : Option<"format", "format", "tenon::WeightFormat", /*default=*/"tenon::WeightFormat::F32", "How f32 weights are stored",
    [{::llvm::cl::values(clEnumValN(tenon::WeightFormat::F32, "f32", "with the precision of each weight"),
                         clEnumValN(tenon::WeightFormat::F16, "f16", "rounded to f16"),
                         clEnumValN(tenon::WeightFormat::Bf16, "bf16", "rounded to bf16"),
                         clEnumValN(tenon::WeightFormat::Int8, "int8", "8-bit integers and scales"),
                         clEnumValN(tenon::WeightFormat::Int4, "int4", "4-bit integers and scales"))}]>;

def PackWeights : Pass<"tenon-pack-weights", "mlir::ModuleOp"> {
  let summary = "Read the weights of contractions in panels";
  let description = [{
    ```mlir
    %w = tenon.get_weight @w : tensor<8x40xf32>
    %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : ...
    // becomes
    %w = tenon.get_weight @w : tensor<8x40xf32>
    %p = tenon.pack %w dim 1 width 16 : (tensor<8x40xf32>) -> tensor<3x8x16xf32>
    %u = tenon.unpack %p dim 1 extent 40 : (tensor<3x8x16xf32>) -> tensor<8x40xf32>
    %0 = tenon.dot_general %x, %u batch [] x [] contract [1] x [0] : ...
    ```
    `tenon-fold-weights` makes a weight of the pack. The unpack stays beside its
    reader, whose kernel reads the panels. Gathers of the weight read the panels
    too, so that a table that is also a matrix is stored once. A weight that
    other ops read unpacked gets a packed copy if it is small.

    A row of a panel is 64 bytes, a cache line. Exceptions, unless more than an
    eighth would be padding: weights that `tenon-quantize-weights` stores in
    fewer bits have panels of 64 columns (96 for four bits), and f32 weights
    that products of at most four rows read have 48 or 64.
  }];
  let options = [WeightFormatOption];
}

def QuantizeWeights : Pass<"tenon-quantize-weights", "mlir::ModuleOp"> {
  let summary = "Store the weights that contractions read in panels in fewer bits";
  let description = [{
    ```mlir
    %p = tenon.get_weight @w.folded : tensor<3x100x16xf32>
    %u = tenon.unpack %p dim 1 extent 40 : (tensor<3x100x16xf32>) -> tensor<100x40xf32>
    // becomes, with format=int4
    %p = tenon.get_weight @w.folded : tensor<3x100x16xf32>
    %s = tenon.group_scales %p group 32 bits 4 : (tensor<3x100x16xf32>) -> tensor<3x4x16xbf16>
    %q = tenon.quantize %p scales %s group 32 : (tensor<3x100x16xf32>, tensor<3x4x16xbf16>) -> tensor<3x13x16xi32>
    %d = tenon.dequantize %q scales %s group 32 : (tensor<3x13x16xi32>, tensor<3x4x16xbf16>) -> tensor<3x100x16xf32>
    %u = tenon.unpack %d dim 1 extent 40 : (tensor<3x100x16xf32>) -> tensor<100x40xf32>
    ```
    `tenon-fold-weights` makes weights of the first two. Only f32 weights are
    quantized; in 8 and 4 bits only those of products that sum over one
    dimension. A remark tells the form of each. With format=f32 only weights
    whose recipe widens f16 or bf16 are stored, in that type, which loses
    nothing.
  }];
  let options = [WeightFormatOption];
  let dependentDialects = ["tenon::TenonDialect"];
}

def PlanProducts : Pass<"tenon-plan-products"> {
  let summary = "Decide how the products of each contraction of f32 are formed";
  let description = [{
    ```mlir
    %w = tenon.unpack %p dim 1 extent 40 : (tensor<3x100x16xf32>) -> tensor<100x40xf32>
    %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : ...
    // becomes, with form=pairs
    %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] products pairs : ...
    ```
    `form` is the form that the target supports for the requested precision. It
    applies to contractions with weights in panels whose innermost sum runs
    along contiguous elements of both operands. Others keep chains, which are at
    least as precise. Runs when weights have their stored form.
  }];
  let options = [Option<"form", "form", "tenon::Products", /*default=*/"tenon::Products::Chain", "What the target has",
    [{::llvm::cl::values(clEnumValN(tenon::Products::Chain, "chain", "exact products, joined one by one"),
                         clEnumValN(tenon::Products::Pairs, "pairs", "two products of bf16 by one instruction"))}]>];
}

def QuadProducts : Pass<"tenon-quad-products"> {
  let summary = "Form the products of bytes four at a time";
  let description = [{
    ```mlir
    %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<8x100xui8>, tensor<100x40xi8>) -> tensor<8x40xi32>
    // becomes
    %p = tenon.pack %w dim 1 width 16 : (tensor<100x40xi8>) -> tensor<3x100x16xi8>
    %q = tenon.quad %p : (tensor<3x100x16xi8>) -> tensor<3x25x16xi32>
    %b = tenon.unquad %q : (tensor<3x25x16xi32>) -> tensor<3x100x16xi8>
    %u = tenon.unpack %b dim 1 extent 40 : (tensor<3x100x16xi8>) -> tensor<100x40xi8>
    %0 = tenon.dot_general %x, %u batch [] x [] contract [1] x [0] products quads : (tensor<8x100xui8>, tensor<100x40xi8>) -> tensor<8x40xi32>
    ```
    `tenon-fold-weights` makes a weight of `%q`. Rows whose depth is no multiple
    of four are padded with zeros. It applies to sums of ui8 times weights of i8
    in i32, along the last dimension of the rows. Runs when weights have their
    last order of dimensions.
  }];
  let dependentDialects = ["tenon::TenonDialect"];
}

def RoundOperands : Pass<"tenon-round-operands"> {
  let summary = "Write down the rounding of operands of which pairs are formed";
  let description = [{
    ```mlir
    %w = tenon.unpack %p dim 1 extent 40 : (tensor<3x100x16xf32>) -> tensor<100x40xf32>
    %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] products pairs : ...
    // becomes
    %r = tenon.convert %x to bf16 : (tensor<8x100xf32>) -> tensor<8x100xbf16>
    %n = tenon.convert %p to bf16 : (tensor<3x100x16xf32>) -> tensor<3x100x16xbf16>
    %q = tenon.pair %n : (tensor<3x100x16xbf16>) -> tensor<3x50x16xi32>
    %u = tenon.unpair %q : (tensor<3x50x16xi32>) -> tensor<3x100x16xbf16>
    %w = tenon.unpack %u dim 1 extent 40 : (tensor<3x100x16xbf16>) -> tensor<100x40xbf16>
    %0 = tenon.dot_general %r, %w batch [] x [] contract [1] x [0] products pairs : ...
    ```
    The kernel that computes `%x` can then store it rounded, and
    `tenon-fold-weights` makes a weight of `%q`. A sum over an odd extent is
    padded with one zero.
  }];
}

def WidenHalves : Pass<"tenon-widen-halves", "mlir::func::FuncOp"> {
  let summary = "Compute f16 values in f32, and keep them so between ops";
  let description = [{
    ```mlir
    %0 = tenon.dot_general %x, %w ... : (tensor<2x3xf16>, tensor<3x4xf16>) -> tensor<2x4xf16>
    %1 = tenon.exponential %0 : (tensor<2x4xf16>) -> tensor<2x4xf16>
    // becomes
    %a = tenon.convert %x to f32 : (tensor<2x3xf16>) -> tensor<2x3xf32>
    %b = tenon.convert %w to f32 : (tensor<3x4xf16>) -> tensor<3x4xf32>
    %0 = tenon.dot_general %a, %b ... : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %c = tenon.exponential %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %1 = tenon.convert %c to f16 : (tensor<2x4xf32>) -> tensor<2x4xf16>
    ```
    Ops that only move values move the f32 ones if they have no other. Ops that
    decide by a value (comparisons, rounding, positions of the greatest, sorts)
    and conversions to integers read it rounded. Changes rounding.
  }];
}

def FoldBatchNorm : Pass<"tenon-fold-batch-norm"> {
  let summary = "Multiply batch normalization into the kernel of the convolution before it";
  let description = [{
    ```mlir
    %c = tenon.convolution %x, %w ... : ... -> tensor<1x8x8x4xf32>
    %n = tenon.batch_norm %c, %scale, %offset, %mean, %variance dim 3 epsilon 1.0e-5 : ...
    // becomes
    %c = tenon.convolution %x, %scaled ... : ... -> tensor<1x8x8x4xf32>
    %n = tenon.add %c, %shift : ...
    ```
    Only if the kernel and the statistics are constant, so that
    `tenon-fold-weights` makes weights of `%scaled` and `%shift`. A bias between
    the two ops is folded too. Changes rounding.
  }];
}

#endif // TENON_PASSES_GRAPH_PASSES_TD
