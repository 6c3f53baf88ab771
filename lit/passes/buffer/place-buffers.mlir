// RUN: tenon-opt %s --tenon-place-buffers --canonicalize --split-input-file | FileCheck %s

// Results are arguments from the start; only intermediate values are in the
// arena.
// CHECK-LABEL: func.func private @chain.plan(
// CHECK-SAME: %[[CALL:.*]]: !llvm.ptr, %[[X:.*]]: memref<4xf32>, %[[EXTENTS:.*]]: memref<?xi64>) -> index
// CHECK-DAG: %[[FOUR:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 64 : index
// CHECK: memref.store %[[FOUR]], %[[EXTENTS]]
// CHECK: return %[[BYTES]]
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[CALL:[^:]*]]: !llvm.ptr, %[[X:[^:]*]]: memref<4xf32>, %[[Y:[^:]*]]: memref<4xf32> {tenon.output}, %[[ARENA:[^:]*]]: memref<?xi8>
// CHECK-SAME: tenon.arena_bytes = 64
// CHECK-NOT: memref.alloc
// CHECK: %[[A:.*]] = memref.view %[[ARENA]]
// CHECK: tenon.fusion {{.*}} outs(%[[A]] : memref<4xf32>)
// CHECK: tenon.fusion {{.*}} outs(%[[Y]] : memref<4xf32>)
// CHECK: return
func.func @chain(%x: memref<4xf32>) -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  tenon.fusion map ins(%x : memref<4xf32>) outs(%a : memref<4xf32>) {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.exponential %t : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  }
  %b = memref.alloc() : memref<4xf32>
  tenon.fusion map ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.negate %t : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  }
  return %b : memref<4xf32>
}

// -----

// The lifetimes of the first and the third of three values in a row are
// disjoint.
// CHECK-LABEL: func.func @lives_apart_share_bytes(
// CHECK-SAME: tenon.arena_bytes = 128
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK-COUNT-1: memref.view %{{.*}}[%[[C64]]]
// CHECK-NOT: memref.view %{{.*}}[%[[C64]]]
// CHECK: return
func.func @lives_apart_share_bytes(%x: memref<4xf32>) -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  %c = memref.alloc() : memref<4xf32>
  memref.copy %b, %c : memref<4xf32> to memref<4xf32>
  %d = memref.alloc() : memref<4xf32>
  memref.copy %c, %d : memref<4xf32> to memref<4xf32>
  return %d : memref<4xf32>
}

// -----

// The arena's size is an integer function of the extents, rounded up to 64
// bytes; sizes saturate at 2^48.
// CHECK-LABEL: func.func private @unknown_extent.plan(
// CHECK: %[[N:.*]] = memref.dim
// CHECK: %[[LOW:.*]], %[[HIGH:.*]] = arith.mulsi_extended %[[N]], %c4
// CHECK: %[[FITS:.*]] = arith.cmpi eq, %[[HIGH]], %c0
// CHECK: %[[LEAST:.*]] = arith.minui %[[LOW]], %[[MOST:.*]] : index
// CHECK: %[[BYTES:.*]] = arith.select %[[FITS]], %[[LEAST]], %[[MOST]]
// CHECK: %[[UP:.*]] = arith.addi %[[BYTES]], %c63
// CHECK: %[[ROUND:.*]] = arith.andi %[[UP]], %c-64
// CHECK: %[[SIZE:.*]] = arith.minsi %[[ROUND]], %[[MOST]]
// CHECK: return %[[SIZE]] : index
// CHECK-LABEL: func.func @unknown_extent(
// CHECK-SAME: memref<?xf32> {tenon.output}
// CHECK-NOT: memref.alloc
// CHECK: memref.view %{{.*}} : memref<?xi8> to memref<?xf32>
func.func @unknown_extent(%x: memref<?xf32>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  memref.copy %a, %b : memref<?xf32> to memref<?xf32>
  return %b : memref<?xf32>
}

// -----

// The elements of an input are known before the run, so the plan function reads
// them.
// CHECK-LABEL: func.func private @size_from_input.plan(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %[[N:.*]]: memref<i64>, %[[EXTENTS:.*]]: memref<?xi64>
// CHECK: %[[VALUE:.*]] = memref.load %[[N]][]
// CHECK: memref.store %[[VALUE]], %[[EXTENTS]]
func.func @size_from_input(%n: memref<i64>) -> memref<?xf32> {
  %0 = memref.load %n[] : memref<i64>
  %1 = arith.index_cast %0 : i64 to index
  %a = memref.alloc(%1) : memref<?xf32>
  tenon.fusion map ins(%1 : index) outs(%a : memref<?xf32>) {
  ^bb0(%s: index):
    %2 = tenon.constant dense<1.0> : tensor<f32>
    %3 = tenon.broadcast_in_dim %2 dims [] sizes [%s] : (tensor<f32>, index) -> tensor<?xf32>
    tenon.yield %3 : tensor<?xf32>
  }
  return %a : memref<?xf32>
}

// -----

// The plan function knows only the bound; the run writes the extent that it
// found.
// CHECK-LABEL: func.func private @bounded.plan(
// CHECK: %[[MOST:.*]] = memref.dim
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[MOST]]
// CHECK: memref.store %[[NUMBER]]
// CHECK-LABEL: func.func @bounded(
// CHECK-SAME: {tenon.bounded, tenon.output}
// CHECK-SAME: %[[EXTENTS:[^:]*]]: memref<?xi64>)
// CHECK: %[[FOUND:.*]] = tenon.bound
// CHECK: %[[COUNT:.*]] = arith.index_cast %[[FOUND]]
// CHECK: memref.store %[[COUNT]], %[[EXTENTS]]
func.func @bounded(%x: memref<?xi64>) -> memref<?xi64> {
  %c0 = arith.constant 0 : index
  %most = memref.dim %x, %c0 : memref<?xi64>
  %count = memref.alloc() : memref<i64>
  tenon.fusion map ins(%x : memref<?xi64>) outs(%count : memref<i64>) {
  ^bb0(%t: tensor<?xi64>):
    %s = tenon.reduce add %t over [0] : (tensor<?xi64>) -> tensor<i64>
    tenon.yield %s : tensor<i64>
  }
  %0 = memref.load %count[] : memref<i64>
  %1 = arith.index_cast %0 : i64 to index
  %n = tenon.bound %1 at_most %most
  %a = memref.alloc(%n) : memref<?xi64>
  tenon.fusion map ins(%n : index) outs(%a : memref<?xi64>) {
  ^bb0(%s: index):
    %2 = tenon.iota dim 0 sizes [%s] : (index) -> tensor<?xi64>
    tenon.yield %2 : tensor<?xi64>
  }
  return %a : memref<?xi64>
}

// -----

// The rest of a bound is greatest if the count is least, so the plan function
// must assume the least count, not the greatest.
// CHECK-LABEL: func.func private @rest_of_a_bound.plan(
// CHECK: %[[MOST:.*]] = memref.dim
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[MOST]]
// CHECK: memref.store %[[NUMBER]]
// CHECK-LABEL: func.func @rest_of_a_bound(
// CHECK-SAME: {tenon.bounded, tenon.output}
func.func @rest_of_a_bound(%x: memref<?xi64>, %count: memref<i64>) -> memref<?xi64> {
  %c0 = arith.constant 0 : index
  %most = memref.dim %x, %c0 : memref<?xi64>
  %0 = memref.load %count[] : memref<i64>
  %1 = arith.index_cast %0 : i64 to index
  %n = tenon.bound %1 at_most %most
  %rest = arith.subi %most, %n : index
  %a = memref.alloc(%rest) : memref<?xi64>
  memref.copy %x, %a : memref<?xi64> to memref<?xi64>
  return %a : memref<?xi64>
}

// -----

// One known operand bounds a minimum. A branch has the greater of its sizes, or
// the size of the branch taken if that is known.
// CHECK-LABEL: func.func private @minimum_and_branch.plan(
// CHECK-SAME: %[[CALL:[^:]*]]: !llvm.ptr, %[[X:[^:]*]]: memref<?xi64>, %[[P:[^:]*]]: i1
// CHECK-DAG: %[[C300:.*]] = arith.constant 300 : i64
// CHECK-DAG: %[[C400:.*]] = arith.constant 400 : i64
// CHECK-DAG: memref.store %[[C300]], %{{.*}}[%c0]
// CHECK-DAG: memref.store %[[C400]], %{{.*}}[%c1]
// CHECK-DAG: %[[TAKEN:.*]] = arith.select %[[P]], %c300, %c7
// CHECK-DAG: arith.index_cast %[[TAKEN]]
// CHECK-LABEL: func.func @minimum_and_branch(
func.func @minimum_and_branch(%x: memref<?xi64>, %p: i1) -> (memref<?xi64>, memref<?xi64>, memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %c300 = arith.constant 300 : index
  %c400 = arith.constant 400 : index
  %found = memref.alloc(%c400) : memref<?xi64>
  memref.copy %x, %found : memref<?xi64> to memref<?xi64>
  %0 = memref.load %found[%c0] : memref<?xi64>
  %1 = arith.index_cast %0 : i64 to index
  %n = arith.minsi %1, %c300 : index
  %q = arith.cmpi eq, %1, %c7 : index
  %either = scf.if %q -> index {
    scf.yield %c400 : index
  } else {
    scf.yield %n : index
  }
  %given = scf.if %p -> index {
    scf.yield %n : index
  } else {
    scf.yield %c7 : index
  }
  %a = memref.alloc(%n) : memref<?xi64>
  memref.copy %x, %a : memref<?xi64> to memref<?xi64>
  %b = memref.alloc(%either) : memref<?xi64>
  memref.copy %x, %b : memref<?xi64> to memref<?xi64>
  %c = memref.alloc(%given) : memref<?xi64>
  memref.copy %x, %c : memref<?xi64> to memref<?xi64>
  return %a, %b, %c : memref<?xi64>, memref<?xi64>, memref<?xi64>
}

// -----

// A branch yields one of two tensors: the plan function takes the greater
// extent, and the run writes the actual one.
// CHECK-LABEL: func.func private @size_of_a_branch.plan(
// CHECK-DAG: %[[X:.*]] = memref.dim %arg1
// CHECK-DAG: %[[Y:.*]] = memref.dim %arg2
// CHECK: %[[MOST:.*]] = arith.maxsi %[[X]], %[[Y]]
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[MOST]]
// CHECK: memref.store %[[NUMBER]]
// CHECK-LABEL: func.func @size_of_a_branch(
// CHECK-SAME: {tenon.bounded, tenon.output}
func.func @size_of_a_branch(%x: memref<?xf32>, %y: memref<?xf32>, %flags: memref<1xi1>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %p = memref.load %flags[%c0] : memref<1xi1>
  %0 = scf.if %p -> memref<?xf32> {
    scf.yield %x : memref<?xf32>
  } else {
    scf.yield %y : memref<?xf32>
  }
  return %0 : memref<?xf32>
}

// -----

// Used weights have 64-byte aligned offsets in one blob, in module order;
// unused ones have none.
// CHECK: module attributes {{.*}}tenon.weight_bytes = 192 : i64
// CHECK: tenon.weight @first {{.*}} attributes {offset = 0 : i64}
// CHECK-NOT: @unused {{.*}}offset
// CHECK: tenon.weight @second {{.*}} attributes {offset = 128 : i64}
// CHECK-LABEL: func.func @weights(
// CHECK-SAME: %[[BLOB:[^:]*]]: memref<?xi8>, %{{[^:]*}}: memref<?xi8>, %{{[^:]*}}: memref<?xi64>)
// CHECK-DAG: %[[C128:.*]] = arith.constant 128 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: memref.view %[[BLOB]][%[[C0]]][] : memref<?xi8> to memref<20xf32>
// CHECK-DAG: memref.view %[[BLOB]][%[[C128]]][] : memref<?xi8> to memref<4xf32>
tenon.weight @first : tensor<20xf32> from #tenon.source<"model.onnx", 0, 80>
tenon.weight @unused : tensor<20xf32> from #tenon.source<"model.onnx", 0, 80>
tenon.weight @second : tensor<4xf32> from #tenon.source<"model.onnx", 80, 16>
func.func @weights() -> (memref<20xf32>, memref<4xf32>) {
  %0 = tenon.get_weight @first : memref<20xf32>
  %1 = tenon.get_weight @second : memref<4xf32>
  return %0, %1 : memref<20xf32>, memref<4xf32>
}

// -----

// States have their own memory. Their initial values are in the weight blob,
// also constants, unless they are zero.
// CHECK: module attributes {tenon.state_bytes = 192 : i64, tenon.weight_bytes = 128 : i64}
// CHECK: tenon.weight @first {{.*}} attributes {offset = 0 : i64}
// CHECK: tenon.state @a {{.*}} from @first attributes {number = 0 : i64, offset = 0 : i64}
// CHECK-NOT: @unused
// CHECK: tenon.weight @b.initial : tensor<i32> attributes {offset = 64 : i64} {
// CHECK-NEXT: tenon.constant dense<7>
// CHECK: tenon.state @b : tensor<i32> from @b.initial attributes {number = 1 : i64, offset = 64 : i64}
// CHECK: tenon.state @c : tensor<i32> attributes {number = 2 : i64, offset = 128 : i64}
// CHECK-LABEL: func.func @states(
// CHECK-SAME: %[[STATE:[^:]*]]: memref<?xi8>, %{{[^:]*}}: memref<?xi64>)
// CHECK-SAME: tenon.uses_state
// CHECK: %[[A:.*]] = memref.view %[[STATE]]
// CHECK: memref.copy %{{.*}}, %[[A]]
tenon.weight @first : tensor<4xf32> from #tenon.source<"model.onnx", 0, 16>
tenon.state @a : tensor<4xf32> from @first
tenon.state @unused : tensor<4xf32> from @first
tenon.state @b : tensor<i32> = dense<7> : tensor<i32>
tenon.state @c : tensor<i32> = dense<0> : tensor<i32>
func.func @states(%x: memref<4xf32>) -> (memref<i32>, memref<i32>) {
  %0 = tenon.state_memory @a : memref<4xf32>
  memref.copy %x, %0 : memref<4xf32> to memref<4xf32>
  %1 = tenon.state_memory @b : memref<i32>
  %2 = tenon.state_memory @c : memref<i32>
  return %1, %2 : memref<i32>, memref<i32>
}

// -----

// One value is two results: each output gets a copy. An input that is a result
// is copied, too.
// CHECK-LABEL: func.func @shared_results(
// CHECK-SAME: %[[X:[^:]*]]: memref<4xf32>, %[[Y:[^:]*]]: memref<4xf32> {tenon.output}, %[[Z:[^:]*]]: memref<4xf32> {tenon.output}, %[[W:[^:]*]]: memref<4xf32> {tenon.output}
// CHECK: memref.copy %{{.*}}, %[[Y]]
// CHECK: memref.copy %{{.*}}, %[[Z]]
// CHECK: memref.copy %[[X]], %[[W]]
func.func @shared_results(%x: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>, memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  tenon.fusion map ins(%x : memref<4xf32>) outs(%a : memref<4xf32>) {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.exponential %t : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  }
  return %a, %a, %x : memref<4xf32>, memref<4xf32>, memref<4xf32>
}

// -----

// Both branches yield as many elements, so the plan function need not know the
// condition.
// CHECK-LABEL: func.func private @branches_of_one_size.plan(
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr, %[[X:[^:]*]]: memref<?xf32>
// CHECK: %[[N:.*]] = memref.dim %[[X]]
// CHECK: %[[TWICE:.*]] = arith.addi %[[N]], %[[N]]
// CHECK: %[[EXTENT:.*]] = arith.index_cast %[[TWICE]]
// CHECK: memref.store %[[EXTENT]]
// CHECK-LABEL: func.func @branches_of_one_size(
// CHECK: scf.if
func.func @branches_of_one_size(%x: memref<?xf32>, %p: i1) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %0 = scf.if %p -> memref<?xf32> {
    %n = memref.dim %x, %c0 : memref<?xf32>
    %m = arith.addi %n, %n : index
    %a = memref.alloc(%m) : memref<?xf32>
    scf.yield %a : memref<?xf32>
  } else {
    %n = memref.dim %x, %c0 : memref<?xf32>
    %m = arith.addi %n, %n : index
    %a = memref.alloc(%m) : memref<?xf32>
    scf.yield %a : memref<?xf32>
  }
  %n = memref.dim %0, %c0 : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  memref.copy %0, %b : memref<?xf32> to memref<?xf32>
  return %b : memref<?xf32>
}

// -----

// A select of two buffers has the same property.
// CHECK-LABEL: func.func private @choice_of_one_size.plan(
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr, %[[X:[^:]*]]: memref<?xf32>
// CHECK: %[[N:.*]] = memref.dim %[[X]]
// CHECK: %[[EXTENT:.*]] = arith.index_cast %[[N]]
// CHECK: memref.store %[[EXTENT]]
func.func @choice_of_one_size(%x: memref<?xf32>, %p: i1) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  tenon.fusion map ins(%x : memref<?xf32>) outs(%a : memref<?xf32>) {
  ^bb0(%t: tensor<?xf32>):
    %0 = tenon.exponential %t : (tensor<?xf32>) -> tensor<?xf32>
    tenon.yield %0 : tensor<?xf32>
  }
  %b = arith.select %p, %x, %a : memref<?xf32>
  %m = memref.dim %b, %c0 : memref<?xf32>
  %c = memref.alloc(%m) : memref<?xf32>
  memref.copy %b, %c : memref<?xf32> to memref<?xf32>
  return %c : memref<?xf32>
}

// -----

// The size of a view is known when it is made; only the run fills its buffer.
// CHECK-LABEL: func.func private @size_of_a_view.plan(
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr, %[[X:[^:]*]]: memref<?xf32>, %{{[^:]*}}: i1
// CHECK: %[[N:.*]] = memref.dim %[[X]]
// CHECK: %[[EXTENT:.*]] = arith.index_cast %[[N]]
// CHECK: memref.store %[[EXTENT]]
func.func @size_of_a_view(%x: memref<?xf32>, %p: i1) -> memref<?x1xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  tenon.fusion map ins(%x : memref<?xf32>) outs(%a : memref<?xf32>) {
  ^bb0(%t: tensor<?xf32>):
    %0 = tenon.exponential %t : (tensor<?xf32>) -> tensor<?xf32>
    tenon.yield %0 : tensor<?xf32>
  }
  %view = memref.reinterpret_cast %a to offset: [0], sizes: [%n, 1], strides: [1, 1] : memref<?xf32> to memref<?x1xf32, strided<[1, 1]>>
  %m = memref.dim %view, %c0 : memref<?x1xf32, strided<[1, 1]>>
  %b = memref.alloc(%m) : memref<?x1xf32>
  memref.copy %view, %b : memref<?x1xf32, strided<[1, 1]>> to memref<?x1xf32>
  return %b : memref<?x1xf32>
}

// -----

// Loop-carried values keep their shapes, so the sizes computed from them are
// those of the initial values.
// CHECK-LABEL: func.func private @sizes_around_loops.plan(
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr, %[[X:[^:]*]]: memref<?xf32>, %{{[^:]*}}: index
// CHECK: %[[N:.*]] = memref.dim %[[X]]
// CHECK: %[[EXTENT:.*]] = arith.index_cast %[[N]]
// CHECK: memref.store %[[EXTENT]]
// CHECK-LABEL: func.func @sizes_around_loops(
func.func @sizes_around_loops(%x: memref<?xf32>, %times: index, %flag: memref<i1>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  %0 = scf.for %i = %c0 to %times step %c1 iter_args(%carried = %a) -> memref<?xf32> {
    %m = memref.dim %carried, %c0 : memref<?xf32>
    %t = memref.alloc(%m) : memref<?xf32>
    memref.copy %carried, %t : memref<?xf32> to memref<?xf32>
    memref.copy %t, %b : memref<?xf32> to memref<?xf32>
    scf.yield %b : memref<?xf32>
  }
  %1 = scf.while (%carried = %0) : (memref<?xf32>) -> memref<?xf32> {
    %more = memref.load %flag[] : memref<i1>
    scf.condition(%more) %carried : memref<?xf32>
  } do {
  ^bb0(%carried: memref<?xf32>):
    %m = memref.dim %carried, %c0 : memref<?xf32>
    %t = memref.alloc(%m) : memref<?xf32>
    memref.copy %carried, %t : memref<?xf32> to memref<?xf32>
    scf.yield %b : memref<?xf32>
  }
  %m = memref.dim %1, %c0 : memref<?xf32>
  %c = memref.alloc(%m) : memref<?xf32>
  memref.copy %1, %c : memref<?xf32> to memref<?xf32>
  return %c : memref<?xf32>
}

// -----

// The plan function cannot know which iteration
// allocates, but the iteration number has a bound.
// CHECK-LABEL: func.func private @size_of_an_iteration.plan(
// CHECK-SAME: %[[N:[^ ]*]]: index
// CHECK: arith.mulsi_extended %[[N]], %c4
// CHECK-LABEL: func.func @size_of_an_iteration(
// CHECK: scf.for %[[I:[^ ]*]] =
// CHECK: memref.view %{{.*}}[%{{.*}}][%[[I]]]
func.func @size_of_an_iteration(%n: index) -> memref<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = memref.alloc() : memref<f32>
  %v = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc(%i) : memref<?xf32>
    memref.store %v, %a[%c0] : memref<?xf32>
    memref.store %v, %r[] : memref<f32>
  }
  return %r : memref<f32>
}

// -----

// Kernels and other private functions are not graph functions.
// CHECK-LABEL: func.func private @kernel(
// CHECK-SAME: %{{.*}}: memref<4xf32>) {
// CHECK-NOT: @kernel.plan
func.func private @kernel(%x: memref<4xf32>) {
  return
}

// -----

// A buffer placed by the run is around the middle of its slot. So if several
// buffers use the slot one after another, each thread writes to the same half
// of the memory.
// CHECK-LABEL: func.func @around_the_middle(
// CHECK: %[[SLOT:.*]] = arith.maxsi
// CHECK: %[[REST:.*]] = arith.subi %[[SLOT]], %{{.*}} : index
// CHECK: %[[HALF:.*]] = arith.shrui %[[REST]], %c1
// CHECK: %[[FIRST:.*]] = arith.andi %[[HALF]], %c-64
// CHECK: memref.view %{{.*}}[%[[FIRST]]]
func.func @around_the_middle(%x: memref<?xf32>, %y: memref<?xf32>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %m = memref.dim %y, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  memref.copy %a, %x : memref<?xf32> to memref<?xf32>
  %b = memref.alloc(%m) : memref<?xf32>
  memref.copy %y, %b : memref<?xf32> to memref<?xf32>
  %c = memref.alloc(%m) : memref<?xf32>
  memref.copy %b, %c : memref<?xf32> to memref<?xf32>
  return %c : memref<?xf32>
}

// -----
// A size is read from a list into which several numbers were stored.
// CHECK-LABEL: func.func private @list.plan(
// CHECK: %[[LIST:.*]] = memref.alloca() {{.*}} : memref<4xi64>
// CHECK-COUNT-4: memref.store %{{.*}}, %[[LIST]]
// CHECK: memref.load %[[LIST]]
func.func @list(%x: memref<?x?x?x?xf32>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n0 = memref.dim %x, %c0 : memref<?x?x?x?xf32>
  %n1 = memref.dim %x, %c1 : memref<?x?x?x?xf32>
  %n2 = memref.dim %x, %c2 : memref<?x?x?x?xf32>
  %n3 = memref.dim %x, %c3 : memref<?x?x?x?xf32>
  %s0 = arith.index_cast %n0 : index to i64
  %s1 = arith.index_cast %n1 : index to i64
  %s2 = arith.index_cast %n2 : index to i64
  %s3 = arith.index_cast %n3 : index to i64
  %list = memref.alloc() : memref<4xi64>
  memref.store %s0, %list[%c0] : memref<4xi64>
  memref.store %s1, %list[%c1] : memref<4xi64>
  memref.store %s2, %list[%c2] : memref<4xi64>
  memref.store %s3, %list[%c3] : memref<4xi64>
  %number = memref.load %list[%c2] : memref<4xi64>
  %size = arith.index_cast %number : i64 to index
  %a = memref.alloc(%size) : memref<?xf32>
  tenon.fusion map ins(%size : index) outs(%a : memref<?xf32>) {
  ^bb0(%s: index):
    %0 = tenon.iota dim 0 sizes [%s] : (index) -> tensor<?xf32>
    tenon.yield %0 : tensor<?xf32>
  }
  return %a : memref<?xf32>
}

// -----

// In a loop's body too, the lifetimes of the first and the third of three buffers are disjoint. The buffer from before the loop is
// needed in each iteration.
// CHECK-LABEL: func.func @lives_in_a_loop(
// CHECK-SAME: tenon.arena_bytes = 192
// CHECK: %[[BEFORE:.*]] = memref.view %{{.*}}[%[[C0:.*]]][]
// CHECK: scf.for
// CHECK: memref.view %{{.*}}[%[[ONE:.*]]][]
// CHECK: memref.view %{{.*}}[%[[TWO:.*]]][]
// CHECK-NOT: [%[[TWO]]][]
// CHECK: memref.view %{{.*}}[%[[ONE]]][]
// CHECK: return
func.func @lives_in_a_loop(%x: memref<4xf32>, %n: index, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %before = memref.alloc() : memref<4xf32>
  memref.copy %x, %before : memref<4xf32> to memref<4xf32>
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<4xf32>
    memref.copy %before, %a : memref<4xf32> to memref<4xf32>
    %b = memref.alloc() : memref<4xf32>
    memref.copy %a, %b : memref<4xf32> to memref<4xf32>
    %c = memref.alloc() : memref<4xf32>
    memref.copy %b, %c : memref<4xf32> to memref<4xf32>
    memref.copy %c, %y : memref<4xf32> to memref<4xf32>
  }
  return
}

// -----

// A buffer that an iteration gives to the next one is needed during the whole loop, a buffer that a branch yields after the branch.
// CHECK-LABEL: func.func @lives_across_iterations(
// CHECK-SAME: tenon.arena_bytes = 192
// CHECK: %[[FIRST:.*]] = memref.view %{{.*}}[%[[ZERO:.*]]][]
// CHECK: scf.for
// CHECK: %[[A:.*]] = memref.view %{{.*}}[%[[ONE:.*]]][]
// CHECK-NOT: [%[[ONE]]][]
// CHECK-NOT: [%[[ZERO]]][]
// CHECK: return
func.func @lives_across_iterations(%x: memref<4xf32>, %n: index, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() : memref<4xf32>
  memref.copy %x, %first : memref<4xf32> to memref<4xf32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%h = %first) -> (memref<4xf32>) {
    %a = memref.alloc() : memref<4xf32>
    memref.copy %h, %a : memref<4xf32> to memref<4xf32>
    %b = memref.alloc() : memref<4xf32>
    memref.copy %h, %b : memref<4xf32> to memref<4xf32>
    memref.copy %b, %y : memref<4xf32> to memref<4xf32>
    scf.yield %a : memref<4xf32>
  }
  memref.copy %last, %y : memref<4xf32> to memref<4xf32>
  return
}

// -----

// Only one of two branches runs, so their buffers share memory; a buffer that is used after them does not.
// CHECK-LABEL: func.func @lives_in_branches(
// CHECK-SAME: tenon.arena_bytes = 128
func.func @lives_in_branches(%x: memref<4xf32>, %c: i1, %y: memref<4xf32>) {
  %before = memref.alloc() : memref<4xf32>
  memref.copy %x, %before : memref<4xf32> to memref<4xf32>
  scf.if %c {
    %a = memref.alloc() : memref<4xf32>
    memref.copy %before, %a : memref<4xf32> to memref<4xf32>
    memref.copy %a, %y : memref<4xf32> to memref<4xf32>
  } else {
    %b = memref.alloc() : memref<4xf32>
    memref.copy %x, %b : memref<4xf32> to memref<4xf32>
    memref.copy %b, %y : memref<4xf32> to memref<4xf32>
  }
  memref.copy %before, %y : memref<4xf32> to memref<4xf32>
  return
}

// -----

// A loop in a loop: the outer body's buffer is needed while the inner loop runs, and the inner buffers share the rest.
// CHECK-LABEL: func.func @lives_in_nested_loops(
// CHECK-SAME: tenon.arena_bytes = 192
func.func @lives_in_nested_loops(%x: memref<4xf32>, %n: index, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<4xf32>
    memref.copy %x, %a : memref<4xf32> to memref<4xf32>
    scf.for %j = %c0 to %n step %c1 {
      %b = memref.alloc() : memref<4xf32>
      memref.copy %a, %b : memref<4xf32> to memref<4xf32>
      %c = memref.alloc() : memref<4xf32>
      memref.copy %b, %c : memref<4xf32> to memref<4xf32>
      %d = memref.alloc() : memref<4xf32>
      memref.copy %c, %d : memref<4xf32> to memref<4xf32>
      memref.copy %d, %y : memref<4xf32> to memref<4xf32>
    }
    %e = memref.alloc() : memref<4xf32>
    memref.copy %y, %e : memref<4xf32> to memref<4xf32>
    memref.copy %e, %y : memref<4xf32> to memref<4xf32>
  }
  return
}

// -----

// A state with context extents begins where the context says, behind the states of known size. A buffer of its size is planned from
// the extents, although the plan reads no state.
// CHECK: tenon.context_extent @rows 1 to 4 default 1 attributes {number = 0 : i64}
// CHECK-NOT: @unused
// CHECK: tenon.state @cache : tensor<?x8xf32> extents [@rows] attributes {number = 1 : i64}
// CHECK: tenon.state @total : tensor<4xf32> attributes {number = 0 : i64, offset = 0 : i64}
// CHECK-LABEL: func.func private @open_state.plan(
// CHECK: %[[ROWS:.*]] = tenon.get_extent @rows
// CHECK: arith.mulsi_extended %[[ROWS]], %c32
// CHECK-LABEL: func.func @open_state(
// CHECK: %[[AT:.*]] = tenon.state_offset @cache
// CHECK: %[[N:.*]] = tenon.get_extent @rows
// CHECK: memref.view %[[STATE:.*]][%[[AT]]][%[[N]]] : memref<?xi8> to memref<?x8xf32>
// CHECK: memref.view %{{.*}}[%{{.*}}][%{{.*}}] : memref<?xi8> to memref<?x8xf32>
// CHECK: memref.view %[[STATE]][%c0][] : memref<?xi8> to memref<4xf32>
module attributes {tenon.state_bytes = 64 : i64} {
tenon.context_extent @unused 1 to 4 default 1
tenon.context_extent @rows 1 to 4 default 1
tenon.state @cache : tensor<?x8xf32> extents [@rows]
tenon.state @total : tensor<4xf32>
func.func @open_state(%x: memref<4xf32>) {
  %s = tenon.state_memory @cache : memref<?x8xf32>
  %c0 = arith.constant 0 : index
  %n = memref.dim %s, %c0 : memref<?x8xf32>
  %a = memref.alloc(%n) : memref<?x8xf32>
  memref.copy %s, %a : memref<?x8xf32> to memref<?x8xf32>
  memref.copy %a, %s : memref<?x8xf32> to memref<?x8xf32>
  %t = tenon.state_memory @total : memref<4xf32>
  memref.copy %x, %t : memref<4xf32> to memref<4xf32>
  return
}
}

// -----

// Large buffers with one extent are placed as those of known sizes: the five
// narrow ones lie where the wide one was.
// CHECK-LABEL: func.func private @proportional.plan(
// CHECK: %[[N:.*]] = memref.dim
// CHECK: arith.mulsi_extended %[[N]], %c65536
// CHECK: arith.mulsi_extended %[[N]], %c81920
// CHECK-NOT: arith.mulsi_extended
// CHECK: return
// CHECK-LABEL: func.func @proportional(
// CHECK: arith.mulsi_extended %{{.*}}, %c65536
// CHECK: arith.mulsi_extended %{{.*}}, %c81920
// CHECK-DAG: arith.mulsi_extended %{{.*}}, %c16384
// CHECK-DAG: arith.mulsi_extended %{{.*}}, %c32768
// CHECK-DAG: arith.mulsi_extended %{{.*}}, %c49152
// CHECK-DAG: arith.mulsi_extended %{{.*}}, %c65536
func.func @proportional(%x: memref<?x4096xf32>, %y: memref<?x16384xf32>) -> (memref<?x4096xf32>, memref<?x16384xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x4096xf32>
  %wide = memref.alloc(%n) : memref<?x16384xf32>
  memref.copy %y, %wide : memref<?x16384xf32> to memref<?x16384xf32>
  %s = memref.alloc(%n) : memref<?x16384xf32>
  memref.copy %wide, %s : memref<?x16384xf32> to memref<?x16384xf32>
  %a = memref.alloc(%n) : memref<?x4096xf32>
  %b = memref.alloc(%n) : memref<?x4096xf32>
  %c = memref.alloc(%n) : memref<?x4096xf32>
  %d = memref.alloc(%n) : memref<?x4096xf32>
  %e = memref.alloc(%n) : memref<?x4096xf32>
  memref.copy %x, %a : memref<?x4096xf32> to memref<?x4096xf32>
  memref.copy %a, %b : memref<?x4096xf32> to memref<?x4096xf32>
  memref.copy %a, %c : memref<?x4096xf32> to memref<?x4096xf32>
  memref.copy %a, %d : memref<?x4096xf32> to memref<?x4096xf32>
  memref.copy %a, %e : memref<?x4096xf32> to memref<?x4096xf32>
  %r = memref.alloc(%n) : memref<?x4096xf32>
  memref.copy %b, %r : memref<?x4096xf32> to memref<?x4096xf32>
  memref.copy %c, %r : memref<?x4096xf32> to memref<?x4096xf32>
  memref.copy %d, %r : memref<?x4096xf32> to memref<?x4096xf32>
  memref.copy %e, %r : memref<?x4096xf32> to memref<?x4096xf32>
  return %r, %s : memref<?x4096xf32>, memref<?x16384xf32>
}
