// The attribute that describes the machine that kernels are made for.
#ifndef TENON_MACHINE_TD
#define TENON_MACHINE_TD

include "dialects/tenon/DialectDef.td"
include "mlir/IR/AttrTypeBase.td"

def Tenon_MachineAttr : AttrDef<Tenon_Dialect, "Machine"> {
  let mnemonic = "machine";
  let summary = "What a machine has, for passes that price something";
  let description = [{
    A module has it as `tenon.machine`; a module without it is compiled for AVX2. The machine never decides how a number is rounded: the numerics contract does, and it is equal for all machines.

    * `vector_bytes`: bytes of a vector register, 16, 32 or 64
    * `registers`: vector registers
    * `caches`: bytes of the data caches, from L1 to the last: the part that one core may use, or, for the last cache, the part that all cores share
    * `line`: bytes of a cache line
    * `stack`: bytes of a thread's stack that one kernel may take
    * `tiles`: the number of bf16 parts that f32 operands are split into for AMX tiles; 0: no tile multiplies f32 operands
    * `byte_tiles`: true if AMX tiles multiply bytes
    * `tile_stack`: the limit that replaces `stack` for a kernel with AMX tiles
    * `pairs`: true if an instruction multiplies pairs of bf16
    * `quads`: true if an instruction multiplies quads of bytes
    * `reads_ahead`: true if the processor itself reads a panel of floats from memory early enough, and keys and values are best prefetched into L2
    * `costly_broadcasts`: true if an instruction that broadcasts an element from memory delays products as much as a conversion does, and a product that broadcasts its operand from memory is delayed by nothing

    ```mlir
    module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144, tiles = 3, tile_stack = 655360>} {}
    ```
  }];
  let parameters = (ins "int64_t":$vector_bytes, "int64_t":$registers,
                        ArrayRefParameter<"int64_t">:$caches, "int64_t":$line,
                        "int64_t":$stack,
                        DefaultValuedParameter<"int64_t", "0">:$tiles,
                        DefaultValuedParameter<"bool", "false">:$byte_tiles,
                        DefaultValuedParameter<"int64_t", "0">:$tile_stack,
                        DefaultValuedParameter<"bool", "false">:$pairs,
                        DefaultValuedParameter<"bool", "false">:$quads,
                        DefaultValuedParameter<"bool", "false">:$reads_ahead,
                        DefaultValuedParameter<"bool", "false">:$costly_broadcasts);
  let assemblyFormat = [{
    `<` struct($vector_bytes, $registers, custom<Caches>($caches), $line, $stack, $tiles, $byte_tiles, $tile_stack, $pairs, $quads, $reads_ahead, $costly_broadcasts) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The machine of the nearest module around `op` that has one; AVX2 if none has.
    static MachineAttr of(mlir::Operation *op);
    /// What processors with the same vectors differ in.
    struct Traits {
      int64_t tiles = 0;
      bool byteTiles = false, pairs = false, quads = false, readsAhead = false, costlyBroadcasts = false;
    };
    /// A machine with these vectors, and with the caches and the stack that every machine has.
    static MachineAttr x86(mlir::MLIRContext *context, int64_t vectorBytes, const Traits &traits);

    int64_t lanes(int64_t elementBytes) const { return getVectorBytes() / elementBytes; }
    int64_t l1Bytes() const { return getCaches()[0]; }
    int64_t l2Bytes() const { return getCaches()[1]; }
    /// True if lines that will come from memory are best prefetched into L2 alone. L1 of processors with AMX has sixteen buffers for lines on their way, L2 has 48.
    bool prefetchesIntoL2() const { return getTiles() != 0 || getByteTiles(); }
    int64_t lastCacheBytes() const { return getCaches().back(); }
    /// Vectors of sums that stay in registers together with the operands of a product.
    int64_t accumulators() const { return getRegisters() * 3 / 4; }
  }];
}

#endif // TENON_MACHINE_TD
