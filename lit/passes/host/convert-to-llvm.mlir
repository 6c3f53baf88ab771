// RUN: tenon-opt %s --tenon-convert-to-llvm --split-input-file | FileCheck %s
// RUN: tenon-opt %s --tenon-convert-to-llvm=native-half=false --split-input-file | FileCheck %s --check-prefix=INTEGERS
// RUN: tenon-opt %s --tenon-convert-to-llvm=native-fma=false --split-input-file | FileCheck %s --check-prefix=DOUBLES
// RUN: tenon-opt %s --tenon-convert-to-llvm=native-round=false --split-input-file | FileCheck %s --check-prefix=ADDED

// A launch hands its operands to the parallel loop in one structure, which the
// kernel's task takes apart. Where the run is cancelled the function is left
// after the launch. The module keeps a table of launches.
// CHECK: module attributes {tenon.launches = {{\[\[}}@kernel, #loc{{.*}}]]
// CHECK-LABEL: llvm.func @start(
// CHECK-SAME: %[[CALL:[^:]*]]: !llvm.ptr,
// CHECK: %[[ARGS:.*]] = llvm.alloca
// CHECK: %[[NUMBER:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: llvm.call @tenon_core_begin(%[[CALL]], %[[NUMBER]], %{{.*}}, %{{.*}})
// CHECK: %[[TASK:.*]] = llvm.mlir.addressof @kernel.task
// CHECK: llvm.call @tenon_core_parallel(%[[CALL]], %[[TASK]], %[[ARGS]], %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: %[[STOP:.*]] = llvm.call @tenon_core_end(%[[CALL]], %[[NUMBER]], %{{.*}}, %{{.*}})
// CHECK: %[[STOPS:.*]] = llvm.icmp "ne" %[[STOP]]
// CHECK: llvm.cond_br %[[STOPS]], ^[[OUT:.*]], ^
// CHECK: ^[[OUT]]:
// CHECK-NEXT: llvm.return
// CHECK: llvm.func internal @kernel.task(
// CHECK: llvm.call @kernel(
func.func @start(%call: !llvm.ptr, %x: memref<4xf32>, %n: index) {
  tenon.launch @kernel tasks %n flops %n bytes %n (%x) : memref<4xf32>
  return
}

func.func private @kernel(%call: !llvm.ptr, %x: memref<4xf32>, %begin: index, %end: index) {
  return
}

// -----

// One task needs no threads: the kernel is called directly.
// CHECK-NOT: @tenon_core_parallel
// CHECK-LABEL: llvm.func @one_task(
// CHECK-SAME: %[[CALL:[^:]*]]: !llvm.ptr,
// CHECK-DAG: %[[ZERO:.*]] = llvm.mlir.constant(0 : i64)
// CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(1 : index) : i64
// CHECK: llvm.call @kernel(%[[CALL]], {{.*}}, %[[ZERO]], %[[ONE]])
// CHECK-NOT: @kernel.task
func.func @one_task(%call: !llvm.ptr, %x: memref<4xf32>) {
  %c1 = arith.constant 1 : index
  tenon.launch @kernel tasks %c1 flops %c1 bytes %c1 (%x) : memref<4xf32>
  return
}

func.func private @kernel(%call: !llvm.ptr, %x: memref<4xf32>, %begin: index, %end: index) {
  return
}

// -----

// Launches in a loop share one structure, so the stack does not grow with the
// trip count.
// CHECK-LABEL: llvm.func @launch_in_a_loop(
// CHECK: llvm.alloca
// CHECK: llvm.br
// CHECK-NOT: llvm.alloca
// CHECK: llvm.call @tenon_core_parallel
func.func @launch_in_a_loop(%call: !llvm.ptr, %x: memref<4xf32>, %n: index) {
  cf.br ^loop
^loop:
  tenon.launch @kernel tasks %n flops %n bytes %n (%x) : memref<4xf32>
  cf.br ^loop
}

func.func private @kernel(%call: !llvm.ptr, %x: memref<4xf32>, %begin: index, %end: index) {
  return
}

// -----

// A cancelled plan function returns zero bytes. Launches are numbered in order.
// CHECK-LABEL: llvm.func @f.plan(
// CHECK: %[[FIRST:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: llvm.call @tenon_core_begin(%{{.*}}, %[[FIRST]],
// CHECK: %[[SECOND:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: llvm.call @tenon_core_begin(%{{.*}}, %[[SECOND]],
// CHECK: llvm.return %arg{{.*}} : i64
// CHECK-NEXT: ^bb{{.*}}:
// CHECK-NEXT: %[[ZERO:.*]] = llvm.mlir.constant(0 : i64)
// CHECK-NEXT: llvm.return %[[ZERO]]
func.func @f.plan(%call: !llvm.ptr, %x: memref<4xf32>, %n: index) -> index {
  tenon.launch @kernel tasks %n flops %n bytes %n (%x) : memref<4xf32>
  tenon.launch @kernel tasks %n flops %n bytes %n (%x) : memref<4xf32>
  return %n : index
}

func.func private @kernel(%call: !llvm.ptr, %x: memref<4xf32>, %begin: index, %end: index) {
  return
}

// -----

// Each text is one site. Its number goes to the core with the found value; the
// table stays on the module.
// CHECK: module attributes {{.*}}tenon.sites = ["node \22g\22 (Gather)", "node \22h\22 (Gather)"]
// CHECK-LABEL: llvm.func @fault(
// CHECK-SAME: %[[CALL:[^:]*]]: !llvm.ptr, %[[I:[^:]*]]: i64, %[[LOW:[^:]*]]: i64, %[[HIGH:[^:]*]]: i64
// CHECK: %[[CODE:.*]] = llvm.mlir.constant(
// CHECK-NEXT: %[[G:.*]] = llvm.mlir.constant(0 : i32)
// CHECK-NEXT: llvm.call @tenon_core_fault(%[[CALL]], %[[CODE]], %[[G]], %[[I]], %[[LOW]], %[[HIGH]])
// CHECK: %[[CODE:.*]] = llvm.mlir.constant(
// CHECK-NEXT: %[[H:.*]] = llvm.mlir.constant(1 : i32)
// CHECK-NEXT: llvm.call @tenon_core_fault(%[[CALL]], %[[CODE]], %[[H]], %[[I]], %[[LOW]], %[[HIGH]])
// CHECK: %[[CODE:.*]] = llvm.mlir.constant(
// CHECK-NEXT: %[[AGAIN:.*]] = llvm.mlir.constant(0 : i32)
// CHECK-NEXT: llvm.call @tenon_core_fault(%[[CALL]], %[[CODE]], %[[AGAIN]], %[[I]], %[[LOW]], %[[HIGH]])
func.func @fault(%call: !llvm.ptr, %i: i64, %low: i64, %high: i64) {
  tenon.fault "node \22g\22 (Gather)" found %i in [%low, %high]
  tenon.fault "node \22h\22 (Gather)" found %i in [%low, %high]
  tenon.fault "node \22g\22 (Gather)" found %i in [%low, %high]
  return
}

// -----

// A bound is replaced by its value.
// CHECK-LABEL: llvm.func @bound(
// CHECK-SAME: %[[N:[^:]*]]: i64, %{{.*}}: i64) -> i64
// CHECK: llvm.return %[[N]]
func.func @bound(%n: index, %most: index) -> index {
  %0 = tenon.bound %n at_most %most
  return %0 : index
}

// -----

// Weights are in the blob at offsets that are constants in the code.
// CHECK-NOT: tenon.weight @
// CHECK-LABEL: llvm.func @llvm_already(
// CHECK-NEXT: llvm.return
tenon.weight @w : tensor<4xf32> from #tenon.source<"model.onnx", 0, 16>
llvm.func @llvm_already() {
  llvm.return
}

// -----

// For LLVM a bf16 is an i16 in memory, vectors and constants, whether or not
// the processor has the type.
// CHECK-DAG: llvm.mlir.global private constant @table(dense<[16256, 16384]> : tensor<2xi16>)
// CHECK-LABEL: llvm.func @bfloats_are_bits(
// CHECK-NOT: bf16
// CHECK: llvm.mlir.constant(dense<16256> : vector<8xi16>)
// CHECK: llvm.intr.masked.load {{.*}} -> vector<8xi16>
// CHECK: llvm.intr.masked.store {{.*}} : vector<8xi16>
// CHECK-NOT: bf16
memref.global "private" constant @table : memref<2xbf16> = dense<[1.0, 2.0]>

func.func @bfloats_are_bits(%x: memref<?xbf16>, %i: index, %mask: vector<8xi1>, %low: i1) {
  %one = arith.constant dense<1.0> : vector<8xbf16>
  %table = memref.get_global @table : memref<2xbf16>
  %scalar = memref.load %table[%i] : memref<2xbf16>
  %repeated = vector.broadcast %scalar : bf16 to vector<8xbf16>
  %loaded = vector.maskedload %x[%i], %mask, %one : memref<?xbf16>, vector<8xi1>, vector<8xbf16> into vector<8xbf16>
  %chosen = arith.select %low, %loaded, %repeated : vector<8xbf16>
  vector.maskedstore %x[%i], %mask, %chosen : memref<?xbf16>, vector<8xi1>, vector<8xbf16>
  return
}

// -----

// An f16 is converted by instructions, or is an i16 for LLVM and converted by
// integer operations.
// CHECK-LABEL: llvm.func @half(
// CHECK-SAME: vector<8xf16>
// CHECK: llvm.fpext
// CHECK: llvm.fptrunc
// INTEGERS-LABEL: llvm.func @half(
// INTEGERS-SAME: %[[X:.*]]: vector<8xi16>) -> vector<8xi16>
// INTEGERS-NOT: llvm.fpext
// INTEGERS-NOT: llvm.fptrunc
// INTEGERS: llvm.zext %[[X]] : vector<8xi16> to vector<8xi32>
// INTEGERS: llvm.trunc %{{.*}} : vector<8xi32> to vector<8xi16>
// INTEGERS: llvm.return
func.func @half(%x: vector<8xf16>) -> vector<8xf16> {
  %0 = arith.extf %x : vector<8xf16> to vector<8xf32>
  %1 = arith.mulf %0, %0 : vector<8xf32>
  %2 = arith.truncf %1 : vector<8xf32> to vector<8xf16>
  return %2 : vector<8xf16>
}

// INTEGERS-LABEL: llvm.func @half_of_integer(
// INTEGERS: llvm.sitofp %{{.*}} : i64 to f32
// INTEGERS-NOT: llvm.fptrunc
// INTEGERS: llvm.return %{{.*}} : i16
func.func @half_of_integer(%n: i64) -> f16 {
  %0 = arith.sitofp %n : i64 to f16
  return %0 : f16
}

// -----

// Without the instruction, a multiply-add of f32 is a product and a sum in f64
// that is rounded to odd.
// CHECK-LABEL: llvm.func @multiply_add(
// CHECK: llvm.intr.fma(%{{.*}}, %{{.*}}, %{{.*}}) : (vector<4xf32>,
// DOUBLES-LABEL: llvm.func @multiply_add(
// DOUBLES-NOT: llvm.intr.fma
// DOUBLES: %[[PRODUCT:.*]] = llvm.fmul %{{.*}}, %{{.*}} : vector<4xf64>
// DOUBLES: %[[SUM:.*]] = llvm.fadd %[[PRODUCT]], %{{.*}} : vector<4xf64>
// DOUBLES: llvm.or %{{.*}}, %{{.*}} : vector<4xi64>
// DOUBLES: llvm.fptrunc %{{.*}} : vector<4xf64> to vector<4xf32>
// DOUBLES-NOT: llvm.intr.fma
// DOUBLES: llvm.return
func.func @multiply_add(%a: vector<4xf32>, %b: vector<4xf32>, %c: vector<4xf32>) -> vector<4xf32> {
  %0 = math.fma %a, %b, %c : vector<4xf32>
  return %0 : vector<4xf32>
}

// That of f64 is a product and a sum in two parts.
// DOUBLES-LABEL: llvm.func @multiply_add_wide(
// DOUBLES-NOT: llvm.intr.fma
// DOUBLES: llvm.return
func.func @multiply_add_wide(%a: f64, %b: f64, %c: f64) -> f64 {
  %0 = math.fma %a, %b, %c : f64
  return %0 : f64
}

// -----

// Without the instruction, adding 2^52 and subtracting it rounds an f64 to
// nearest. LLVM would call libm.
// CHECK-LABEL: llvm.func @round_down(
// CHECK: llvm.intr.floor
// ADDED-LABEL: llvm.func @round_down(
// ADDED-NOT: llvm.intr.floor
// ADDED: %[[BOUND:.*]] = llvm.mlir.constant(0x4330000000000000 : f64)
// ADDED: %[[SUM:.*]] = llvm.fadd %{{.*}}, %[[BOUND]]
// ADDED: llvm.fsub %[[SUM]], %[[BOUND]]
// ADDED-NOT: llvm.intr.floor
// ADDED: llvm.return
func.func @round_down(%x: f64) -> f64 {
  %0 = math.floor %x : f64
  return %0 : f64
}

// -----

// Another version of the module has begun the tables: what is there keeps its
// number, what is not goes behind.
// CHECK: module attributes {tenon.launches = {{\[\[}}@kernel, [[LOC:#loc[0-9]*]]], [@other, [[LOC]]], [@kernel, [[OWN:#loc[0-9]*]]]], tenon.sites = ["there", "here"]}
// CHECK-LABEL: llvm.func @numbered_on(
// CHECK: %[[FIRST:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: llvm.call @tenon_core_begin(%{{.*}}, %[[FIRST]],
// CHECK: %[[THIRD:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: llvm.call @tenon_core_begin(%{{.*}}, %[[THIRD]],
#layer = loc("layer")
module attributes {tenon.launches = [[@kernel, #layer], [@other, #layer]], tenon.sites = ["there"]} {
  func.func @numbered_on(%call: !llvm.ptr, %x: memref<4xf32>, %n: index) {
    tenon.launch @kernel tasks %n flops %n bytes %n (%x) : memref<4xf32> loc(#layer)
    tenon.launch @kernel tasks %n flops %n bytes %n (%x) : memref<4xf32> loc("own")
    return
  }
  // CHECK-LABEL: llvm.func @kernel(
  // CHECK: %[[THERE:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK-NEXT: llvm.call @tenon_core_fault(%{{.*}}, %{{.*}}, %[[THERE]],
  // CHECK: llvm.mlir.constant(1 : i32)
  // CHECK-NEXT: %[[HERE:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK-NEXT: llvm.call @tenon_core_fault(%{{.*}}, %{{.*}}, %[[HERE]],
  func.func private @kernel(%call: !llvm.ptr, %x: memref<4xf32>, %begin: index, %end: index) {
    %i = arith.constant 7 : i64
    tenon.fault "there" found %i in [%i, %i]
    tenon.fault "here" found %i in [%i, %i]
    return
  }
}

// -----

// An extent of the context and the offset of a state are read from the call's tables, by their numbers.
tenon.context_extent @rows 1 to 4 default 1 attributes {number = 0 : i64}
tenon.context_extent @positions 1 to 4 default 1 attributes {number = 1 : i64}
tenon.state @cache : tensor<?xf32> extents [@positions] attributes {number = 2 : i64}
// CHECK-NOT: tenon.state
// CHECK-LABEL: llvm.func @context(
// CHECK-SAME: %[[CALL:[^:]*]]: !llvm.ptr)
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[CALL]][152]
// CHECK: %[[EXTENTS:.*]] = llvm.load %[[FIELD]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[EXTENTS]][8]
// CHECK: %[[SIZE:.*]] = llvm.load %[[SECOND]] : !llvm.ptr -> i64
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[CALL]][160]
// CHECK: %[[OFFSETS:.*]] = llvm.load %[[FIELD]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[THIRD:.*]] = llvm.getelementptr %[[OFFSETS]][16]
// CHECK: %[[OFFSET:.*]] = llvm.load %[[THIRD]] : !llvm.ptr -> i64
// CHECK: llvm.add %[[SIZE]], %[[OFFSET]]
func.func @context(%call: !llvm.ptr) -> index {
  %0 = tenon.get_extent @positions
  %1 = tenon.state_offset @cache
  %2 = arith.addi %0, %1 : index
  return %2 : index
}

// -----

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {
  // The maximum of whole AVX-512 vectors is vrange; where one is NaN the sum is.
  // CHECK-LABEL: llvm.func @whole(
  // CHECK-SAME: %[[A:[^:]*]]: vector<16xf32>, %[[B:[^:]*]]: vector<16xf32>
  // CHECK: %[[GREATEST:.*]] = llvm.mlir.constant(5 : i32)
  // CHECK: %[[LEAST:.*]] = llvm.mlir.constant(4 : i32)
  // CHECK: %[[RANGE:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.512"(%[[A]], %[[B]], %[[GREATEST]], %[[A]],
  // CHECK: %[[NAN:.*]] = llvm.fcmp "uno" %[[A]], %[[B]]
  // CHECK: %[[SUM:.*]] = llvm.fadd %[[A]], %[[B]]
  // CHECK: llvm.select %[[NAN]], %[[SUM]], %[[RANGE]]
  // CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.range.pd.512"(%{{.*}}, %{{.*}}, %[[LEAST]],
  // CHECK: llvm.intr.maximum({{.*}} : (vector<8xf32>
  func.func @whole(%a: vector<16xf32>, %b: vector<16xf32>, %c: vector<8xf64>, %e: vector<8xf64>, %d: vector<8xf32>, %f: vector<8xf32>) -> (vector<16xf32>, vector<8xf64>, vector<8xf32>) {
    %0 = arith.maximumf %a, %b : vector<16xf32>
    %1 = arith.minimumf %c, %e : vector<8xf64>
    %2 = arith.maximumf %d, %f : vector<8xf32>
    return %0, %1, %2 : vector<16xf32>, vector<8xf64>, vector<8xf32>
  }
}

// -----

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {
  // Two factors of a power of two are one instruction; a product with two other
  // numbers stays.
  // CHECK-LABEL: llvm.func @scaled(
  // CHECK-SAME: %[[X:[^:]*]]: vector<16xf32>, %[[SHIFTED:[^:]*]]: vector<16xf32>
  // CHECK: %[[MAGIC:.*]] = llvm.mlir.constant(dense<0x4B4000FE> : vector<16xf32>)
  // CHECK: %[[K:.*]] = llvm.fsub %[[SHIFTED]], %[[MAGIC]]
  // CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"(%[[X]], %[[K]], %[[X]],
  // CHECK: llvm.fmul %[[X]], %
  func.func @scaled(%x: vector<16xf32>, %shifted: vector<16xf32>, %n: vector<16xi32>) -> (vector<16xf32>, vector<16xf32>) {
    %one = arith.constant dense<1> : vector<16xi32>
    %place = arith.constant dense<23> : vector<16xi32>
    %biased = arith.bitcast %shifted : vector<16xf32> to vector<16xi32>
    %half = arith.shrui %biased, %one : vector<16xi32>
    %rest = arith.subi %biased, %half : vector<16xi32>
    %0 = arith.shli %half, %place : vector<16xi32>
    %1 = arith.bitcast %0 : vector<16xi32> to vector<16xf32>
    %2 = arith.mulf %x, %1 : vector<16xf32>
    %3 = arith.shli %rest, %place : vector<16xi32>
    %4 = arith.bitcast %3 : vector<16xi32> to vector<16xf32>
    %5 = arith.mulf %2, %4 : vector<16xf32>
    %6 = arith.shli %n, %place : vector<16xi32>
    %7 = arith.bitcast %6 : vector<16xi32> to vector<16xf32>
    %8 = arith.mulf %x, %7 : vector<16xf32>
    %9 = arith.mulf %8, %4 : vector<16xf32>
    return %5, %9 : vector<16xf32>, vector<16xf32>
  }
}
