// RUN: tenon-opt %s --tenon-plan-kernels --tenon-lower-fusions --cse --split-input-file | FileCheck %s
// RUN: sed 's/vector_bytes = 32, registers = 16/vector_bytes = 64, registers = 32/' %s \
// RUN: | tenon-opt --tenon-plan-kernels --tenon-lower-fusions --split-input-file | FileCheck %s --check-prefix=WIDE

module attributes {tenon.machine = #tenon.machine<vector_bytes = 32, registers = 16, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// Two fusions with equal regions and types share one kernel, a loop over
// vectors.
// CHECK-LABEL: func.func @pair(
// CHECK: tenon.launch @[[KERNEL:[^ ]+]] tasks
// CHECK: tenon.launch @[[KERNEL]] tasks
// CHECK: func.func private @[[KERNEL]](
// CHECK: vector<8xf32>
// CHECK-NOT: func.func

// A vector has the width of the target's registers.
// WIDE-LABEL: func.func @pair(
// WIDE: vector<16xf32>
func.func @pair(%call: !llvm.ptr, %x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>) {
  tenon.fusion map ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%t: tensor<64xf32>):
    %0 = tenon.negate %t : (tensor<64xf32>) -> tensor<64xf32>
    tenon.yield %0 : tensor<64xf32>
  }
  tenon.fusion map ins(%y : memref<64xf32>) outs(%z : memref<64xf32>) {
  ^bb0(%t: tensor<64xf32>):
    %0 = tenon.negate %t : (tensor<64xf32>) -> tensor<64xf32>
    tenon.yield %0 : tensor<64xf32>
  }
  return
}
}

// -----

// Equal regions on other types are different kernels.
// CHECK-LABEL: func.func @types_differ(
// CHECK: tenon.launch @[[SMALL:[^ ]+]] tasks
// CHECK: tenon.launch @[[LARGE:[^ ]+]] tasks
// CHECK: func.func private @[[SMALL]]({{.*}}memref<4xf32>
// CHECK: func.func private @[[LARGE]]({{.*}}memref<8xf32>
func.func @types_differ(%call: !llvm.ptr, %x: memref<4xf32>, %y: memref<8xf32>) {
  tenon.fusion map ins(%x : memref<4xf32>) outs(%x : memref<4xf32>) {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.negate %t : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  }
  tenon.fusion map ins(%y : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%t: tensor<8xf32>):
    %0 = tenon.negate %t : (tensor<8xf32>) -> tensor<8xf32>
    tenon.yield %0 : tensor<8xf32>
  }
  return
}

// -----

// Different constants in the region make different kernels.
// CHECK-LABEL: func.func @constants_differ(
// CHECK: tenon.launch @[[ONE:[^ ]+]] tasks
// CHECK-NOT: tenon.launch @[[ONE]] tasks
// CHECK: return
func.func @constants_differ(%call: !llvm.ptr, %x: memref<4xf32>) {
  tenon.fusion map ins(%x : memref<4xf32>) outs(%x : memref<4xf32>) {
  ^bb0(%t: tensor<4xf32>):
    %c = tenon.constant dense<1.0> : tensor<4xf32>
    %0 = tenon.add %t, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  }
  tenon.fusion map ins(%x : memref<4xf32>) outs(%x : memref<4xf32>) {
  ^bb0(%t: tensor<4xf32>):
    %c = tenon.constant dense<2.0> : tensor<4xf32>
    %0 = tenon.add %t, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  }
  return
}

// -----

// The number of tasks depends only on the extents, never on the number of
// threads.
// CHECK-LABEL: func.func @unknown_extent(
// CHECK: %[[N:.*]] = memref.dim
// CHECK: %[[UP:.*]] = arith.addi %[[N]]
// CHECK: %[[TASKS:.*]] = arith.divui %[[UP]]
// CHECK: tenon.launch @{{.*}} tasks %[[TASKS]]
func.func @unknown_extent(%call: !llvm.ptr, %x: memref<?xf32>, %y: memref<?xf32>) {
  tenon.fusion map ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%t: tensor<?xf32>):
    %0 = tenon.negate %t : (tensor<?xf32>) -> tensor<?xf32>
    tenon.yield %0 : tensor<?xf32>
  }
  return
}

// -----

// A kernel that finds an index out of range reports the site, which is the
// node's text.
// CHECK-LABEL: func.func private @map.check_range
// CHECK: tenon.fault "node \22g\22 (Gather)" found
func.func @check(%call: !llvm.ptr, %i: memref<4xi64>, %low: memref<4xi64>, %high: memref<4xi64>, %y: memref<4xi64>) {
  tenon.fusion map ins(%i, %low, %high : memref<4xi64>, memref<4xi64>, memref<4xi64>) outs(%y : memref<4xi64>) {
  ^bb0(%a: tensor<4xi64>, %b: tensor<4xi64>, %c: tensor<4xi64>):
    %0 = tenon.check_range %a in [%b, %c) "node \22g\22 (Gather)" : (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    tenon.yield %0 : tensor<4xi64>
  }
  return
}

// -----

// CHECK-LABEL: func.func @no_fusion(
// CHECK-NEXT: memref.copy
// CHECK-NEXT: return
// CHECK-NOT: func.func
func.func @no_fusion(%call: !llvm.ptr, %x: memref<4xf32>, %y: memref<4xf32>) {
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  return
}

// -----

// An extent known only at run time may be one: then all lanes load one element,
// else they are loaded as a vector.
// CHECK-LABEL: func.func @may_repeat(
// CHECK: func.func private @map.add
// CHECK: %[[ONE:.*]] = arith.cmpi eq
// CHECK: scf.if %[[ONE]] -> (vector<8xf32>)
// CHECK-NEXT: memref.load
// CHECK-NEXT: vector.broadcast
// CHECK: else
// CHECK-NEXT: vector.load
func.func @may_repeat(%call: !llvm.ptr, %x: memref<3x?xf32>, %y: memref<?xf32>, %n: index, %z: memref<3x?xf32>) {
  tenon.fusion map ins(%x, %y, %n : memref<3x?xf32>, memref<?xf32>, index) outs(%z : memref<3x?xf32>) {
  ^bb0(%a: tensor<3x?xf32>, %b: tensor<?xf32>, %size: index):
    %0 = tenon.broadcast_in_dim %b dims [1] sizes [3, %size] : (tensor<?xf32>, index) -> tensor<3x?xf32>
    %1 = tenon.add %a, %0 : (tensor<3x?xf32>, tensor<3x?xf32>) -> tensor<3x?xf32>
    tenon.yield %1 : tensor<3x?xf32>
  }
  return
}

// -----

// A row whose elements cannot be computed as vectors is reduced in order, and
// the failed attempt leaves no code.
// CHECK-LABEL: func.func @row_in_order(
// CHECK: func.func private @rows.reshape
// CHECK-NOT: vector.
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (f32)
// CHECK-NOT: vector.
func.func @row_in_order(%call: !llvm.ptr, %x: memref<40x2xf32>, %y: memref<4xf32>) {
  tenon.fusion rows ins(%x : memref<40x2xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: tensor<40x2xf32>):
    %0 = tenon.reshape %a sizes [4, 20] : (tensor<40x2xf32>) -> tensor<4x20xf32>
    %1 = tenon.reduce add %0 over [1] : (tensor<4x20xf32>) -> tensor<4xf32>
    tenon.yield %1 : tensor<4xf32>
  }
  return
}

// -----

// Work is counted at the launch: two operations per product, the bytes of every
// tensor once, and only the gathered rows of a table.
// CHECK-LABEL: func.func @work(
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 1024 : index
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 896 : index
// CHECK: tenon.launch @{{.*}} flops %[[FLOPS]] bytes %[[BYTES]](
// CHECK: %[[N:.*]] = memref.dim
// CHECK: %[[EXPS:.*]] = arith.muli %{{.*}}, %{{.*}}
// CHECK: tenon.launch @{{.*}} flops %[[EXPS]] bytes
func.func @work(%call: !llvm.ptr, %x: memref<4x8xf32>, %w: memref<8x16xf32>, %y: memref<4x16xf32>, %v: memref<?xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<4x8xf32>, memref<8x16xf32>) outs(%y : memref<4x16xf32>) {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>):
    %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    tenon.yield %0 : tensor<4x16xf32>
  }
  tenon.fusion map ins(%v : memref<?xf32>) outs(%v : memref<?xf32>) {
  ^bb0(%t: tensor<?xf32>):
    %0 = tenon.exponential %t : (tensor<?xf32>) -> tensor<?xf32>
    tenon.yield %0 : tensor<?xf32>
  }
  return
}

// -----

// Eight rows of three elements are read of a table of a hundred rows, and all of
// a table of four. A table in panels counts as one in order. The places have 64
// bytes and the result 96.
// CHECK-LABEL: func.func @work_of_gathers(
// CHECK: tenon.launch @{{.*}} bytes %c256(
// CHECK: tenon.launch @{{.*}} bytes %c208(
// CHECK: tenon.launch @{{.*}} bytes %c256(
func.func @work_of_gathers(%call: !llvm.ptr, %long: memref<100x3xf32>, %short: memref<4x3xf32>, %panels: memref<7x3x16xf32>, %i: memref<8xi64>, %y: memref<8x3xf32>) {
  tenon.fusion map ins(%long, %i : memref<100x3xf32>, memref<8xi64>) outs(%y : memref<8x3xf32>) {
  ^bb0(%t: tensor<100x3xf32>, %places: tensor<8xi64>):
    %0 = tenon.gather %t, %places offset_dims [1] collapsed [0] batching [] x [] map [0] vector_dim 1 slice_sizes [1, 3] : (tensor<100x3xf32>, tensor<8xi64>) -> tensor<8x3xf32>
    tenon.yield %0 : tensor<8x3xf32>
  }
  tenon.fusion map ins(%short, %i : memref<4x3xf32>, memref<8xi64>) outs(%y : memref<8x3xf32>) {
  ^bb0(%t: tensor<4x3xf32>, %places: tensor<8xi64>):
    %0 = tenon.gather %t, %places offset_dims [1] collapsed [0] batching [] x [] map [0] vector_dim 1 slice_sizes [1, 3] : (tensor<4x3xf32>, tensor<8xi64>) -> tensor<8x3xf32>
    tenon.yield %0 : tensor<8x3xf32>
  }
  tenon.fusion map ins(%panels, %i : memref<7x3x16xf32>, memref<8xi64>) outs(%y : memref<8x3xf32>) {
  ^bb0(%t: tensor<7x3x16xf32>, %places: tensor<8xi64>):
    %0 = tenon.unpack %t dim 0 extent 100 : (tensor<7x3x16xf32>) -> tensor<100x3xf32>
    %1 = tenon.negate %0 : (tensor<100x3xf32>) -> tensor<100x3xf32>
    %2 = tenon.gather %1, %places offset_dims [1] collapsed [0] batching [] x [] map [0] vector_dim 1 slice_sizes [1, 3] : (tensor<100x3xf32>, tensor<8xi64>) -> tensor<8x3xf32>
    tenon.yield %2 : tensor<8x3xf32>
  }
  return
}

// -----

// Three of four positions of a transposed convolution's kernel are on zeros:
// 2 * 1024 elements, each the sum of 8 products.
// CHECK-LABEL: func.func @work_of_zeros(
// CHECK: tenon.launch @{{.*}} flops %c16384{{.*}} bytes
func.func @work_of_zeros(%call: !llvm.ptr, %x: memref<1x4x4x8xf32>, %w: memref<2x2x8x16xf32>, %y: memref<1x8x8x16xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<1x4x4x8xf32>, memref<2x2x8x16xf32>) outs(%y : memref<1x8x8x16xf32>) {
  ^bb0(%a: tensor<1x4x4x8xf32>, %b: tensor<2x2x8x16xf32>):
    %0 = tenon.convolution %a, %b strides [1, 1] padding [1, 1, 1, 1] lhs_dilation [2, 2] rhs_dilation [1, 1] groups 1 : (tensor<1x4x4x8xf32>, tensor<2x2x8x16xf32>) -> tensor<1x8x8x16xf32>
    tenon.yield %0 : tensor<1x8x8x16xf32>
  }
  return
}

// -----

// The open extents of a convolution are those of the output, also through
// elementwise ops: 2 * 36 operations for each of its h * w * 8 elements, and
// one for each negation.
// CHECK-LABEL: func.func @work_of_open_extents(
// CHECK-SAME: %[[Y:[a-z0-9]*]]: memref<1x?x?x8xf32>)
// CHECK: %[[H:.*]] = memref.dim %[[Y]], %c1
// CHECK: %[[W:.*]] = memref.dim %[[Y]], %c2
// CHECK: %[[AREA:.*]] = arith.muli %[[H]], %[[W]]
// CHECK: %[[ELEMENTS:.*]] = arith.muli %[[AREA]], %c8
// CHECK: %[[TWICE:.*]] = arith.muli %[[ELEMENTS]], %c2
// CHECK: %[[BY_3:.*]] = arith.muli %[[TWICE]], %c3
// CHECK: %[[BY_9:.*]] = arith.muli %[[BY_3]], %c3
// CHECK: %[[BY_36:.*]] = arith.muli %[[BY_9]], %c4
// CHECK: %[[FLOPS:.*]] = arith.addi %[[BY_36]], %[[ELEMENTS]]
// CHECK: tenon.launch @{{.*}} flops %[[FLOPS]] bytes
func.func @work_of_open_extents(%call: !llvm.ptr, %x: memref<1x?x?x4xf32>, %w: memref<3x3x4x8xf32>, %y: memref<1x?x?x8xf32>) {
  tenon.fusion contraction ins(%x, %w : memref<1x?x?x4xf32>, memref<3x3x4x8xf32>) outs(%y : memref<1x?x?x8xf32>) {
  ^bb0(%a: tensor<1x?x?x4xf32>, %b: tensor<3x3x4x8xf32>):
    %0 = tenon.convolution %a, %b strides [1, 1] padding [1, 1, 1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x?x?x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x?x?x8xf32>
    %1 = tenon.negate %0 : (tensor<1x?x?x8xf32>) -> tensor<1x?x?x8xf32>
    tenon.yield %1 : tensor<1x?x?x8xf32>
  }
  return
}

// -----

// A kernel has the name of the model node of its main op, limited to symbol
// characters and to the end of a long name.
// CHECK-LABEL: func.func @names(
// CHECK: tenon.launch @map.layer_0_act_Neg.0 tasks
// CHECK: tenon.launch @map.{{[a-z_]+}}_of_a_name_that_goes_on_and_on.1 tasks
func.func @names(%call: !llvm.ptr, %x: memref<4xf32>, %y: memref<8xf32>) {
  tenon.fusion map ins(%x : memref<4xf32>) outs(%x : memref<4xf32>) {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.negate %t : (tensor<4xf32>) -> tensor<4xf32> loc("/layer.0/act/Neg")
    tenon.yield %0 : tensor<4xf32>
  }
  tenon.fusion map ins(%y : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%t: tensor<8xf32>):
    %0 = tenon.negate %t : (tensor<8xf32>) -> tensor<8xf32> loc("beginning/of/a/long/way/to/the/end/of/a/name/that/goes/on/and/on")
    tenon.yield %0 : tensor<8xf32>
  }
  return
}

// -----

// Rows without elements make no task, however many rows there are.
// CHECK-LABEL: func.func @empty_rows(
// CHECK: %[[NONE:.*]] = arith.cmpi eq
// CHECK: %[[MORE:.*]] = arith.cmpi eq
// CHECK: %[[EMPTY:.*]] = arith.ori %[[NONE]], %[[MORE]]
// CHECK: %[[TASKS:.*]] = arith.select %[[EMPTY]], %{{.*}}, %{{.*}} : index
// CHECK: tenon.launch @{{.*}} tasks %[[TASKS]]
func.func @empty_rows(%call: !llvm.ptr, %x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  tenon.fusion rows ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%t: tensor<?x?xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = tensor.dim %t, %c0 : tensor<?x?xf32>
    %m = tensor.dim %t, %c1 : tensor<?x?xf32>
    %0 = tenon.reduce add %t over [1] : (tensor<?x?xf32>) -> tensor<?xf32>
    %1 = tenon.broadcast_in_dim %0 dims [0] sizes [%n, %m] : (tensor<?xf32>, index, index) -> tensor<?x?xf32>
    %2 = tenon.divide %t, %1 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    tenon.yield %2 : tensor<?x?xf32>
  }
  return
}

// -----

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144, pairs = true>} {

// Neighbours that are adjacent in memory are pairs.
// WIDE-LABEL: func.func @pairs_side_by_side(
// WIDE: dpbf16ps
func.func @pairs_side_by_side(%call: !llvm.ptr, %x: memref<1x4x4x2xbf16>, %q: memref<1x1x1x1x16xi32>, %y: memref<1x4x4x16xf32>) {
  tenon.fusion contraction ins(%x, %q : memref<1x4x4x2xbf16>, memref<1x1x1x1x16xi32>) outs(%y : memref<1x4x4x16xf32>) {
  ^bb0(%a: tensor<1x4x4x2xbf16>, %b: tensor<1x1x1x1x16xi32>):
    %p = tenon.unpair %b : (tensor<1x1x1x1x16xi32>) -> tensor<1x1x1x2x16xbf16>
    %w = tenon.unpack %p dim 3 extent 16 : (tensor<1x1x1x2x16xbf16>) -> tensor<1x1x2x16xbf16>
    %0 = tenon.convolution %a, %w strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 products pairs : (tensor<1x4x4x2xbf16>, tensor<1x1x2x16xbf16>) -> tensor<1x4x4x16xf32>
    tenon.yield %0 : tensor<1x4x4x16xf32>
  }
  return
}
}

// -----

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144, pairs = true>} {

// Neighbours in different planes are no pairs.
// WIDE-LABEL: func.func @pairs_in_planes(
// WIDE-NOT: dpbf16ps
func.func @pairs_in_planes(%call: !llvm.ptr, %x: memref<1x2x4x4xbf16>, %q: memref<1x1x1x1x16xi32>, %y: memref<1x4x4x16xf32>) {
  tenon.fusion contraction ins(%x, %q : memref<1x2x4x4xbf16>, memref<1x1x1x1x16xi32>) outs(%y : memref<1x4x4x16xf32>) {
  ^bb0(%a: tensor<1x2x4x4xbf16>, %b: tensor<1x1x1x1x16xi32>):
    %0 = tenon.transpose %a [0, 2, 3, 1] : (tensor<1x2x4x4xbf16>) -> tensor<1x4x4x2xbf16>
    %p = tenon.unpair %b : (tensor<1x1x1x1x16xi32>) -> tensor<1x1x1x2x16xbf16>
    %w = tenon.unpack %p dim 3 extent 16 : (tensor<1x1x1x2x16xbf16>) -> tensor<1x1x2x16xbf16>
    %1 = tenon.convolution %0, %w strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 products pairs : (tensor<1x4x4x2xbf16>, tensor<1x1x2x16xbf16>) -> tensor<1x4x4x16xf32>
    tenon.yield %1 : tensor<1x4x4x16xf32>
  }
  return
}
}

// -----

// An update in place writes vectors of the update and reads nothing else; 6 rows of the update are 6 tasks' work. An index is read
// once for all columns.
module attributes {tenon.machine = #tenon.machine<vector_bytes = 32, registers = 16, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {
// CHECK-LABEL: func.func @update_in_place(
// CHECK: tenon.launch @[[SLICE:[^ ]+]] tasks
// CHECK: tenon.launch @[[SCATTER:[^ ]+]] tasks %c6
// CHECK: func.func private @[[SLICE]](%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: memref<3x64x24xf32>, %[[UPDATE:[^:]*]]: memref<3x2x24xf32>, %[[TO:[^:]*]]: memref<3x64x24xf32>,
// CHECK-NOT: memref.load
// CHECK: %[[VECTOR:.*]] = vector.load %[[UPDATE]]
// CHECK-NEXT: vector.store %[[VECTOR]], %[[TO]]
// CHECK-NOT: memref.store
// CHECK: func.func private @[[SCATTER]]({{.*}}, %[[INDICES:[^:]*]]: memref<2x1xi64>,
// CHECK: memref.load %[[INDICES]]
// CHECK: scf.if
// CHECK-NOT: memref.load
// CHECK: scf.for
// CHECK: vector.load
// CHECK: arith.addf
// CHECK: vector.store
func.func @update_in_place(%call: !llvm.ptr, %s: memref<3x64x24xf32>, %u: memref<3x2x24xf32>, %i: memref<2x1xi64>, %w: memref<3x2x512xf32>, %t: memref<3x64x512xf32>) {
  tenon.fusion scatter ins(%s, %u : memref<3x64x24xf32>, memref<3x2x24xf32>) outs(%s : memref<3x64x24xf32>) {
  ^bb0(%a: tensor<3x64x24xf32>, %b: tensor<3x2x24xf32>):
    %0 = tenon.dynamic_update_slice %a, %b at [0, 3, 0] : (tensor<3x64x24xf32>, tensor<3x2x24xf32>) -> tensor<3x64x24xf32>
    tenon.yield %0 : tensor<3x64x24xf32>
  }
  tenon.fusion scatter ins(%t, %i, %w : memref<3x64x512xf32>, memref<2x1xi64>, memref<3x2x512xf32>) outs(%t : memref<3x64x512xf32>) {
  ^bb0(%a: tensor<3x64x512xf32>, %j: tensor<2x1xi64>, %b: tensor<3x2x512xf32>):
    %0 = tenon.scatter add %a, %j, %b window_dims [0, 2] inserted [1] batching [] x [] map [1] vector_dim 1 : (tensor<3x64x512xf32>, tensor<2x1xi64>, tensor<3x2x512xf32>) -> tensor<3x64x512xf32>
    tenon.yield %0 : tensor<3x64x512xf32>
  }
  return
}
}

// -----

module attributes {tenon.machine = #tenon.machine<vector_bytes = 32, registers = 16, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// Few long rows have a launch for each reduction, whose tasks are pieces of
// rows, and one for the outputs.
// CHECK-LABEL: func.func @long_rows(
// CHECK: memref.alloca() : memref<400xf32>
// CHECK: %[[PIECES:.*]] = arith.constant 25 : index
// CHECK-COUNT-2: tenon.launch @{{.*}} tasks %[[PIECES]]
// CHECK-NOT: tenon.launch
// CHECK: return
func.func @long_rows(%call: !llvm.ptr, %x: memref<1x50257xf32>, %y: memref<1x50257xf32>) {
  tenon.fusion rows ins(%x : memref<1x50257xf32>) outs(%y : memref<1x50257xf32>) {
  ^bb0(%a: tensor<1x50257xf32>):
    %0 = tenon.exponential %a : (tensor<1x50257xf32>) -> tensor<1x50257xf32>
    %1 = tenon.reduce add %0 over [1] : (tensor<1x50257xf32>) -> tensor<1xf32>
    %2 = tenon.broadcast_in_dim %1 dims [0] sizes [1, 50257] : (tensor<1xf32>) -> tensor<1x50257xf32>
    %3 = tenon.divide %0, %2 : (tensor<1x50257xf32>, tensor<1x50257xf32>) -> tensor<1x50257xf32>
    tenon.yield %3 : tensor<1x50257xf32>
  }
  return
}
}

// -----

module attributes {tenon.machine = #tenon.machine<vector_bytes = 32, registers = 16, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// Attention without batch dimensions has a task for each block of query rows,
// and each task reads all keys.
// CHECK-LABEL: func.func @attention_without_batch(
// CHECK: %[[ROWS:.*]] = memref.dim %{{.*}}, %{{.*}} : memref<?x8xf32>
// CHECK: %[[ROUNDED:.*]] = arith.addi %[[ROWS]], %c47
// CHECK: %[[BLOCKS:.*]] = arith.divui %[[ROUNDED]], %c48
// CHECK: %[[TASKS:.*]] = arith.select %{{.*}}, %{{.*}}, %[[BLOCKS]]
// CHECK: tenon.launch @[[KERNEL:[^ ]+]] tasks %[[TASKS]]
// CHECK: func.func private @[[KERNEL]](%{{[^:]*}}: !llvm.ptr, %[[Q:[^:]*]]: memref<?x8xf32>, %[[K:[^:]*]]: memref<?x8xf32>,
// CHECK: %[[QUERIES:.*]] = memref.dim %[[Q]],
// CHECK: %[[KEYS:.*]] = memref.dim %[[K]],
// CHECK: scf.for %[[TASK:[^ ]+]] =
// CHECK: %[[BLOCK:.*]] = arith.remui %[[TASK]], %
// CHECK: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %c48
// CHECK: %[[LEFT:.*]] = arith.subi %[[QUERIES]], %[[FIRST]]
// CHECK: arith.minsi %[[LEFT]], %c48
// CHECK: arith.divui %[[KEYS]], %c64
func.func @attention_without_batch(%q: memref<?x8xf32>, %k: memref<?x8xf32>, %v: memref<?x8xf32>, %y: memref<?x8xf32>) {
  tenon.fusion attention ins(%q, %k, %v : memref<?x8xf32>, memref<?x8xf32>, memref<?x8xf32>) outs(%y : memref<?x8xf32>) {
  ^bb0(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>, %c: tensor<?x8xf32>):
    %0 = tenon.attention %a, %b, %c order [0, 1] x [0, 1] x [0, 1] to [0, 1] scale 1.0 : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    tenon.yield %0 : tensor<?x8xf32>
  }
  return
}
}

// -----

module attributes {tenon.machine = #tenon.machine<vector_bytes = 32, registers = 16, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// Attention over a cache does the work of the keys that exist and reads only
// them: each has 12 heads of 64 elements, which 5 rows multiply twice.
// CHECK-LABEL: func.func @existing_keys(
// CHECK-SAME: %[[LENGTHS:[^:]*]]: memref<2xi64>
// CHECK: %[[ROWS:.*]] = scf.for %[[ENTRY:[^ ]+]] = %c0{{.*}} to %c2{{.*}} step %c1{{.*}} iter_args(%[[SUM:.*]] = %c0{{.*}})
// CHECK: %[[NUMBER:.*]] = memref.load %[[LENGTHS]][%[[ENTRY]]]
// CHECK: %[[LENGTH:.*]] = arith.index_cast %[[NUMBER]]
// CHECK: %[[EXISTING:.*]] = arith.minsi %[[LENGTH]], %c1024
// CHECK: arith.addi %[[SUM]], %[[EXISTING]]
// CHECK: %[[SCORES:.*]] = arith.muli %[[ROWS]], %c12
// CHECK: %[[ALL:.*]] = arith.muli %[[SCORES]], %c5
// CHECK: %[[FLOPS:.*]] = arith.muli %[[ALL]], %c272
// CHECK: %[[ELEMENTS:.*]] = arith.muli %[[SCORES]], %c64
// CHECK: %[[READ:.*]] = arith.minsi %[[ELEMENTS]], %c1572864
// CHECK: arith.muli %[[READ]], %c4
// CHECK: tenon.launch {{.*}}%[[FLOPS]]
func.func @existing_keys(%n: memref<2xi64>, %q: memref<2x12x5x64xf32>, %k: memref<2x12x1024x64xf32>, %v: memref<2x12x1024x64xf32>, %y: memref<2x12x5x64xf32>) {
  tenon.fusion attention ins(%q, %k, %v, %n : memref<2x12x5x64xf32>, memref<2x12x1024x64xf32>, memref<2x12x1024x64xf32>, memref<2xi64>) outs(%y : memref<2x12x5x64xf32>) {
  ^bb0(%a: tensor<2x12x5x64xf32>, %b: tensor<2x12x1024x64xf32>, %c: tensor<2x12x1024x64xf32>, %d: tensor<2xi64>):
    %0 = tenon.attention %a, %b, %c lengths %d order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 0.125 : (tensor<2x12x5x64xf32>, tensor<2x12x1024x64xf32>, tensor<2x12x1024x64xf32>, tensor<2xi64>) -> tensor<2x12x5x64xf32>
    tenon.yield %0 : tensor<2x12x5x64xf32>
  }
  return
}
}
