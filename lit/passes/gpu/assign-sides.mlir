// RUN: tenon-opt %s --tenon-assign-sides --split-input-file | FileCheck %s

// The device computes what host code does not need.
// CHECK-LABEL: func.func @on_device(
// CHECK: tenon.fusion {{.*}} attributes {tenon.on_device}
func.func @on_device(%call: !llvm.ptr, %x: memref<4xf32>, %y: memref<4xf32> {tenon.output}, %arena: memref<?xi8>, %weights: memref<?xi8>,
                     %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 1, tenon.num_outputs = 1} {
  tenon.fusion map ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.negate %t : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  }
  return
}

// -----

// The host computes a number that a size depends on, and what that number is
// computed from.
// CHECK-LABEL: func.func @sizes(
// CHECK: tenon.fusion {{.*}} outs(%[[A:.*]] : memref<i64>) {
// CHECK: tenon.fusion {{.*}} ins(%[[A]] : memref<i64>) outs(%{{.*}} : memref<i64>) {
// CHECK: memref.load
func.func @sizes(%call: !llvm.ptr, %n: memref<i64>, %y: memref<?xf32> {tenon.output}, %arena: memref<?xi8>, %weights: memref<?xi8>,
                 %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 1, tenon.num_outputs = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<i64>
  %b = memref.view %arena[%c64][] : memref<?xi8> to memref<i64>
  tenon.fusion map ins(%n : memref<i64>) outs(%a : memref<i64>) {
  ^bb0(%t: tensor<i64>):
    %0 = tenon.negate %t : (tensor<i64>) -> tensor<i64>
    tenon.yield %0 : tensor<i64>
  }
  tenon.fusion map ins(%a : memref<i64>) outs(%b : memref<i64>) {
  ^bb0(%t: tensor<i64>):
    %0 = tenon.abs %t : (tensor<i64>) -> tensor<i64>
    tenon.yield %0 : tensor<i64>
  }
  %size = memref.load %b[] : memref<i64>
  memref.store %size, %extents[%c0] : memref<?xi64>
  return
}

// -----

// The host does not compute what has many elements.
// CHECK-LABEL: func.func @large(
// CHECK: tenon.fusion {{.*}} attributes {tenon.on_device}
func.func @large(%call: !llvm.ptr, %n: memref<i64>, %y: memref<i64> {tenon.output}, %arena: memref<?xi8>, %weights: memref<?xi8>,
                 %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 1, tenon.num_outputs = 1} {
  %c0 = arith.constant 0 : index
  %w = memref.view %weights[%c0][] : memref<?xi8> to memref<1025xi64>
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<i64>
  tenon.fusion rows ins(%w : memref<1025xi64>) outs(%a : memref<i64>) {
  ^bb0(%t: tensor<1025xi64>):
    %0 = tenon.reduce add %t over [0] : (tensor<1025xi64>) -> tensor<i64>
    tenon.yield %0 : tensor<i64>
  }
  %size = memref.load %a[] : memref<i64>
  memref.store %size, %extents[%c0] : memref<?xi64>
  return
}

// -----

// An input may have any size: the plan has computed extents from it on the host,
// and these must be those of the run, whatever a device computes.
// CHECK-LABEL: func.func @large_input(
// CHECK: tenon.fusion {{.*}} outs(%{{.*}} : memref<i64>) {
func.func @large_input(%call: !llvm.ptr, %x: memref<?xi64>, %y: memref<?xf32> {tenon.output}, %arena: memref<?xi8>, %weights: memref<?xi8>,
                       %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 1, tenon.num_outputs = 1} {
  %c0 = arith.constant 0 : index
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<i64>
  tenon.fusion rows ins(%x : memref<?xi64>) outs(%a : memref<i64>) {
  ^bb0(%t: tensor<?xi64>):
    %0 = tenon.reduce add %t over [0] : (tensor<?xi64>) -> tensor<i64>
    tenon.yield %0 : tensor<i64>
  }
  %size = memref.load %a[] : memref<i64>
  memref.store %size, %extents[%c0] : memref<?xi64>
  return
}

// -----

// The stack is the host's: there the function computes again what the offsets
// of buffers depend on.
// CHECK-LABEL: func.func @on_the_stack(
// CHECK: %[[STACK:.*]] = memref.alloca
// CHECK: tenon.fusion rows {{.*}} outs(%[[STACK]] : memref<i64>) {
// CHECK: tenon.fusion map ins(%[[STACK]] : memref<i64>) {{.*}} : memref<i64>) {
func.func @on_the_stack(%call: !llvm.ptr, %n: memref<i64>, %y: memref<i64> {tenon.output}, %arena: memref<?xi8>, %weights: memref<?xi8>,
                        %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 1, tenon.num_outputs = 1} {
  %c0 = arith.constant 0 : index
  %w = memref.view %weights[%c0][] : memref<?xi8> to memref<4096xi64>
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<i64>
  %stack = memref.alloca() : memref<i64>
  tenon.fusion rows ins(%w : memref<4096xi64>) outs(%stack : memref<i64>) {
  ^bb0(%t: tensor<4096xi64>):
    %0 = tenon.reduce add %t over [0] : (tensor<4096xi64>) -> tensor<i64>
    tenon.yield %0 : tensor<i64>
  }
  tenon.fusion map ins(%stack : memref<i64>) outs(%a : memref<i64>) {
  ^bb0(%t: tensor<i64>):
    %0 = tenon.negate %t : (tensor<i64>) -> tensor<i64>
    tenon.yield %0 : tensor<i64>
  }
  return
}

// -----

// What the device has written, the host does not compute with: a fusion of
// many elements comes first, and the two after it follow it to the device.
// CHECK-LABEL: func.func @after_the_device(
// CHECK: tenon.fusion rows {{.*}} attributes {tenon.on_device}
// CHECK: tenon.fusion map {{.*}} attributes {tenon.on_device}
// CHECK: tenon.fusion map {{.*}} attributes {tenon.on_device}
func.func @after_the_device(%call: !llvm.ptr, %n: memref<i64>, %y: memref<i64> {tenon.output}, %arena: memref<?xi8>, %weights: memref<?xi8>,
                            %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 1, tenon.num_outputs = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %w = memref.view %weights[%c0][] : memref<?xi8> to memref<4096xi64>
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<i64>
  %b = memref.view %arena[%c64][] : memref<?xi8> to memref<i64>
  %c = memref.view %arena[%c128][] : memref<?xi8> to memref<i64>
  tenon.fusion rows ins(%w : memref<4096xi64>) outs(%a : memref<i64>) {
  ^bb0(%t: tensor<4096xi64>):
    %0 = tenon.reduce add %t over [0] : (tensor<4096xi64>) -> tensor<i64>
    tenon.yield %0 : tensor<i64>
  }
  tenon.fusion map ins(%a : memref<i64>) outs(%b : memref<i64>) {
  ^bb0(%t: tensor<i64>):
    %0 = tenon.negate %t : (tensor<i64>) -> tensor<i64>
    tenon.yield %0 : tensor<i64>
  }
  tenon.fusion map ins(%b : memref<i64>) outs(%c : memref<i64>) {
  ^bb0(%t: tensor<i64>):
    %0 = tenon.abs %t : (tensor<i64>) -> tensor<i64>
    tenon.yield %0 : tensor<i64>
  }
  %size = memref.load %c[] : memref<i64>
  memref.store %size, %extents[%c0] : memref<?xi64>
  return
}

// -----

// A later iteration reads what the device has written: the order of the text is
// not the order of the run.
// CHECK-LABEL: func.func @in_a_loop(
// CHECK: scf.for
// CHECK: tenon.fusion map {{.*}} attributes {tenon.on_device}
// CHECK: memref.load
// CHECK: tenon.fusion rows {{.*}} attributes {tenon.on_device}
func.func @in_a_loop(%call: !llvm.ptr, %n: memref<i64>, %y: memref<i64> {tenon.output}, %arena: memref<?xi8>, %weights: memref<?xi8>,
                     %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 1, tenon.num_outputs = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %w = memref.view %weights[%c0][] : memref<?xi8> to memref<4096xi64>
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<i64>
  %b = memref.view %arena[%c64][] : memref<?xi8> to memref<i64>
  scf.for %i = %c0 to %c64 step %c1 {
    tenon.fusion map ins(%a : memref<i64>) outs(%b : memref<i64>) {
    ^bb0(%t: tensor<i64>):
      %0 = tenon.negate %t : (tensor<i64>) -> tensor<i64>
      tenon.yield %0 : tensor<i64>
    }
    %size = memref.load %b[] : memref<i64>
    memref.store %size, %extents[%c0] : memref<?xi64>
    tenon.fusion rows ins(%w : memref<4096xi64>) outs(%a : memref<i64>) {
    ^bb0(%t: tensor<4096xi64>):
      %0 = tenon.reduce add %t over [0] : (tensor<4096xi64>) -> tensor<i64>
      tenon.yield %0 : tensor<i64>
    }
  }
  return
}

// -----

// The host reaches neither a state, nor an output, nor what a loop or a branch
// passes on.
// CHECK-LABEL: func.func @out_of_reach(
// CHECK: tenon.fusion {{.*}} attributes {tenon.on_device}
// CHECK: tenon.fusion {{.*}} attributes {tenon.on_device}
// CHECK: tenon.fusion {{.*}} attributes {tenon.on_device}
func.func @out_of_reach(%call: !llvm.ptr, %is: i1, %y: memref<i64> {tenon.output}, %arena: memref<?xi8>, %weights: memref<?xi8>,
                        %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 1, tenon.num_outputs = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<i64>
  %b = memref.view %arena[%c64][] : memref<?xi8> to memref<i64>
  %s = memref.view %state[%c0][] : memref<?xi8> to memref<i64>
  %chosen = scf.if %is -> memref<i64> {
    scf.yield %a : memref<i64>
  } else {
    scf.yield %b : memref<i64>
  }
  tenon.fusion map ins(%chosen : memref<i64>) outs(%y : memref<i64>) {
  ^bb0(%t: tensor<i64>):
    %0 = tenon.negate %t : (tensor<i64>) -> tensor<i64>
    tenon.yield %0 : tensor<i64>
  }
  tenon.fusion map ins(%s : memref<i64>) outs(%a : memref<i64>) {
  ^bb0(%t: tensor<i64>):
    %0 = tenon.negate %t : (tensor<i64>) -> tensor<i64>
    tenon.yield %0 : tensor<i64>
  }
  tenon.fusion map ins(%b : memref<i64>) outs(%s : memref<i64>) {
  ^bb0(%t: tensor<i64>):
    %0 = tenon.negate %t : (tensor<i64>) -> tensor<i64>
    tenon.yield %0 : tensor<i64>
  }
  %size = memref.load %chosen[] : memref<i64>
  memref.store %size, %extents[%c0] : memref<?xi64>
  return
}

// -----

// A view of a view, a selection and a cast stay within reach: the counterpart of
// each is the same view of host memory.
// CHECK-LABEL: func.func @views(
// CHECK: tenon.fusion {{.*}} outs(%{{.*}} : memref<i64>) {
func.func @views(%call: !llvm.ptr, %n: memref<2xi64>, %m: memref<2xi64>, %is: i1, %y: memref<i64> {tenon.output}, %arena: memref<?xi8>,
                 %weights: memref<?xi8>, %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 3, tenon.num_outputs = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %rest = memref.view %arena[%c64][%c64] : memref<?xi8> to memref<?xi8>
  %a = memref.view %rest[%c0][] : memref<?xi8> to memref<i64>
  %chosen = arith.select %is, %n, %m : memref<2xi64>
  %first = memref.reinterpret_cast %chosen to offset: [0], sizes: [], strides: [] : memref<2xi64> to memref<i64>
  tenon.fusion map ins(%first : memref<i64>) outs(%a : memref<i64>) {
  ^bb0(%t: tensor<i64>):
    %0 = tenon.negate %t : (tensor<i64>) -> tensor<i64>
    tenon.yield %0 : tensor<i64>
  }
  %size = memref.load %a[] : memref<i64>
  memref.store %size, %extents[%c0] : memref<?xi64>
  return
}

// -----

// A plan is the host's: its fusions are left alone.
// CHECK-LABEL: func.func private @main.plan(
// CHECK-NOT: tenon.on_device
func.func private @main.plan(%call: !llvm.ptr, %x: memref<4xf32>, %y: memref<4xf32>) {
  tenon.fusion map ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%t: tensor<4xf32>):
    %0 = tenon.negate %t : (tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %0 : tensor<4xf32>
  }
  return
}
