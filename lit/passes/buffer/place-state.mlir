// RUN: tenon-opt %s --tenon-place-state --split-input-file --verify-diagnostics --remarks-filter-missed=in-place | FileCheck %s

tenon.state @s : tensor<4xf32>

// A kernel that visits the elements in order reads and writes the state in
// place.
// CHECK-LABEL: func.func @in_step(
// CHECK: %[[OLD:.*]] = tenon.state_read @s in_place
// CHECK: %[[PLACE:.*]] = tenon.state_memory @s
// CHECK: %[[NEW:.*]] = tenon.fusion{{ +}}map ins(%[[OLD]] : tensor<4xf32>) outs(%[[PLACE]] : tensor<4xf32>)
// CHECK: tenon.state_write @s, %[[NEW]]
func.func @in_step() {
  %old = tenon.state_read @s : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %new = tenon.fusion map ins(%old : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.negate %t : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  tenon.state_write @s, %new : tensor<4xf32>
  return
}

// A kernel that reads other elements after it has written some does not.
// CHECK-LABEL: func.func @out_of_step(
// CHECK: tenon.state_read @s in_place
// CHECK: tensor.empty
// CHECK-NOT: tenon.state_memory
// CHECK: return
func.func @out_of_step() {
  %old = tenon.state_read @s : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %new = tenon.fusion map ins(%old : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.reverse %t [0] : tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  // expected-remark@+1 {{Reason="the kernel, or an op after it, reads the old value", Remark="state 's' is written by a copy"}}
  tenon.state_write @s, %new : tensor<4xf32>
  return
}

// The old value is returned, so it is kept, and the new value is copied when it
// is written.
// CHECK-LABEL: func.func @old_value_returned(
// CHECK: tenon.state_read @s :
// CHECK-NOT: tenon.state_memory
// CHECK: return
func.func @old_value_returned(%v: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark@+1 {{state 's' is read by a copy}}
  %old = tenon.state_read @s : tensor<4xf32>
  // expected-remark@+1 {{Reason="no kernel beside it computes the value", Remark="state 's' is written by a copy"}}
  tenon.state_write @s, %v : tensor<4xf32>
  return %old : tensor<4xf32>
}

// The new value may be used until the state is written again.
// CHECK-LABEL: func.func @new_value_returned(
// CHECK: tenon.state_memory
// CHECK: return
func.func @new_value_returned(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %new = tenon.fusion map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.negate %t : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  tenon.state_write @s, %new : tensor<4xf32>
  return %new : tensor<4xf32>
}

// CHECK-LABEL: func.func @written_twice(
// CHECK-NOT: tenon.state_memory
// CHECK: return
func.func @written_twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %new = tenon.fusion map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.negate %t : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  // expected-remark@+1 {{the value is used after the state has another one}}
  tenon.state_write @s, %new : tensor<4xf32>
  // expected-remark@+1 {{no kernel beside it computes the value}}
  tenon.state_write @s, %x : tensor<4xf32>
  return %new : tensor<4xf32>
}

// CHECK-LABEL: func.func @read_between(
// CHECK: tensor.empty
// CHECK-NOT: tenon.state_memory
// CHECK: tenon.state_read @s in_place
// CHECK: tenon.state_write
func.func @read_between(%x: tensor<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<4xf32>
  %new = tenon.fusion map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.negate %t : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  %old = tenon.state_read @s : tensor<4xf32>
  %first = tensor.extract %old[%c0] : tensor<4xf32>
  // expected-remark@+1 {{the state is used between the kernel and the write}}
  tenon.state_write @s, %new : tensor<4xf32>
  return %first : f32
}

// A loop writes the state while its body uses the value from before the write.
// CHECK-LABEL: func.func @written_in_a_loop(
// CHECK: %[[BEFORE:.*]] = tenon.state_read @s :
// CHECK: scf.for
// CHECK: tenon.state_read @s in_place
func.func @written_in_a_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark@+1 {{state 's' is read by a copy}}
  %before = tenon.state_read @s : tensor<4xf32>
  scf.for %i = %c0 to %n step %c1 {
    %old = tenon.state_read @s : tensor<4xf32>
    %e = tensor.empty() : tensor<4xf32>
    %new = tenon.fusion map ins(%old, %before : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%t: tensor<4xf32>, %u: tensor<4xf32>):
      %0 = tenon.add %t, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      tenon.yield %0 : tensor<4xf32>
    } -> tensor<4xf32>
    tenon.state_write @s, %new : tensor<4xf32>
  }
  return
}

// Another state is no obstacle.
// CHECK-LABEL: func.func @other_state(
// CHECK: tenon.state_read @s in_place
// CHECK: tenon.state_write @t
tenon.state @t : tensor<4xf32>
func.func @other_state(%x: tensor<4xf32>) -> tensor<4xf32> {
  %old = tenon.state_read @s : tensor<4xf32>
  // expected-remark@+1 {{state 't' is written by a copy}}
  tenon.state_write @t, %x : tensor<4xf32>
  return %old : tensor<4xf32>
}

// A kernel that updates a part of the old value writes this part only.
// CHECK-LABEL: func.func @part(
// CHECK: %[[OLD:.*]] = tenon.state_read @s in_place
// CHECK: %[[PLACE:.*]] = tenon.state_memory @s
// CHECK: tenon.fusion{{ +}}scatter ins(%[[OLD]], %{{.*}}) outs(%[[PLACE]] : tensor<4xf32>)
func.func @part(%x: tensor<2xf32>) {
  %old = tenon.state_read @s : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %new = tenon.fusion scatter ins(%old, %x : tensor<4xf32>, tensor<2xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%t: tensor<4xf32>, %u: tensor<2xf32>):
    %0 = tenon.dynamic_update_slice %t, %u at [1] : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  tenon.state_write @s, %new : tensor<4xf32>
  return
}

// Several updates before one write, with a use of the first of them in between.
// CHECK-LABEL: func.func @parts(
// CHECK: tenon.state_read @s in_place
// CHECK: %[[ONE:.*]] = tenon.state_memory @s
// CHECK: %[[FIRST:.*]] = tenon.fusion{{ +}}scatter {{.*}} outs(%[[ONE]] : tensor<4xf32>)
// CHECK: tensor.extract %[[FIRST]]
// CHECK: %[[TWO:.*]] = tenon.state_memory @s
// CHECK: tenon.fusion{{ +}}scatter ins(%[[FIRST]], {{.*}} outs(%[[TWO]] : tensor<4xf32>)
func.func @parts(%x: tensor<2xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %old = tenon.state_read @s : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %one = tenon.fusion scatter ins(%old, %x : tensor<4xf32>, tensor<2xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%t: tensor<4xf32>, %u: tensor<2xf32>):
    %0 = tenon.dynamic_update_slice %t, %u at [1] : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  %first = tensor.extract %one[%c0] : tensor<4xf32>
  %f = tensor.empty() : tensor<4xf32>
  %two = tenon.fusion scatter ins(%one, %x : tensor<4xf32>, tensor<2xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%t: tensor<4xf32>, %u: tensor<2xf32>):
    %0 = tenon.dynamic_update_slice %t, %u at [0] : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  tenon.state_write @s, %two : tensor<4xf32>
  return %first : f32
}

// The first update is used after the second, so it has a buffer of its own.
// CHECK-LABEL: func.func @part_used_later(
// CHECK: %[[E:.*]] = tensor.empty
// CHECK: %[[FIRST:.*]] = tenon.fusion{{ +}}scatter {{.*}} outs(%[[E]] : tensor<4xf32>)
// CHECK: tenon.state_memory @s
// CHECK: return
func.func @part_used_later(%x: tensor<2xf32>) -> tensor<4xf32> {
  %old = tenon.state_read @s : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %one = tenon.fusion scatter ins(%old, %x : tensor<4xf32>, tensor<2xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%t: tensor<4xf32>, %u: tensor<2xf32>):
    %0 = tenon.dynamic_update_slice %t, %u at [1] : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  %f = tensor.empty() : tensor<4xf32>
  %two = tenon.fusion scatter ins(%one, %x : tensor<4xf32>, tensor<2xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%t: tensor<4xf32>, %u: tensor<2xf32>):
    %0 = tenon.dynamic_update_slice %t, %u at [0] : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  // expected-remark@+1 {{Reason="the value is used after the state has another one", Remark="state 's' is written by a copy"}}
  tenon.state_write @s, %two : tensor<4xf32>
  return %one : tensor<4xf32>
}

// The update is the old value itself, which the kernel would overwrite while it reads it.
// CHECK-LABEL: func.func @updated_by_itself(
// CHECK: tenon.state_read @s in_place
// CHECK-NOT: tenon.state_memory
// CHECK: return
func.func @updated_by_itself() {
  %old = tenon.state_read @s : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %new = tenon.fusion scatter ins(%old, %old : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%t: tensor<4xf32>, %u: tensor<4xf32>):
    %0 = tenon.dynamic_update_slice %t, %u at [1] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  // expected-remark@+1 {{Reason="the kernel, or an op after it, reads the old value", Remark="state 's' is written by a copy"}}
  tenon.state_write @s, %new : tensor<4xf32>
  return
}

// The kernel copies a value that is not the state's.
// CHECK-LABEL: func.func @part_of_another_value(
// CHECK: tenon.state_memory @s
// CHECK: return
func.func @part_of_another_value(%y: tensor<4xf32>, %x: tensor<2xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %new = tenon.fusion scatter ins(%y, %x : tensor<4xf32>, tensor<2xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%t: tensor<4xf32>, %u: tensor<2xf32>):
    %0 = tenon.dynamic_update_slice %t, %u at [1] : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  // expected-remark@+1 {{Reason="its kernel updates a value that is not in the state", Remark="state 's' is written by a copy"}}
  tenon.state_write @s, %new : tensor<4xf32>
  return
}

// A value in the state's memory is used after the next kernel, which must not write there.
// CHECK-LABEL: func.func @written_value_used_later(
// CHECK: %[[PLACE:.*]] = tenon.state_memory @s
// CHECK: %[[FIRST:.*]] = tenon.fusion{{ +}}map {{.*}} outs(%[[PLACE]] : tensor<4xf32>)
// CHECK: tenon.state_write @s, %[[FIRST]]
// CHECK: %[[E:.*]] = tensor.empty
// CHECK: %[[SECOND:.*]] = tenon.fusion{{ +}}map {{.*}} outs(%[[E]] : tensor<4xf32>)
// CHECK: tensor.extract %[[FIRST]]
// CHECK: tenon.state_write @s, %[[SECOND]]
func.func @written_value_used_later(%x: tensor<4xf32>, %y: tensor<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<4xf32>
  %first = tenon.fusion map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.negate %t : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  tenon.state_write @s, %first : tensor<4xf32>
  %f = tensor.empty() : tensor<4xf32>
  %second = tenon.fusion map ins(%y : tensor<4xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.exponential %t : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  %used = tensor.extract %first[%c0] : tensor<4xf32>
  // expected-remark@+1 {{Reason="an op after the kernel reads the old value", Remark="state 's' is written by a copy"}}
  tenon.state_write @s, %second : tensor<4xf32>
  return %used : f32
}
