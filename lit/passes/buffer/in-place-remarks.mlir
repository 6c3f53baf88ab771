// Remarks say which results are written in place, and why others are not.
// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-place-state,tenon-carry-in-place,tenon-write-in-place))' --remarks-filter=in-place 2>&1 >/dev/null | FileCheck %s --implicit-check-not=remark:

// CHECK: remark: loc("neg"): [Passed] reused-input | Category:in-place | Function=last | Remark="the kernel writes the buffer that it reads last"
func.func @last(%x: memref<2x24xf32>) -> memref<2x24xf32> {
  %a = memref.alloc() : memref<2x24xf32>
  tenon.fusion map ins(%x : memref<2x24xf32>) outs(%a : memref<2x24xf32>) {
  ^bb0(%t: tensor<2x24xf32>):
    %0 = tenon.exponential %t : (tensor<2x24xf32>) -> tensor<2x24xf32>
    tenon.yield %0 : tensor<2x24xf32>
  }
  %b = memref.alloc() : memref<2x24xf32>
  tenon.fusion map ins(%a : memref<2x24xf32>) outs(%b : memref<2x24xf32>) {
  ^bb0(%t: tensor<2x24xf32>):
    %0 = tenon.negate %t : (tensor<2x24xf32>) -> tensor<2x24xf32> loc("neg")
    tenon.yield %0 : tensor<2x24xf32>
  }
  return %b : memref<2x24xf32>
}

// CHECK: remark: loc("early"): [Missed] own-buffer | {{.*}}Function=read_again | Reason="another op reads the input later or shares its memory", Remark="the kernel writes a buffer of its own"
func.func @read_again(%x: memref<4x16xf32>) -> (memref<4x16xf32>, memref<4x16xf32>) {
  %a = memref.alloc() : memref<4x16xf32>
  %b = memref.alloc() : memref<4x16xf32>
  tenon.fusion map ins(%a : memref<4x16xf32>) outs(%b : memref<4x16xf32>) {
  ^bb0(%t: tensor<4x16xf32>):
    %0 = tenon.negate %t : (tensor<4x16xf32>) -> tensor<4x16xf32> loc("early")
    tenon.yield %0 : tensor<4x16xf32>
  }
  return %a, %b : memref<4x16xf32>, memref<4x16xf32>
}

// CHECK: remark: loc("turned"): [Missed] own-buffer | {{.*}}Reason="the kernel reads other elements than the one it writes"
func.func @turned() -> memref<4x16xf32> {
  %a = memref.alloc() : memref<4x16xf32>
  %b = memref.alloc() : memref<4x16xf32>
  tenon.fusion map ins(%a : memref<4x16xf32>) outs(%b : memref<4x16xf32>) {
  ^bb0(%t: tensor<4x16xf32>):
    %0 = tenon.reverse %t [0] : tensor<4x16xf32> loc("turned")
    tenon.yield %0 : tensor<4x16xf32>
  }
  return %b : memref<4x16xf32>
}

// CHECK: remark: loc("masked"): [Missed] own-buffer | {{.*}}Reason="a masked store at the end of a row would delay the next row"
func.func @masked() -> memref<4x11xf32> {
  %a = memref.alloc() : memref<4x11xf32>
  %b = memref.alloc() : memref<4x11xf32>
  tenon.fusion map ins(%a : memref<4x11xf32>) outs(%b : memref<4x11xf32>) {
  ^bb0(%t: tensor<4x11xf32>):
    %0 = tenon.negate %t : (tensor<4x11xf32>) -> tensor<4x11xf32> loc("masked")
    tenon.yield %0 : tensor<4x11xf32>
  }
  return %b : memref<4x11xf32>
}

// CHECK: remark: loc("loop"): [Passed] carried | {{.*}}Remark="carried value 0 is written to the buffer that carries it"
func.func @for(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %1 = tenon.negate %a : (tensor<?xf32>) -> tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  } loc("loop")
  return %0 : tensor<?xf32>
}

// CHECK: remark: loc("exchange"): [Missed] carried-copied | {{.*}}Reason="another carried value is written first", Remark="carried value 1 is copied"
// CHECK: remark: loc("exchange"): [Passed] carried | {{.*}}Remark="carried value 0
// CHECK: remark: loc("exchange"): [Passed] carried | {{.*}}Remark="carried value 1
func.func @values_trade_places(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  } loc("exchange")
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

tenon.state @s : tensor<4xf32>
// CHECK: remark: loc("update"): [Passed] state | {{.*}}Function=updated | Remark="state 's' is written in place"
func.func @updated() {
  %old = tenon.state_read @s : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %new = tenon.fusion map ins(%old : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.negate %t : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  tenon.state_write @s, %new : tensor<4xf32> loc("update")
  return
}

// CHECK: remark: loc("write"): [Missed] state-copied | {{.*}}Reason="no kernel beside it computes the value", Remark="state 's' is written by a copy"
// CHECK: remark: loc("read"): [Missed] state-copied | {{.*}}Reason="the state is written while the value is used, or the value leaves its block", Remark="state 's' is read by a copy"
func.func @old_value_returned(%v: tensor<4xf32>) -> tensor<4xf32> {
  %old = tenon.state_read @s : tensor<4xf32> loc("read")
  tenon.state_write @s, %v : tensor<4xf32> loc("write")
  return %old : tensor<4xf32>
}
