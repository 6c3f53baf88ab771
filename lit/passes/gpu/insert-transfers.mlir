// RUN: tenon-opt %s --tenon-insert-transfers --split-input-file | FileCheck %s

// The counterpart of a place in the arena is the same place in the arena of the
// host. What the host's kernel wrote is copied to the device, because a kernel
// there reads it.
// CHECK-LABEL: func.func @host_writes(
// CHECK-SAME: %[[N:[^:]*]]: memref<i64>, %{{[^:]*}}: memref<4xi64> {tenon.output}, %[[ARENA:[^:]*]]: memref<?xi8>
// CHECK-DAG: %[[HOST_ARENA:.*]] = tenon.host_memory %[[ARENA]]
// CHECK-DAG: %[[HOST_N:.*]] = tenon.host_memory %[[N]]
// CHECK: %[[AT:.*]] = arith.constant 64 : index
// CHECK: %[[A:.*]] = memref.view %[[ARENA]][%[[AT]]]
// CHECK: %[[HOST_A:.*]] = memref.view %[[HOST_ARENA]][%[[AT]]]
// CHECK: tenon.fusion map ins(%[[HOST_N]] : memref<i64>) outs(%[[HOST_A]] : memref<i64>)
// CHECK: tenon.transfer host %[[HOST_A]] to %[[A]]
// CHECK-NOT: tenon.transfer
// CHECK: memref.load %[[HOST_A]][]
// CHECK: tenon.fusion map ins(%[[A]] : memref<i64>)
func.func @host_writes(%call: !llvm.ptr, %n: memref<i64>, %y: memref<4xi64> {tenon.output}, %arena: memref<?xi8>, %weights: memref<?xi8>,
                       %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 1, tenon.num_outputs = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = memref.view %arena[%c64][] : memref<?xi8> to memref<i64>
  tenon.fusion map ins(%n : memref<i64>) outs(%a : memref<i64>) {
  ^bb0(%t: tensor<i64>):
    %0 = tenon.negate %t : (tensor<i64>) -> tensor<i64>
    tenon.yield %0 : tensor<i64>
  }
  %size = memref.load %a[] : memref<i64>
  memref.store %size, %extents[%c0] : memref<?xi64>
  tenon.fusion map ins(%a : memref<i64>) outs(%y : memref<4xi64>) attributes {tenon.on_device} {
  ^bb0(%t: tensor<i64>):
    %0 = tenon.broadcast_in_dim %t dims [] sizes [4] : (tensor<i64>) -> tensor<4xi64>
    tenon.yield %0 : tensor<4xi64>
  }
  return
}

// -----

// What only the host uses is not copied.
// CHECK-LABEL: func.func @host_alone(
// CHECK-NOT: tenon.transfer
// CHECK-NOT: tenon.device_
// CHECK: memref.load
func.func @host_alone(%call: !llvm.ptr, %n: memref<i64>, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>, %extents: memref<?xi64>)
    attributes {tenon.num_inputs = 1, tenon.num_outputs = 0} {
  %c0 = arith.constant 0 : index
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<i64>
  tenon.fusion map ins(%n : memref<i64>) outs(%a : memref<i64>) {
  ^bb0(%t: tensor<i64>):
    %0 = tenon.negate %t : (tensor<i64>) -> tensor<i64>
    tenon.yield %0 : tensor<i64>
  }
  %size = memref.load %a[] : memref<i64>
  return
}

// -----

// The counterpart of a buffer that the device writes anywhere is stale: each
// kernel of the host that reads it comes after a copy. So a loop is right,
// whose later iterations read what the device has written.
// CHECK-LABEL: func.func @stale_in_a_loop(
// CHECK: %[[A:.*]] = memref.view %arg1
// CHECK: %[[HOST_A:.*]] = memref.view
// CHECK: %[[B:.*]] = memref.view %arg1
// CHECK: %[[HOST_B:.*]] = memref.view
// CHECK: scf.for
// CHECK-NEXT: tenon.transfer %[[A]] to host %[[HOST_A]]
// CHECK-NEXT: tenon.fusion map ins(%[[HOST_A]] : memref<i64>) outs(%[[HOST_B]] : memref<i64>)
// CHECK: tenon.transfer host %[[HOST_B]] to %[[B]]
// CHECK: tenon.fusion map ins(%[[B]] : memref<i64>) outs(%[[A]] : memref<i64>)
func.func @stale_in_a_loop(%call: !llvm.ptr, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>, %extents: memref<?xi64>)
    attributes {tenon.num_inputs = 0, tenon.num_outputs = 0} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<i64>
  %b = memref.view %arena[%c64][] : memref<?xi8> to memref<i64>
  scf.for %i = %c0 to %c64 step %c1 {
    tenon.fusion map ins(%a : memref<i64>) outs(%b : memref<i64>) {
    ^bb0(%t: tensor<i64>):
      %0 = tenon.negate %t : (tensor<i64>) -> tensor<i64>
      tenon.yield %0 : tensor<i64>
    }
    tenon.fusion map ins(%b : memref<i64>) outs(%a : memref<i64>) attributes {tenon.on_device} {
    ^bb0(%t: tensor<i64>):
      %0 = tenon.negate %t : (tensor<i64>) -> tensor<i64>
      tenon.yield %0 : tensor<i64>
    }
  }
  return
}

// -----

// An element of a state, of an output or of what the device wrote is read from
// the device. The table of extents is the host's.
// CHECK-LABEL: func.func @elements(
// CHECK-SAME: %[[Y:[^:]*]]: memref<4xi64> {tenon.output}, %[[ARENA:[^:]*]]: memref<?xi8>, %{{[^:]*}}: memref<?xi8>, %{{[^:]*}}: memref<?xi8>, %[[EXTENTS:[^:]*]]: memref<?xi64>)
// CHECK: tenon.device_load %{{.*}}[] : memref<i64>, i64
// CHECK: tenon.device_load %[[Y]][%{{.*}}] : memref<4xi64>, i64
// CHECK: %[[SIZE:.*]] = tenon.device_load
// CHECK-NEXT: memref.store %[[SIZE]], %[[EXTENTS]]
func.func @elements(%call: !llvm.ptr, %y: memref<4xi64> {tenon.output}, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>,
                    %extents: memref<?xi64>) attributes {tenon.num_inputs = 0, tenon.num_outputs = 1} {
  %c0 = arith.constant 0 : index
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<i64>
  %s = memref.view %state[%c0][] : memref<?xi8> to memref<i64>
  %0 = memref.load %s[] : memref<i64>
  %1 = memref.load %y[%c0] : memref<4xi64>
  tenon.fusion map ins(%s : memref<i64>) outs(%a : memref<i64>) attributes {tenon.on_device} {
  ^bb0(%t: tensor<i64>):
    %3 = tenon.negate %t : (tensor<i64>) -> tensor<i64>
    tenon.yield %3 : tensor<i64>
  }
  %2 = memref.load %a[] : memref<i64>
  memref.store %2, %extents[%c0] : memref<?xi64>
  return
}

// -----

// Both sides get a stored element if both read it.
// CHECK-LABEL: func.func @stores(
// CHECK: %[[BOTH:.*]] = memref.view %arg2
// CHECK: %[[HOST_BOTH:.*]] = memref.view
// CHECK: tenon.device_store %[[VALUE:.*]], %[[BOTH]][]
// CHECK-NEXT: memref.store %[[VALUE]], %[[HOST_BOTH]][]
// CHECK-NEXT: memref.load %[[HOST_BOTH]][]
// CHECK-NEXT: tenon.device_store %[[VALUE]], %[[DEVICE:.*]][]
// CHECK-NEXT: memref.store %[[VALUE]], %[[HOST:.*]][]
// CHECK-NEXT: memref.load %[[HOST]][]
// CHECK-NEXT: tenon.fusion
func.func @stores(%call: !llvm.ptr, %y: memref<i64> {tenon.output}, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>,
                  %extents: memref<?xi64>) attributes {tenon.num_inputs = 0, tenon.num_outputs = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %value = arith.constant 7 : i64
  %both = memref.view %arena[%c0][] : memref<?xi8> to memref<i64>
  %device = memref.view %arena[%c64][] : memref<?xi8> to memref<i64>
  %host = memref.view %arena[%c128][] : memref<?xi8> to memref<i64>
  memref.store %value, %both[] : memref<i64>
  %0 = memref.load %both[] : memref<i64>
  memref.store %value, %device[] : memref<i64>
  memref.store %value, %host[] : memref<i64>
  %1 = memref.load %host[] : memref<i64>
  tenon.fusion map ins(%both, %device : memref<i64>, memref<i64>) outs(%y : memref<i64>) attributes {tenon.on_device} {
  ^bb0(%t: tensor<i64>, %u: tensor<i64>):
    %2 = tenon.add %t, %u : (tensor<i64>, tensor<i64>) -> tensor<i64>
    tenon.yield %2 : tensor<i64>
  }
  return
}

// -----

// A buffer written partly by the host and partly by the device: the element
// goes to the device, and the host reads there.
// CHECK-LABEL: func.func @both_write(
// CHECK: tenon.fusion map
// CHECK: tenon.device_store
// CHECK: tenon.device_load
// CHECK: tenon.transfer %[[A:.*]] to host %[[HOST_A:.*]] : memref<4xi64>, memref<4xi64>
// CHECK-NEXT: tenon.fusion map ins(%[[HOST_A]] : memref<4xi64>)
func.func @both_write(%call: !llvm.ptr, %x: memref<4xi64>, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>,
                      %extents: memref<?xi64>) attributes {tenon.num_inputs = 1, tenon.num_outputs = 0} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %value = arith.constant 7 : i64
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<4xi64>
  %b = memref.view %arena[%c64][] : memref<?xi8> to memref<4xi64>
  tenon.fusion map ins(%x : memref<4xi64>) outs(%a : memref<4xi64>) attributes {tenon.on_device} {
  ^bb0(%t: tensor<4xi64>):
    %1 = tenon.negate %t : (tensor<4xi64>) -> tensor<4xi64>
    tenon.yield %1 : tensor<4xi64>
  }
  memref.store %value, %a[%c0] : memref<4xi64>
  %0 = memref.load %a[%c0] : memref<4xi64>
  tenon.fusion map ins(%a : memref<4xi64>) outs(%b : memref<4xi64>) {
  ^bb0(%t: tensor<4xi64>):
    %1 = tenon.negate %t : (tensor<4xi64>) -> tensor<4xi64>
    tenon.yield %1 : tensor<4xi64>
  }
  return
}

// -----

// A branch yields one of two buffers, so neither has a counterpart: host code
// stores into them and loads from them on the device.
// CHECK-LABEL: func.func @yielded(
// CHECK: tenon.device_store %{{.*}}, %[[A:.*]][]
// CHECK-NOT: memref.store
// CHECK: %[[CHOSEN:.*]] = scf.if
// CHECK: tenon.device_load %[[CHOSEN]][]
func.func @yielded(%call: !llvm.ptr, %is: i1, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>, %extents: memref<?xi64>)
    attributes {tenon.num_inputs = 1, tenon.num_outputs = 0} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %value = arith.constant 7 : i64
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<i64>
  %b = memref.view %arena[%c64][] : memref<?xi8> to memref<i64>
  memref.store %value, %a[] : memref<i64>
  memref.store %value, %b[] : memref<i64>
  %chosen = scf.if %is -> memref<i64> {
    scf.yield %a : memref<i64>
  } else {
    scf.yield %b : memref<i64>
  }
  %0 = memref.load %chosen[] : memref<i64>
  return
}

// -----

// A loop swaps two buffers: the device writes one, so an element of the other
// is read from the device too.
// CHECK-LABEL: func.func @swapped(
// CHECK: tenon.device_store
// CHECK: scf.for {{.*}} iter_args(%[[THIS:.*]] = %{{.*}}, %[[THAT:.*]] = %{{.*}})
// CHECK-NEXT: tenon.device_load %[[THIS]][]
// CHECK-NEXT: tenon.fusion map ins(%[[THIS]] : memref<i64>) outs(%[[THAT]] : memref<i64>)
// CHECK: scf.yield %[[THAT]], %[[THIS]]
func.func @swapped(%call: !llvm.ptr, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>, %extents: memref<?xi64>)
    attributes {tenon.num_inputs = 0, tenon.num_outputs = 0} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %value = arith.constant 7 : i64
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<i64>
  %b = memref.view %arena[%c64][] : memref<?xi8> to memref<i64>
  memref.store %value, %a[] : memref<i64>
  %r:2 = scf.for %i = %c0 to %c64 step %c1 iter_args(%this = %a, %that = %b) -> (memref<i64>, memref<i64>) {
    %0 = memref.load %this[] : memref<i64>
    tenon.fusion map ins(%this : memref<i64>) outs(%that : memref<i64>) attributes {tenon.on_device} {
    ^bb0(%t: tensor<i64>):
      %1 = tenon.negate %t : (tensor<i64>) -> tensor<i64>
      tenon.yield %1 : tensor<i64>
    }
    scf.yield %that, %this : memref<i64>, memref<i64>
  }
  return
}

// -----

// The counterpart of a selection is the selection of counterparts; the views
// around it are views of it.
// CHECK-LABEL: func.func @selected(
// CHECK-SAME: %[[N:[^:]*]]: memref<2xi64>, %[[M:[^:]*]]: memref<2xi64>, %[[IS:[^:]*]]: i1
// CHECK-DAG: %[[HOST_N:.*]] = tenon.host_memory %[[N]]
// CHECK-DAG: %[[HOST_M:.*]] = tenon.host_memory %[[M]]
// CHECK: %[[CHOSEN:.*]] = arith.select %[[IS]], %[[HOST_N]], %[[HOST_M]]
// CHECK: %[[FIRST:.*]] = memref.reinterpret_cast %[[CHOSEN]]
// CHECK: memref.load %[[FIRST]][]
func.func @selected(%call: !llvm.ptr, %n: memref<2xi64>, %m: memref<2xi64>, %is: i1, %arena: memref<?xi8>, %weights: memref<?xi8>,
                    %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 3, tenon.num_outputs = 0} {
  %chosen = arith.select %is, %n, %m : memref<2xi64>
  %first = memref.reinterpret_cast %chosen to offset: [0], sizes: [], strides: [] : memref<2xi64> to memref<i64>
  %0 = memref.load %first[] : memref<i64>
  return
}

// -----

// Copies: within the device between a state and an output, to both sides from a
// constant that both read, and to a buffer on the stack.
memref.global "private" constant @table : memref<i64> = dense<7>
// CHECK-LABEL: func.func @copies(
// CHECK-SAME: %[[Y:[^:]*]]: memref<i64> {tenon.output}
// CHECK-DAG: %[[TABLE:.*]] = memref.get_global @table
// CHECK-DAG: %[[STACK:.*]] = memref.alloca
// CHECK: memref.copy %[[TABLE]], %[[HOST_A:.*]] :
// CHECK-NEXT: tenon.transfer host %[[TABLE]] to %[[A:.*]] :
// CHECK-NEXT: memref.load %[[HOST_A]][]
// CHECK-NEXT: tenon.transfer %[[S:.*]] to %[[Y]] :
// CHECK-NEXT: tenon.transfer %[[Y]] to %[[S]] :
// CHECK-NEXT: tenon.transfer %[[A]] to host %[[STACK]] :
// CHECK-NEXT: memref.load %[[STACK]][]
// CHECK-NEXT: memref.copy %[[TABLE]], %[[STACK]]
// CHECK-NEXT: return
func.func @copies(%call: !llvm.ptr, %y: memref<i64> {tenon.output}, %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>,
                  %extents: memref<?xi64>) attributes {tenon.num_inputs = 0, tenon.num_outputs = 1} {
  %c0 = arith.constant 0 : index
  %table = memref.get_global @table : memref<i64>
  %stack = memref.alloca() : memref<i64>
  %s = memref.view %state[%c0][] : memref<?xi8> to memref<i64>
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<i64>
  memref.copy %table, %a : memref<i64> to memref<i64>
  %0 = memref.load %a[] : memref<i64>
  memref.copy %s, %y : memref<i64> to memref<i64>
  memref.copy %y, %s : memref<i64> to memref<i64>
  memref.copy %a, %stack : memref<i64> to memref<i64>
  %1 = memref.load %stack[] : memref<i64>
  memref.copy %table, %stack : memref<i64> to memref<i64>
  return
}

// -----

// A scatter of the host keeps elements that the device wrote: they are copied
// to the host before it, and back after it.
// CHECK-LABEL: func.func @scatter(
// CHECK: tenon.fusion map {{.*}} outs(%[[A:.*]] : memref<4x2xi64>) attributes {tenon.on_device}
// CHECK: tenon.transfer %[[A]] to host %[[HOST_A:.*]] :
// CHECK: tenon.fusion scatter ins(%[[HOST_A]], {{.*}} outs(%[[HOST_A]] : memref<4x2xi64>)
// CHECK: tenon.transfer host %[[HOST_A]] to %[[A]]
func.func @scatter(%call: !llvm.ptr, %x: memref<4x2xi64>, %u: memref<1x2xi64>, %at: index, %arena: memref<?xi8>, %weights: memref<?xi8>,
                   %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 3, tenon.num_outputs = 0} {
  %c0 = arith.constant 0 : index
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<4x2xi64>
  tenon.fusion map ins(%x : memref<4x2xi64>) outs(%a : memref<4x2xi64>) attributes {tenon.on_device} {
  ^bb0(%t: tensor<4x2xi64>):
    %0 = tenon.negate %t : (tensor<4x2xi64>) -> tensor<4x2xi64>
    tenon.yield %0 : tensor<4x2xi64>
  }
  tenon.fusion scatter ins(%a, %u, %at : memref<4x2xi64>, memref<1x2xi64>, index) outs(%a : memref<4x2xi64>) {
  ^bb0(%old: tensor<4x2xi64>, %new: tensor<1x2xi64>, %i: index):
    %0 = tenon.dynamic_update_slice %old, %new at [%i, 0] : (tensor<4x2xi64>, tensor<1x2xi64>, index) -> tensor<4x2xi64>
    tenon.yield %0 : tensor<4x2xi64>
  }
  return
}

// -----

// A scatter into another buffer keeps nothing of it.
// CHECK-LABEL: func.func @scatter_elsewhere(
// CHECK-NOT: to host
// CHECK: tenon.fusion scatter {{.*}} outs(%[[HOST_A:.*]] : memref<4x2xi64>)
// CHECK: tenon.transfer host %[[HOST_A]] to %[[A:.*]] :
// CHECK: tenon.fusion map {{.*}} outs(%[[A]] : memref<4x2xi64>) attributes {tenon.on_device}
func.func @scatter_elsewhere(%call: !llvm.ptr, %x: memref<4x2xi64>, %u: memref<1x2xi64>, %at: index, %arena: memref<?xi8>, %weights: memref<?xi8>,
                             %state: memref<?xi8>, %extents: memref<?xi64>) attributes {tenon.num_inputs = 3, tenon.num_outputs = 0} {
  %c0 = arith.constant 0 : index
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<4x2xi64>
  tenon.fusion scatter ins(%x, %u, %at : memref<4x2xi64>, memref<1x2xi64>, index) outs(%a : memref<4x2xi64>) {
  ^bb0(%old: tensor<4x2xi64>, %new: tensor<1x2xi64>, %i: index):
    %0 = tenon.dynamic_update_slice %old, %new at [%i, 0] : (tensor<4x2xi64>, tensor<1x2xi64>, index) -> tensor<4x2xi64>
    tenon.yield %0 : tensor<4x2xi64>
  }
  tenon.fusion map ins(%a : memref<4x2xi64>) outs(%a : memref<4x2xi64>) attributes {tenon.on_device} {
  ^bb0(%t: tensor<4x2xi64>):
    %0 = tenon.negate %t : (tensor<4x2xi64>) -> tensor<4x2xi64>
    tenon.yield %0 : tensor<4x2xi64>
  }
  return
}

// -----

// A function that is not placed, such as a plan, is left alone.
// CHECK-LABEL: func.func private @main.plan(
// CHECK-NEXT: memref.load
// CHECK-NEXT: memref.copy
// CHECK-NEXT: return
func.func private @main.plan(%call: !llvm.ptr, %x: memref<i64>, %y: memref<i64>) {
  %0 = memref.load %x[] : memref<i64>
  memref.copy %x, %y : memref<i64> to memref<i64>
  return
}
