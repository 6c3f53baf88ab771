// RUN: tenon-opt %s --tenon-check-sizes --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @extents_that_must_agree(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<?x4xf32>
// CHECK-SAME: %[[B:[a-z0-9]+]]: tensor<?x4xf32>
// CHECK-DAG: %[[M:.*]] = tensor.dim %[[B]], %c0
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[A]], %c0
// CHECK: tenon.check_size %[[M]] in{{ ?}}[%[[N]], %[[N]]] "tenon.add: extent 0 (\22m\22) of input \22b\22 must be extent 0 (\22n\22) of input \22a\22"
// CHECK-NEXT: tenon.add
// CHECK-NOT: check_size
func.func @extents_that_must_agree(
    %a: tensor<?x4xf32> {tenon.name = "a", tenon.dims = ["n", 4]},
    %b: tensor<?x4xf32> {tenon.name = "b", tenon.dims = ["m", 4]}) -> tensor<?x4xf32> {
  %0 = tenon.add %a, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// Extents of one name are equal through all ops, so nothing is checked.
// CHECK-LABEL: func.func @extents_of_one_name(
// CHECK-NOT: check_size
func.func @extents_of_one_name(
    %a: tensor<?x4x8xf32> {tenon.name = "a", tenon.dims = ["n", 4, 8]},
    %b: tensor<?x32xf32> {tenon.name = "b", tenon.dims = ["n", 32]}) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %b, %c0 : tensor<?x32xf32>
  %0 = tenon.reshape %a sizes [%n, 32] : (tensor<?x4x8xf32>, index) -> tensor<?x32xf32>
  %1 = tenon.concatenate %0, %0 dim 0 : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
  %2 = tenon.concatenate %b, %b dim 0 : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
  %3 = tenon.add %1, %2 : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
  return %3 : tensor<?x32xf32>
}

// -----

// The operand of a broadcast has the extent or one.
// The op that selected the extent needs no check.
// CHECK-LABEL: func.func @one_or_equal(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<?xf32>, %[[B:[a-z0-9]+]]: tensor<?xf32>
// CHECK: tenon.broadcast_in_dim %[[A]]
// CHECK: %[[M:.*]] = tensor.dim %[[B]]
// CHECK: %[[IS_ONE:.*]] = arith.cmpi eq, %[[M]], %
// CHECK: %[[WANTED:.*]] = arith.select %[[IS_ONE]], %[[M]], %
// CHECK: tenon.check_size %[[M]] in{{ ?}}[%[[WANTED]], %[[WANTED]]] "{{.*}}must be one or
// CHECK-NOT: check_size
func.func @one_or_equal(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %m = tensor.dim %b, %c0 : tensor<?xf32>
  %one = arith.cmpi eq, %n, %c1 : index
  %size = arith.select %one, %m, %n : index
  %0 = tenon.broadcast_in_dim %a dims [0] sizes [%size] : (tensor<?xf32>, index) -> tensor<?xf32>
  %1 = tenon.broadcast_in_dim %b dims [0] sizes [%size] : (tensor<?xf32>, index) -> tensor<?xf32>
  %2 = tenon.add %0, %1 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @number_of_elements(
// CHECK: tenon.check_size {{.*}} "tenon.reshape: extent 0 of the result must not be negative"
// CHECK: tenon.check_size {{.*}} "tenon.reshape: the number of elements must stay"
func.func @number_of_elements(%a: tensor<?xf32>, %n: index) -> tensor<?x2xf32> {
  %0 = tenon.reshape %a sizes [%n, 2] : (tensor<?xf32>, index) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// -----

// CHECK-LABEL: func.func @contracted_extents(
// CHECK: tenon.check_size {{.*}} "tenon.dot_general: extent 0 of input 1 must be extent 1 of input 0"
func.func @contracted_extents(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @boxes(
// CHECK: tenon.check_size {{.*}} "tenon.slice: the first element along extent 0 must be within it"
// CHECK: tenon.check_size {{.*}} "tenon.slice: the last element along extent 0 must be within it"
// CHECK-NOT: check_size
// CHECK-LABEL: func.func @whole
// CHECK-NOT: check_size
func.func @boxes(%a: tensor<?x4xf32>) -> tensor<2x4xf32> {
  %0 = tenon.slice %a offsets [1, 0] sizes [2, 4] strides [1, 1] : (tensor<?x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
func.func @whole(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x4xf32>
  %0 = tenon.slice %a offsets [0, 0] sizes [%n, 4] strides [1, 1] : (tensor<?x4xf32>, index) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// Elements are read along an axis that may be empty: check it only if elements
// are read.
// CHECK-LABEL: func.func @empty_axis(
// CHECK: tenon.check_size {{.*}} "tenon.gather: extent 0 of input 0 must hold what is read of it"
func.func @empty_axis(%a: tensor<?xf32>, %i: tensor<?x1xi64>) -> tensor<?xf32> {
  %0 = tenon.gather %a, %i offset_dims [] collapsed [0] batching [] x [] map [0] vector_dim 1 slice_sizes [1]
     : (tensor<?xf32>, tensor<?x1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// A loop keeps the shapes of its carried values.
// CHECK-LABEL: func.func @loop(
// CHECK: scf.for
// CHECK: tenon.check_size {{.*}} "scf.yield: extent 0 of input 1 must be extent 0 of input 0"
func.func @loop(%a: tensor<?xf32>, %b: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> tensor<?xf32> {
    scf.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// A remainder of an extent is not negative. A size that a float gives is checked, because the float may not fit it.
// CHECK-LABEL: func.func @signs(
// CHECK: %[[REST:.*]] = arith.remsi
// CHECK-NOT: check_size %[[REST]]
// CHECK: %[[WHOLE:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK: tenon.check_size %[[WHOLE]]
// CHECK-NOT: check_size
func.func @signs(%x: tensor<?xf32>, %m: index) -> (tensor<?xi64>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %rest = arith.remsi %n, %m : index
  %0 = tenon.iota dim 0 sizes [%rest] : (index) -> tensor<?xi64>
  %wide = arith.index_cast %n : index to i64
  %real = arith.sitofp %wide : i64 to f32
  %half = arith.constant 0.5 : f32
  %part = arith.mulf %real, %half : f32
  %whole = arith.fptosi %part : f32 to i64
  %size = arith.index_cast %whole : i64 to index
  %1 = tenon.iota dim 0 sizes [%size] : (index) -> tensor<?xi64>
  return %0, %1 : tensor<?xi64>, tensor<?xi64>
}

// -----

// A state has its context's extents, which a value from elsewhere need not have.
tenon.context_extent @rows 1 to 4 default 1
tenon.state @cache : tensor<?x8xf32> extents [@rows]
// CHECK-LABEL: func.func @written_state(
// CHECK: %[[ROWS:.*]] = tenon.get_extent @rows
// CHECK-NOT: tenon.check_size
// CHECK: tenon.state_write @cache
// CHECK: %[[N:.*]] = tensor.dim
// CHECK: tenon.check_size %[[N]] in[%[[ROWS]], %[[ROWS]]] "tenon.state_write: extent 0 (\22n\22) of input 0 must be context extent \22rows\22"
// CHECK: tenon.state_write @cache
func.func @written_state(%x: tensor<?x8xf32> {tenon.dims = ["n", 8]}) {
  %0 = tenon.state_read @cache : tensor<?x8xf32>
  %1 = tenon.negate %0 : (tensor<?x8xf32>) -> tensor<?x8xf32>
  tenon.state_write @cache, %1 : tensor<?x8xf32>
  tenon.state_write @cache, %x : tensor<?x8xf32>
  return
}

// The keys of attention by a table have entries of their own. All other extents
// must agree with those of queries and keys.
// CHECK-LABEL: func.func @attention_cached(
// CHECK-SAME: %[[Q:.*]]: tensor<?x4x1x8xf32>, %[[K:.*]]: tensor<?x2x?x8xf32>, %[[N:.*]]: tensor<?xi64>, %[[T:.*]]: tensor<?x?xi64>
// CHECK-NOT: check_size
// CHECK: %[[B:.*]] = tensor.dim %[[Q]], %c0
// CHECK: tenon.check_size %{{.*}} in{{ ?}}[%[[B]], %[[B]]] "tenon.attention: extent 0 of input 2 must be extent 0 of input 0"
// CHECK: tenon.check_size %{{.*}} {{.*}} "tenon.attention: extent 0 of input 3 must be extent 0 of input 0"
// CHECK: tenon.check_size %{{.*}} {{.*}} "tenon.attention: extent 1 of input 3 must be extent 2 of input 1"
// CHECK-NOT: check_size
// CHECK: tenon.attention
func.func @attention_cached(%q: tensor<?x4x1x8xf32>, %k: tensor<?x2x?x8xf32>, %n: tensor<?xi64>, %t: tensor<?x?xi64>) -> tensor<?x4x1x8xf32> {
  %0 = tenon.attention %q, %k, %k lengths %n table %t order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 1.0
     : (tensor<?x4x1x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?xi64>, tensor<?x?xi64>) -> tensor<?x4x1x8xf32>
  return %0 : tensor<?x4x1x8xf32>
}

// Without a table each entry has its own keys.
// CHECK-LABEL: func.func @attention_entries(
// CHECK: tenon.check_size {{.*}} "tenon.attention: extent 0 of input 1 must be extent 0 of input 0"
// CHECK: tenon.check_size {{.*}} "tenon.attention: extent 2 of input 2 must be extent 2 of input 1"
// CHECK: tenon.check_size {{.*}} "tenon.attention: extent 0 of input 3 must be extent 0 of input 0"
func.func @attention_entries(%q: tensor<?x4x1x8xf32>, %k: tensor<?x2x?x8xf32>, %v: tensor<?x2x?x8xf32>, %c: tensor<?xi64>) -> tensor<?x4x1x8xf32> {
  %0 = tenon.attention %q, %k, %v causal %c fill 0.0 order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 1.0
     : (tensor<?x4x1x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?xi64>) -> tensor<?x4x1x8xf32>
  return %0 : tensor<?x4x1x8xf32>
}

// -----

// A broadcast to extents that arithmetic proves to be the operand's is dropped,
// as those of a residual beside a convolution that keeps the image's size.
// CHECK-LABEL: @same_sizes
// CHECK-NOT: tenon.broadcast_in_dim
// CHECK: return
func.func @same_sizes(%x: tensor<1x?x4xf32> {tenon.dims = [1, "width", 4]}, %w: tensor<3x4x4xf32>) -> tensor<1x?x4xf32> {
  %c1 = arith.constant 1 : index
  %0 = tenon.convolution %x, %w strides [1] padding [1, 1] lhs_dilation [1] rhs_dilation [1] groups 1 : (tensor<1x?x4xf32>, tensor<3x4x4xf32>) -> tensor<1x?x4xf32>
  %m = tensor.dim %x, %c1 : tensor<1x?x4xf32>
  %n = tensor.dim %0, %c1 : tensor<1x?x4xf32>
  %is = arith.cmpi eq, %n, %c1 : index
  %size = arith.select %is, %m, %n : index
  %1 = tenon.broadcast_in_dim %0 dims [0, 1, 2] sizes [1, %size, 4] : (tensor<1x?x4xf32>, index) -> tensor<1x?x4xf32>
  %2 = tenon.broadcast_in_dim %x dims [0, 1, 2] sizes [1, %size, 4] : (tensor<1x?x4xf32>, index) -> tensor<1x?x4xf32>
  %3 = tenon.add %1, %2 : (tensor<1x?x4xf32>, tensor<1x?x4xf32>) -> tensor<1x?x4xf32>
  return %3 : tensor<1x?x4xf32>
}
