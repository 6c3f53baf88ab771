// The plan of a fusion's kernel: tenon-plan-kernels makes the decisions,
// tenon-lower-fusions follows them.
#ifndef TENON_KERNEL_PLAN_TD
#define TENON_KERNEL_PLAN_TD

include "dialects/tenon/DialectDef.td"
include "mlir/IR/AttrTypeBase.td"

class Tenon_Plan<string name, string mnemonicWord> : AttrDef<Tenon_Dialect, name> {
  let mnemonic = mnemonicWord;
  let genVerifyDecl = 1;
}

def Tenon_GeneralPlanAttr : AttrDef<Tenon_Dialect, "GeneralPlan"> {
  let mnemonic = "general";
  let summary = "The plan of a kernel without a tile";
  let description = [{
    The kernel computes each element or row of its outputs separately, as its kind says. It covers every region.
  }];
}

def Tenon_TilePlanAttr : Tenon_Plan<"TilePlan", "tile"> {
  let summary = "The plan of a contraction in register tiles";
  let description = [{
    A contraction fusion has it as `tenon.plan`. A transposed convolution has several nests: its `tenon.plan` is an array with one plan for each nest.

    * `rows`, `vectors`: the register tile: rows, and vectors of accumulators in each row
    * `block_rows`, `block_columns`: the rows and columns of the result that one task computes
    * `shared_rows`: rows that are multiplied by a piece of a panel before the next piece
    * `piece`: the products of such a piece; 0: the panel is not divided
    * `pack`: columns are first copied to a panel on the stack
    * `halves`: the last columns fill no more than half a vector, and two rows share a register for their sums

    ```mlir
    module attributes {example.plan = #tenon.tile<rows = 8, vectors = 3, block_rows = 64, block_columns = 192, shared_rows = 64, piece = 128>} {}
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$vectors,
                        "int64_t":$block_rows, "int64_t":$block_columns,
                        "int64_t":$shared_rows,
                        DefaultValuedParameter<"int64_t", "0">:$piece,
                        DefaultValuedParameter<"bool", "false">:$pack,
                        DefaultValuedParameter<"bool", "false">:$halves);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tenon_AmxPlanAttr : Tenon_Plan<"AmxPlan", "amx"> {
  let summary = "The plan of a contraction in AMX tiles";
  let description = [{
    * `lhs_parts`, `rhs_parts`: the number of bf16 parts that each operand is split into; part i of lhs is multiplied by part j of rhs if i + j is at most `order`
    * `taps`, `depth`: taps of a window, and steps of the innermost sum, whose operands are split together
    * `block_rows`, `block_columns`: the rows and columns of the result that one task computes
    * `tasks`: the tasks of one block of rows; they may share its split rows if one thread executes them
    * `lhs_in_place`, `rhs_in_place`: the operand is pairs of bf16 or quads of bytes in whole steps and is read from memory without a copy
    * `few_rows`: the plan for runs of few rows, if the number of rows is known only at run time: at most 15 rows of words, 64 if the columns are split, 6 if they are one part
    * `one_tile`: the plan for runs of at most 16 rows that are not few, if the columns are one part and the number of rows is known only at run time

    ```mlir
    module attributes {example.plan = #tenon.amx<lhs_parts = 3, rhs_parts = 3, order = 2, depth = 128, block_rows = 128, block_columns = 384, tasks = 2>} {}
    ```
  }];
  let parameters = (ins "int64_t":$lhs_parts, "int64_t":$rhs_parts,
                        "int64_t":$order, "int64_t":$depth,
                        "int64_t":$block_rows, "int64_t":$block_columns,
                        DefaultValuedParameter<"int64_t", "1">:$tasks,
                        DefaultValuedParameter<"int64_t", "1">:$taps,
                        DefaultValuedParameter<"bool", "false">:$lhs_in_place,
                        DefaultValuedParameter<"bool", "false">:$rhs_in_place,
                        OptionalParameter<"::tenon::TilePlanAttr">:$few_rows,
                        OptionalParameter<"::tenon::AmxPlanAttr">:$one_tile);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tenon_AttentionPlanAttr : Tenon_Plan<"AttentionPlan", "attention"> {
  let summary = "The plan of attention, one block of keys after another";
  let description = [{
    * `task_rows`: the rows that one task computes; they share one head of the keys
    * `score_rows`, `value_rows`: the rows of a register tile of scores, and of a register tile of sums of values
    * `sums`: accumulators of a tile, in vectors, that stay in registers
    * `overlapped`: the exponentials of the next tile are computed while the current tile multiplies values
    * `keys_in_place`, `values_in_place`: the keys, the values are not packed, because nothing reads them twice
    * `tiles`: AMX tiles multiply queries and keys if a head has more than 64 rows

    ```mlir
    module attributes {example.plan = #tenon.attention<task_rows = 64, score_rows = 6, value_rows = 4, sums = 24, overlapped = true>} {}
    ```
  }];
  let parameters = (ins "int64_t":$task_rows, "int64_t":$score_rows,
                        "int64_t":$value_rows, "int64_t":$sums,
                        DefaultValuedParameter<"bool", "false">:$overlapped,
                        DefaultValuedParameter<"bool", "false">:$keys_in_place,
                        DefaultValuedParameter<"bool", "false">:$values_in_place,
                        DefaultValuedParameter<"bool", "false">:$tiles);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tenon_DepthwisePlanAttr : Tenon_Plan<"DepthwisePlan", "depthwise"> {
  let summary = "The plan of a convolution of narrow groups";
  let description = [{
    * `columns`: the columns of a register tile, with one vector of channels each
    * `channels`, `rows`: the channels and rows of the result that one task computes

    ```mlir
    module attributes {example.plan = #tenon.depthwise<columns = 8, channels = 32, rows = 4>} {}
    ```
  }];
  let parameters = (ins "int64_t":$columns, "int64_t":$channels, "int64_t":$rows);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tenon_FewOutputsPlanAttr : Tenon_Plan<"FewOutputsPlan", "few_outputs"> {
  let summary = "The plan of a convolution with fewer outputs than a vector has lanes";
  let description = [{
    * `vectors`: the vectors of neighbouring positions that are computed at once, for each output
    * `rows`: the rows of the result that one task computes

    ```mlir
    module attributes {example.plan = #tenon.few_outputs<vectors = 8, rows = 1>} {}
    ```
  }];
  let parameters = (ins "int64_t":$vectors, "int64_t":$rows);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tenon_FewRowsPlanAttr : Tenon_Plan<"FewRowsPlan", "few_rows"> {
  let summary = "The plan of a contraction of few rows on a device";
  let description = [{
    A block of threads computes 32 columns of some rows. Eight threads compute one block of each sum, four columns each, and one thread adds the blocks
    of its sum in order. A block has `8 * parts` threads.

    * `rows`: the rows of a task, at most 8
    * `parts`: blocks of a sum that are computed at once

    ```mlir
    module attributes {example.plan = #tenon.few_rows<rows = 1, parts = 8>} {}
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$parts);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tenon_BlockTilePlanAttr : Tenon_Plan<"BlockTilePlan", "block_tile"> {
  let summary = "The plan of a contraction on a device, whose threads share a tile";
  let description = [{
    A block of 256 threads computes one tile of the result. Each thread has a sixteenth of the tile's rows and of its columns.

    * `rows`, `columns`: the tile, multiples of 64
    * `depth`: products of a sum whose operands are in shared memory at once
    * `few_rows`: the plan of results that fill less than a quarter of their tiles, if extents are known only at run time; none: `#tenon.general`

    ```mlir
    module attributes {example.plan = #tenon.block_tile<rows = 128, columns = 128, depth = 8>} {}
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$depth,
                        OptionalParameter<"::tenon::FewRowsPlanAttr">:$few_rows);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tenon_BlockPlanAttr : AttrDef<Tenon_Dialect, "BlockPlan"> {
  let mnemonic = "block";
  let summary = "The plan of a kernel on a device, whose threads share a row";
  let description = [{
    A block of 256 threads computes each task of the kernel.

    ```mlir
    module attributes {example.plan = #tenon.block} {}
    ```
  }];
}

def Tenon_BlockAttentionPlanAttr : Tenon_Plan<"BlockAttentionPlan", "block_attention"> {
  let summary = "The plan of attention on a device, whose threads share rows and keys";
  let description = [{
    A block of threads computes some rows that share a head of the keys. Sixteen threads compute the scores of a row, one for each lane of the sum of
    exponentials, so a block has `16 * rows / thread_rows` threads.

    * `rows`: the rows of a block
    * `thread_rows`: the rows of a thread, 1, 2, 4 or 8

    ```mlir
    module attributes {example.plan = #tenon.block_attention<rows = 64, thread_rows = 8>} {}
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$thread_rows);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tenon_WarpRowsPlanAttr : Tenon_Plan<"WarpRowsPlan", "warp_rows"> {
  let summary = "The plan of a kernel of rows on a device, whose threads share a row";
  let description = [{
    Neighbouring threads of a warp compute a row. Each has four of the lanes that a row is reduced in, so 16 threads have all of them.

    * `threads`: the threads of a row, a power of two up to 16
    * `held`: what is computed from a row's elements stays in registers from one reduction to the next, so that the row is read once; otherwise each
      reduction reads it again

    ```mlir
    module attributes {example.plan = #tenon.warp_rows<threads = 16, held = true>} {}
    ```
  }];
  let parameters = (ins "int64_t":$threads,
                        DefaultValuedParameter<"bool", "false">:$held);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tenon_WideMapPlanAttr : Tenon_Plan<"WideMapPlan", "wide_map"> {
  let summary = "The plan of a map on a device, whose threads compute several elements";
  let description = [{
    A thread computes neighbouring elements of the result, and accesses them at once where they are aligned in memory.

    * `lanes`: the elements of a thread: 16 bytes of the widest type
    * `flat`: each element comes from elements with its own number in memory, so a thread's elements may be of two rows

    ```mlir
    module attributes {example.plan = #tenon.wide_map<lanes = 4, flat = true>} {}
    ```
  }];
  let parameters = (ins "int64_t":$lanes,
                        DefaultValuedParameter<"bool", "false">:$flat);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tenon_UpdatePlanAttr : Tenon_Plan<"UpdatePlan", "update"> {
  let summary = "The plan of a scatter or dynamic_update_slice whose operand and output are one buffer";
  let description = [{
    The kernel writes the updated elements and no others. Tasks are parts of the update that never write one element.

    * `rows`: the rows of the update that one task writes
    * `columns`: the elements of each row that one task writes; 0: the whole row

    ```mlir
    module attributes {example.plan = #tenon.update<rows = 256>} {}
    ```
  }];
  let parameters = (ins "int64_t":$rows,
                        DefaultValuedParameter<"int64_t", "0">:$columns);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tenon_DeviceUpdatePlanAttr : Tenon_Plan<"DeviceUpdatePlan", "device_update"> {
  let summary = "The plan of a scatter or dynamic_update_slice on a device";
  let description = [{
    A kernel copies the operand to the output unless they are one buffer. Another one writes the updated elements. Each element belongs to one thread,
    which applies the updates of this element in order.

    * `tasks`: the threads of the second kernel

    ```mlir
    module attributes {example.plan = #tenon.device_update<tasks = 1024>} {}
    ```
  }];
  let parameters = (ins "int64_t":$tasks);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // TENON_KERNEL_PLAN_TD
