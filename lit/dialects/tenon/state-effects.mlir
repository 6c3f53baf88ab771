// Reads and writes of states keep their order; unused ones are removed.
// RUN: tenon-opt %s --cse --canonicalize | FileCheck %s

tenon.state @s : tensor<4xf32>

// Between two writes a state has one value.
// CHECK-LABEL: func.func @equal_reads(
// CHECK: %[[S:.*]] = tenon.state_read @s
// CHECK-NOT: tenon.state_read
// CHECK: return %[[S]], %[[S]]
func.func @equal_reads() -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tenon.state_read @s : tensor<4xf32>
  %1 = tenon.state_read @s : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @write_between(
// CHECK: %[[OLD:.*]] = tenon.state_read @s
// CHECK: tenon.state_write @s
// CHECK: %[[NEW:.*]] = tenon.state_read @s
// CHECK: return %[[OLD]], %[[NEW]]
func.func @write_between(%v: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tenon.state_read @s : tensor<4xf32>
  tenon.state_write @s, %v : tensor<4xf32>
  %1 = tenon.state_read @s : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @unused_read(
// CHECK-NEXT: return
func.func @unused_read() {
  %0 = tenon.state_read @s : tensor<4xf32>
  return
}

// A branch without results is kept for its writes.
// CHECK-LABEL: func.func @write_in_a_branch(
// CHECK: scf.if
// CHECK-NEXT: tenon.state_write @s
func.func @write_in_a_branch(%c: i1, %v: tensor<4xf32>) {
  scf.if %c {
    tenon.state_write @s, %v : tensor<4xf32>
  }
  return
}
