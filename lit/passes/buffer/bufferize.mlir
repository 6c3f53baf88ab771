// RUN: tenon-opt %s --tenon-bufferize --split-input-file | FileCheck %s

// The destination is an allocation; the region stays on tensors.
// CHECK-LABEL: func.func @fusion(
// CHECK-SAME: %[[X:.*]]: memref<4xf32>
// CHECK: %[[TO:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
// CHECK: tenon.fusion{{ +}}map ins(%[[X]] : memref<4xf32>) outs(%[[TO]] : memref<4xf32>) {
// CHECK: ^{{.*}}(%{{.*}}: tensor<4xf32>):
// CHECK: tenon.yield %{{.*}} : tensor<4xf32>
// CHECK: return %[[TO]] : memref<4xf32>
func.func @fusion(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = tenon.fusion map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %1 = tenon.negate %a : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %1 : tensor<4xf32>
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @reshape_is_a_view(
// CHECK-SAME: %[[X:.*]]: memref<?x4xf32>, %[[N:.*]]: index
// CHECK-NOT: memref.copy
// CHECK: memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[N]], 2], strides: [2, 1]
// CHECK-NOT: memref.copy
// CHECK: return
func.func @reshape_is_a_view(%x: tensor<?x4xf32>, %n: index) -> tensor<?x2xf32> {
  %0 = tenon.reshape %x sizes [%n, 2] : (tensor<?x4xf32>, index) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// -----

// CHECK: memref.global "private" constant @[[GLOBAL:.*]] : memref<2xf32> = dense<[1.000000e+00, 2.000000e+00]> {alignment = 64 : i64}
// CHECK-NOT: memref.global
// CHECK-LABEL: func.func @equal_constants_share_memory(
// CHECK-COUNT-2: memref.get_global @[[GLOBAL]]
func.func @equal_constants_share_memory() -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = tenon.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = tenon.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// -----

tenon.weight @w : tensor<4xf32> from #tenon.source<"model.onnx", 0, 16>

// A recipe stays on tensors, because it only specifies a computation.
// CHECK: tenon.weight @half
// CHECK: tenon.add {{.*}} -> tensor<4xf32>
tenon.weight @half : tensor<4xf32> {
  %0 = tenon.get_weight @w : tensor<4xf32>
  %1 = tenon.add %0, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  tenon.yield %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @weight(
// CHECK: %[[W:.*]] = tenon.get_weight @half : memref<4xf32>
// CHECK: return %[[W]]
func.func @weight() -> tensor<4xf32> {
  %0 = tenon.get_weight @half : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The loop starts with an input, which belongs to the caller: it carries a
// copy.
// CHECK-LABEL: func.func @inputs_are_not_written(
// CHECK-SAME: %[[X:.*]]: memref<4xf32>, %[[N:.*]]: index
// CHECK-NOT: %[[X]])
// CHECK: %[[CARRIED:.*]] = memref.alloc()
// CHECK: memref.copy %[[X]], %[[CARRIED]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[CARRIED]])
func.func @inputs_are_not_written(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %1 = tenon.fusion map ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%b: tensor<4xf32>):
      %2 = tenon.negate %b : (tensor<4xf32>) -> tensor<4xf32>
      tenon.yield %2 : tensor<4xf32>
    } -> tensor<4xf32>
    %3 = bufferization.materialize_in_destination %1 in %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %3 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// A fusion in a loop's body is moved with the body after its conversion to
// memrefs.
// CHECK-LABEL: func.func @while(
// CHECK: scf.while
// CHECK: tenon.fusion{{ +}}map ins(%{{.*}} : memref<4xf32>) outs(%{{.*}} : memref<4xf32>)
func.func @while(%x: tensor<4xf32>, %p: i1) -> tensor<4xf32> {
  %0 = scf.while (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    scf.condition(%p) %a : tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %1 = tenon.fusion map ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%b: tensor<4xf32>):
      %2 = tenon.negate %b : (tensor<4xf32>) -> tensor<4xf32>
      tenon.yield %2 : tensor<4xf32>
    } -> tensor<4xf32>
    %3 = bufferization.materialize_in_destination %1 in %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %3 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @no_tensors(
// CHECK-SAME: %[[N:.*]]: index
// CHECK-NEXT: return %[[N]]
func.func @no_tensors(%n: index) -> index {
  return %n : index
}

// An update of a loop-carried value is written in place ...
// CHECK-LABEL: func.func @update(
// CHECK: scf.for {{.*}} iter_args(%[[CARRIED:.*]] = %{{.*}})
// CHECK-NOT: memref.copy
// CHECK: tenon.fusion scatter ins(%[[CARRIED]], %{{.*}} outs(%[[CARRIED]] : memref<8xf32>)
// CHECK: scf.yield
func.func @update(%x: tensor<8xf32>, %row: tensor<1xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<8xf32> {
    %1 = tenon.fusion scatter ins(%a, %row, %i : tensor<8xf32>, tensor<1xf32>, index) outs(%a : tensor<8xf32>) {
    ^bb0(%p: tensor<8xf32>, %q: tensor<1xf32>, %at: index):
      %2 = tenon.dynamic_update_slice %p, %q at [%at] : (tensor<8xf32>, tensor<1xf32>, index) -> tensor<8xf32>
      tenon.yield %2 : tensor<8xf32>
    } -> tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// ... unless the old value is read afterwards.
// CHECK-LABEL: func.func @update_of_what_is_read_again(
// CHECK: scf.for {{.*}} iter_args(%[[CARRIED:.*]] = %{{.*}}, %[[OTHER:.*]] = %{{.*}})
// CHECK: %[[COPY:.*]] = memref.alloc
// CHECK: tenon.fusion scatter ins(%[[CARRIED]], %{{.*}} outs(%[[COPY]] : memref<8xf32>)
// CHECK: tenon.fusion map ins(%[[CARRIED]]
// CHECK: memref.copy %[[COPY]], %[[CARRIED]]
func.func @update_of_what_is_read_again(%x: tensor<8xf32>, %y: tensor<8xf32>, %row: tensor<1xf32>, %n: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<8xf32>, tensor<8xf32>) {
    %1 = tenon.fusion scatter ins(%a, %row, %i : tensor<8xf32>, tensor<1xf32>, index) outs(%a : tensor<8xf32>) {
    ^bb0(%p: tensor<8xf32>, %q: tensor<1xf32>, %at: index):
      %2 = tenon.dynamic_update_slice %p, %q at [%at] : (tensor<8xf32>, tensor<1xf32>, index) -> tensor<8xf32>
      tenon.yield %2 : tensor<8xf32>
    } -> tensor<8xf32>
    %3 = tenon.fusion map ins(%a : tensor<8xf32>) outs(%b : tensor<8xf32>) {
    ^bb0(%p: tensor<8xf32>):
      %4 = tenon.negate %p : (tensor<8xf32>) -> tensor<8xf32>
      tenon.yield %4 : tensor<8xf32>
    } -> tensor<8xf32>
    %5 = bufferization.materialize_in_destination %1 in %a : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    scf.yield %5, %3 : tensor<8xf32>, tensor<8xf32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// The copy of a state has the sizes of the context.
tenon.context_extent @rows 1 to 4 default 1
tenon.state @cache : tensor<?x8xf32> extents [@rows]
// CHECK-LABEL: func.func @copy_of_state(
// CHECK: %[[ROWS:.*]] = tenon.get_extent @rows
// CHECK: %[[MEMORY:.*]] = tenon.state_memory @cache : memref<?x8xf32>
// CHECK: %[[COPY:.*]] = memref.alloc(%[[ROWS]]) {{.*}}: memref<?x8xf32>
// CHECK: memref.copy %[[MEMORY]], %[[COPY]]
func.func @copy_of_state() -> tensor<?x8xf32> {
  %0 = tenon.state_read @cache : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
